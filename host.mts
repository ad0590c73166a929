// Composition root of the host half: the only place that sees everything. Acquired top to bottom, undone bottom to top.
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '@deepseek-ai/cordis'
import en from './locale/en.json' with { type: 'json' }
import zh from './locale/zh.json' with { type: 'json' }
import manifest from './package.json' with { type: 'json' }
import { readConfig } from './src/contract/config.ts'
import { registerDrill } from './src/host/drill.ts'
import { createHost } from './src/host/port.ts'
import { listen } from './src/host/inlets.ts'
import { hostLog } from './src/host/log.ts'
import { createQoderShim } from './src/host/neighbours/qoder/index.ts'
import { accountPool, codeartsAccounts, codeartsEntry, compactorActive, compactorPresent } from './src/host/neighbours/services.ts'
import { isRecord, service, type HostContext } from './src/host/shapes.ts'
import { registerSkill, type SkillRegistry } from './src/host/skill.ts'
import { processTime } from './src/host/time.ts'
import type { Dispose, Random, Time } from './src/ports.ts'
import type { HostCheck } from './src/http/fence.ts'
import { mountApi, type WebServer } from './src/http/mount.ts'
import { createServices, type Services } from './src/services/index.ts'
import { speaker } from './src/services/say.ts'
import { locate } from './src/store/layout.ts'
import { openSamples } from './src/store/samples.ts'
import { openStore } from './src/store/store.ts'

export const name = 'model-failover'
export const inject: readonly string[] = ['agents', 'llm']

/** Never throws and never refuses its row: a failing row would keep the whole host from starting. */
export async function apply(ctx: Context, row: unknown): Promise<void> {
  const host = ctx as unknown as HostContext
  const log = hostLog(host)
  try { await mount(host, row) } catch (error) { log.error('could not be mounted, everything passes through: %o', error) }
}

/** What the plugin takes from its process, so that a test can be the process. */
export interface World { readonly time: Time & { close: Dispose }; readonly random: Random; readonly env: Readonly<Record<string, string | undefined>>; readonly userHome: string }

/** Everything `apply` does, but it rejects where that one logs. */
export async function mount(ctx: HostContext, row: unknown, world: World = { time: processTime(hostLog(ctx)), random: Math.random, env: process.env, userHome: homedir() }): Promise<void> {
  const log = hostLog(ctx)
  const { config, errors } = readConfig(row)
  for (const { key, value, message, nearest } of errors) log.error('config %s = %s: %s%s', key, value, message, nearest === null ? '' : `; did you mean ${nearest}?`)
  const { time, random, env } = world
  const layout = locate(config.dataDir, world)

  await ctx.effect(async function* () {
    yield () => time.close()
    const store = await openStore({ dir: layout.dir, own: layout.own, legacyDir: layout.legacyDir, time, log })
    yield () => store.close()
    const samples = openSamples({ dir: layout.dir, legacyFile: join(layout.legacyDir, 'metrics.json'), time, log })
    yield () => samples.close()
    const { port, catalog, selection, ...learning } = createHost(ctx, log, env.MODEL_FAILOVER_NEXT_TURN === '1')
    const shim = createQoderShim({
      enabled: config.enabled && config.qoderShim, port: config.qoderShimPort, repair: config.qoderShimRepair, wasmPath: config.qoderShimWasmPath ?? null,
      home: layout.home, time, log, compactor: () => compactorPresent(), llm: () => ctx.get('llm'),
    })
    const services = createServices({
      version: manifest.version, config, configErrors: errors, configured: new Set(typeof row === 'object' && row !== null ? Object.keys(row) : []),
      endpointHealthDisabled: env.ENDPOINT_HEALTH_DISABLED === '1', zone: new Intl.DateTimeFormat().resolvedOptions().timeZone, time, random, log,
      host: port, remembered: (route) => catalog.remembered(route), forgetFacts: () => catalog.forget(),
      store, say: speaker({ en: en.host, zh: zh.host }), emit: (event, data) => ctx.emit(event, data),
      neighbours: {
        pool: () => accountPool(ctx), codeartsEntry: () => codeartsEntry(ctx), codeartsAccounts: () => codeartsAccounts(ctx),
        compactorActive: () => compactorActive(), shim,
      },
      samples,
    })
    yield () => services.drain()
    yield listen(ctx, services.hooks, learning, log)
    yield () => { shim.stop() }
    void shim.start()
    yield offerDrill(services, () => registerDrill(ctx, time, log))
    ctx.inject(['webServer'], (scope) => {
      const server = scope.get('webServer') as WebServer & { readonly port?: number }
      scope.effect(() => mountApi(server, {
        services, time, log,
        trustedHosts: () => [...config.trustedHosts, ...hostsOf(scope)],
        hostCheck: () => requestRejection(scope),
      }), 'model-failover: interface')
    })
    ctx.inject(['skills'], (scope) => {
      scope.effect(() => registerSkill(scope.get('skills') as SkillRegistry, baseUrl(ctx), log), 'model-failover: skill')
    })
    ctx.inject(['apiProxy'], (scope) => { scope.effect(() => selection.sense((session, route) => services.hooks.handPick(session, route)), 'model-failover: hand picks') })
  }, 'model-failover')
}

/** The drill provider comes and goes with its setting. */
function offerDrill({ settings }: Pick<Services, 'settings'>, register: () => () => void): () => void {
  let withdraw: (() => void) | null = null
  const follow = (wanted: boolean): void => {
    if (wanted === (withdraw !== null)) return
    withdraw?.()
    withdraw = wanted ? register() : null
  }
  follow(settings.current().drill)
  const stop = settings.onChange((now) => { follow(now.drill) })
  return () => {
    stop()
    follow(false)
  }
}

/** The host's own check of a request, where it has one. */
function requestRejection(ctx: HostContext): HostCheck | undefined {
  const connection = service<{ requestRejection: HostCheck }>(ctx, 'connection', 'requestRejection')
  return connection ? (request) => connection.requestRejection(request) : undefined
}

/** Host names the host itself is configured to trust (0.1), read fresh because its connection service comes late. */
function hostsOf(ctx: HostContext): readonly string[] {
  const connection = ctx.get('connection')
  const hosts = isRecord(connection) ? connection.trustedHosts : null
  return Array.isArray(hosts) ? hosts.filter((host) => typeof host === 'string') : []
}

/** The address agents on this machine reach the interface at; null without a web server. */
function baseUrl(ctx: HostContext): string | null {
  const server = ctx.get('webServer')
  return isRecord(server) && typeof server.port === 'number' ? `http://127.0.0.1:${server.port}` : null
}
