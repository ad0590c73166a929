/** The stage of a soak: upstream, home and host, with everything that watches them; taken down whole, and looked at once more then. */
import { existsSync } from 'node:fs'
import { addEar, type Ear } from '../../dev/ear.mts'
import { makeHome, makeTemplate, type Home } from '../../dev/home.mts'
import { bootHost, type Host } from '../../dev/host.mts'
import { startUpstream, type Call, type Upstream } from '../../dev/upstream/index.ts'
import { INSPECTED, INSPECTOR_TALK, openGauge, type Gauge } from './gauge.ts'
import { watchTurns, type Turns } from './turns.ts'
import { SOAK_PROVIDERS, SOAK_ROUTES } from './weather.ts'

/** Minutes become seconds, so that everything a day brings comes round within a soak. */
const ROW = {
  ledgerEvidenceGapMs: 1000, endpoint_probe_interval_ms: 1000, modelCooldownMs: 2000, platformCooldownMs: 3000, burstWindowMs: 20_000,
  capacityCooldownMs: 2000, capacitySwitchRevertMs: 1000, streamGateTimeoutMs: 5000,
}
/** The host must be gone by then, whatever is going on; generous, because sixteen turns under way have their logs written first. */
const STOP_MS = 5000

/** Calls the upstream got: of conversations, those of them it let fail, probes, and titles and the like. */
export interface Costs { calls: number; wasted: number; probes: number; other: number }

export interface Stage {
  readonly upstream: Upstream
  readonly host: Host
  readonly turns: Turns
  readonly gauge: Gauge
  readonly ear: Ear
  /** Null without the plugin. */
  readonly groupId: string | null
  /** Counts the calls since the last time and forgets them. */
  harvest(): Costs
  /** Ends everything. Answers how long the host took and what it left that it should not. */
  close(): Promise<{ readonly stopMs: number; readonly problems: readonly string[]; readonly unhandled: number }>
}

async function makeGroup(host: Host): Promise<string> {
  const { body } = await host.api('/groups', { body: { name: 'Soak', models: SOAK_ROUTES.map((route, index) => ({ ...route, priority: index + 1 })) } })
  const id = (body as { readonly group?: { readonly id: string } }).group?.id
  if (id === undefined) throw new Error(`no group: ${JSON.stringify(body)}`)
  await host.api('/default-group', { body: { groupId: id, mode: 'failover' } })
  return id
}

async function homeFor(upstream: Upstream, plugin: boolean, tarball: string | null): Promise<Home> {
  if (!plugin) return makeHome({ upstream })
  const template = await makeTemplate(tarball ?? undefined)
  const home = makeHome({ template, upstream, rowConfig: ROW })
  template.remove()
  return home
}

/** Why people of ours wrote to the log or the error stream; nothing is expected to. */
function complaints(ear: Ear, stderr: string): string[] {
  return [
    ...ear.ours('error').slice(0, 20).map((line) => `an error in the log: ${line}`),
    ...(stderr === '' ? [] : [`the host wrote to its error stream: ${stderr.slice(0, 2000)}`]),
  ]
}

export async function openStage({ plugin, tarball }: { readonly plugin: boolean; readonly tarball: string | null }): Promise<Stage> {
  const upstream = await startUpstream({ providers: SOAK_PROVIDERS })
  const home = await homeFor(upstream, plugin, tarball)
  const ear = addEar(home)
  const host = await bootHost({ home, env: INSPECTED, plugin })
  host.feed.close()
  const [turns, gauge, groupId] = await Promise.all([watchTurns(host.url), openGauge(host), plugin ? makeGroup(host) : null])
  const costs: Costs = { calls: 0, wasted: 0, probes: 0, other: 0 }
  return {
    upstream, host, turns, gauge, ear, groupId,
    harvest() {
      for (const { purpose, fault } of (upstream.log as Call[]).splice(0)) {
        if (purpose === 'other') costs.probes += 1
        else if (purpose !== 'chat') costs.other += 1
        else {
          costs.calls += 1
          if (!['ok', 'slow', 'tool-call'].includes(fault)) costs.wasted += 1
        }
      }
      return costs
    },
    async close() {
      gauge.close()
      turns.close()
      const stopping = Date.now()
      const exitCode = await host.stop()
      const stopMs = Date.now() - stopping
      await upstream.close()
      const stderr = host.stderr().replaceAll(INSPECTOR_TALK, '').trim()
      const problems = [
        ...(exitCode === 0 ? [] : [`the host ended with ${exitCode}`]),
        ...(stopMs <= STOP_MS ? [] : [`the host took ${stopMs} ms to end`]),
        ...complaints(ear, stderr),
      ]
      home.remove()
      if (existsSync(home.path)) problems.push('the home is still there')
      return { stopMs, problems, unhandled: (stderr.match(/unhandled/gi) ?? []).length }
    },
  }
}
