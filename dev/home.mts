// DSH homes for the demo and the tests: the plugin installed by the official route, settings that point to the demo upstream.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stringify } from 'yaml'
import { temporaryFolder } from './lifetime.mts'
import type { DemoProvider } from './upstream/catalogue.ts'
import type { Upstream } from './upstream/index.ts'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const HOST = join(ROOT, 'node_modules/@deepseek-ai/dsh/lib/bin.js')
const KEY_VARIABLE = 'DEMO_UPSTREAM_KEY'
const run = promisify(execFile)

/** How often and how long the host itself retries; the shape of a provider's `retryPolicy`. */
export interface RetryPolicy {
  readonly mode: 'normal' | 'always'
  readonly maxRetries?: number
  readonly backoff: { readonly initialDelayMs: number; readonly maxDelayMs: number; readonly jitterRatio: number }
}

/** One quick retry: the host's own patience should not dominate a test. */
export const QUICK_RETRY: RetryPolicy = { mode: 'normal', maxRetries: 1, backoff: { initialDelayMs: 50, maxDelayMs: 500, jitterRatio: 0 } }

/** A home folder with a working folder beside it. */
export interface Home {
  /** The value of DSH_HOME. */
  readonly path: string
  /** Where the host runs and its sessions work. */
  readonly work: string
  /** Deletes both. */
  remove(): void
}

/** The environment of the host and its plugin installer: nothing of the caller's but the way to Node and pnpm. */
export function hostEnv(home: Home, extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const bin = join(ROOT, 'node_modules/.bin')
  return {
    PATH: [bin, process.env['PATH'] ?? ''].join(delimiter),
    HOME: join(home.path, '..'),
    // What the host leaves in its temporary folder goes with the home.
    TMPDIR: join(home.path, '../tmp'),
    SYSTEMROOT: process.env['SYSTEMROOT'],
    LANG: process.env['LANG'] ?? 'C.UTF-8',
    DSH_HOME: home.path,
    DSH_TELEMETRY_DISABLED: '1',
    [KEY_VARIABLE]: 'demo-key-without-value',
    ...extra,
  }
}

/** The host's command line, for one home. */
export async function dsh(home: Home, args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return run(process.execPath, [HOST, ...args], { cwd: home.work, env: hostEnv(home) })
}

/** Path of the host's entry script. */
export const hostScript = HOST

/** Builds and packs the plugin into a folder; answers the tarball's path. */
export async function packPlugin(folder: string): Promise<string> {
  const { stdout } = await run(process.execPath, [join(ROOT, 'dev/pack.mjs'), folder], { cwd: ROOT })
  return stdout.trim().split('\n').at(-1) ?? ''
}

function emptyHome(name: string): Home {
  const { path, remove } = temporaryFolder(name)
  const home = { path: join(path, 'home'), work: join(path, 'work'), remove }
  mkdirSync(home.path)
  mkdirSync(home.work)
  mkdirSync(join(path, 'tmp'))
  return home
}

/** Installs a tarball as a user would: `dsh plugin add`. */
export async function installPlugin(home: Home, tarball: string): Promise<void> {
  await dsh(home, ['plugin', '--profile', 'web', 'add', tarball])
}

/** A home with the plugin installed and nothing else; other homes are copied from it. */
export async function makeTemplate(tarball?: string): Promise<Home> {
  const home = emptyHome('template')
  await installPlugin(home, tarball ?? await packPlugin(join(home.path, '..')))
  return home
}

/** The notice and the key dialog of a first visit, answered in advance; the key dialog only asks when the official provider has none. */
const VISITED = { 'ui-onboarding': { welcomeNoticeVersion: '2026-08-13.1' } }

function settings(upstream: Upstream, options: HomeOptions): unknown {
  const common = (options.providers ?? upstream.providers).filter(({ official }) => !official)
  const official = upstream.providers.find((provider) => provider.official)
  const first = common[0]
  const patience = { streamIdleTimeoutMs: options.idleTimeoutMs ?? 3000, retryPolicy: options.retryPolicy ?? QUICK_RETRY }
  const providers = common.map((provider) => [provider.id, {
    displayName: provider.name,
    apiKeyEnv: KEY_VARIABLE,
    api: 'openai-completions',
    baseURL: `${upstream.url}/${provider.id}/v1`,
    ...patience,
    models: provider.models.map(({ efforts, ...model }) => ({ ...model, ...(efforts ? { reasoningEfforts: Object.fromEntries(efforts.map((effort) => [effort, effort])) } : {}) })),
  }])
  return {
    ...VISITED,
    'agent-default-model': options.defaultModel ?? { provider: first?.id, model: first?.models[0]?.id },
    'llm-pi-ai': { providers: Object.fromEntries(providers) },
    ...(official ? { 'llm-deepseek': { apiKeyEnv: KEY_VARIABLE, baseURL: `${upstream.url}/${official.id}`, ...patience } } : {}),
    ...options.settings,
  }
}

export interface HomeOptions {
  /** Copied from; absent = a home without the plugin. */
  readonly template?: Pick<Home, 'path'>
  /** Where the providers answer; absent = no provider is configured. */
  readonly upstream?: Upstream
  /** Providers to configure; all of the upstream's when absent. */
  readonly providers?: readonly DemoProvider[]
  readonly defaultModel?: { readonly provider: string; readonly model: string }
  /** Milliseconds without a byte after which the host gives a stream up (default 3000). */
  readonly idleTimeoutMs?: number
  readonly retryPolicy?: RetryPolicy
  /** Config of the plugin's row. */
  readonly rowConfig?: unknown
  /** More top-level keys of settings.yaml. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** Makes a home of its own, ready to boot. */
export function makeHome(options: HomeOptions): Home {
  const home = emptyHome('home')
  if (options.template) cpSync(options.template.path, home.path, { recursive: true, verbatimSymlinks: true })
  if (options.upstream) writeSettings(home, options.upstream, options)
  if (options.rowConfig !== undefined) writeRow(home, options.rowConfig)
  return home
}

/** Writes settings.yaml anew; a running host takes it over by itself. */
export function writeSettings(home: Home, upstream: Upstream, options: HomeOptions = {}): void {
  writeFileSync(join(home.path, 'settings.yaml'), stringify(settings(upstream, options)))
}

/** Replaces the whole config of the plugin's row by a patch of the home. */
export function writeRow(home: Home, config: unknown): void {
  writeFileSync(join(home.path, 'cordis.patch.yml'), stringify([{ id: 'model-failover', name: 'dsh-plugin-model-failover', config }]))
}
