/** The plugin's row config: every key with its default and range, and a reader that never throws. */
import * as z from 'zod'
import { routeSchema } from './route.ts'

const DAY_MS = 86_400_000
const duration = (fallback: number) => z.int().min(1000).max(DAY_MS).default(fallback)
const providers = (fallback: string[]) => z.array(z.string().min(1)).max(200).default(fallback)

export const DEFAULT_TRIP_CODES = ['RATE_LIMIT', 'SERVER', 'TIMEOUT', 'TRANSPORT', 'QUOTA', 'EMPTY_RESPONSE']

export const configSchema = z.strictObject({
  enabled: z.boolean().default(true).describe('Master switch; false: no listener acts, the HTTP interface and the page stay.'),
  endpointHealth: z.boolean().default(true).describe('Suspect and quarantined endpoint states; ENDPOINT_HEALTH_DISABLED=1 in the environment turns them off too.'),
  enableProbe: z.boolean().default(true).describe('Background probes of routes that are held.'),
  dataDir: z.string().min(1).optional().describe('Folder of the data files; default `$DSH_HOME/model-failover`.'),
  failResetHour: z.int().min(0).max(23).default(8).describe('Hour of Beijing time at which a usage day begins.'),
  fallbacks: z.array(routeSchema).max(100).default([]).describe('Routes for sessions without a group, in order.'),
  tripCodes: z.array(z.string().min(1)).max(100).default(DEFAULT_TRIP_CODES).describe('Host codes that weigh on the circuit breaker.'),
  modelCircuitThreshold: z.int().min(1).max(100).default(2).describe('Escaped failures that open the breaker of a model.'),
  modelCooldownMs: duration(60_000).describe('First rest of an open breaker.'),
  platformCircuitThreshold: z.int().min(1).max(100).default(2).describe('Open models of one provider that open the provider.'),
  platformCooldownMs: duration(120_000).describe('Rest of an open provider.'),
  burstWindowMs: duration(300_000).describe('Failures older than this are forgotten by the breaker.'),
  probeMaxTokens: z.int().min(1).max(256).default(8).describe('Output limit of a probe.'),
  endpoint_suspect_threshold: z.int().min(1).max(100).default(2).describe('Structural failures in 10 minutes that make a route or endpoint suspect.'),
  endpoint_quarantine_threshold: z.int().min(1).max(100).default(4).describe('The same for quarantine; not below the suspect threshold.'),
  endpoint_probe_interval_ms: duration(120_000).describe('First probe interval of a quarantined endpoint.'),
  ledgerRecovery: z.enum(['evidence', 'day']).default('evidence').describe('What clears an automatic day mark early: two good probes, or nothing but the day.'),
  ledgerEvidenceGapMs: duration(60_000).describe('Least distance of the two probes that clear a day mark.'),
  streamGateTimeoutMs: duration(30_000).describe('How long the stream gate waits for the first decisive frame.'),
  routingChainMax: z.int().min(1).max(10).default(3).describe('Other routes tried in one step.'),
  patience: z.enum(['exhaust', 'ride']).default('exhaust').describe('exhaust: the host retries first; ride: its second retry goes out on the next route.'),
  stripReasoningEffort: z.boolean().default(true).describe('Drop the reasoning effort of the session on a move unless the entry names one.'),
  notifyUser: z.boolean().default(true).describe('Show a notice when a session moves.'),
  takeOverModelSeat: z.boolean().default(true).describe('Replace the model selector of the composer.'),
  drill: z.boolean().default(false).describe('Offer the built-in provider model-failover-drill.'),
  defaultConcurrency: z.int().min(0).max(1000).default(0).describe('Concurrent calls per model without a limit of its own; 0 = no limit.'),
  concurrencyQueueTimeoutMs: z.union([z.literal(0), z.int().min(1000).max(3_600_000)]).default(180_000).describe('Longest wait for a slot; 0 = for ever.'),
  capacityCooldownMs: duration(30_000).describe('Rest of a route that is full.'),
  capacitySwitchRevertMs: z.int().min(0).max(3_600_000).default(30_000).describe('Least time away after a capacity move.'),
  ofmHandoffExcludeProviders: providers(['codearts']).describe('Providers that skip the account hand-off; [] = none.'),
  compactionGuard: z.boolean().default(true).describe('Demote providers that an active external compactor cannot see.'),
  uncompressedProviders: providers(['qoder', 'qodercn']).describe('Providers whose endpoint bypasses that compactor; [] = none.'),
  qoderShim: z.boolean().default(true).describe('Reroute qoder requests so that the compactor sees them.'),
  qoderShimRepair: z.boolean().default(false).describe('Allow writing the missing hook line into the other package (with a .bak).'),
  qoderShimPort: z.int().min(1024).max(65_535).default(47_001).describe('Loopback port of the shim.'),
  qoderShimWasmPath: z.string().min(1).optional().describe('Path of qoder-wasm.js; found by itself when absent.'),
  trustedHosts: z.array(z.string().min(1)).max(50).default([]).describe('Further Host names the HTTP interface answers to.'),
})
/** The validated row config. Durations are milliseconds. */
export type Config = Readonly<z.infer<typeof configSchema>>

/** One refused key: what was found, what would be right, and the known key it may have meant. */
export interface ConfigError {
  readonly key: string
  readonly value: string
  readonly message: string
  readonly nearest: string | null
}

/** All keys the row may hold. */
export const CONFIG_KEYS: readonly string[] = Object.keys(configSchema.shape)

/**
 * Reads a row without ever throwing. Errors empty: `config` is the row with defaults. Otherwise `config` is all
 * defaults with `enabled: false` and the plugin mounts inert. Volatile fields (objects with `get()`) are read once.
 */
export function readConfig(row: unknown): { readonly config: Config; readonly errors: readonly ConfigError[] } {
  const inert = (): Config => ({ ...configSchema.parse({}), enabled: false })
  if (row === undefined || row === null) return { config: configSchema.parse({}), errors: [] }
  if (typeof row !== 'object' || Array.isArray(row)) {
    return { config: inert(), errors: [{ key: '', value: show(row), message: 'the config must be a map of keys', nearest: null }] }
  }
  const plain = plainRow(row)
  if (plain === null) return { config: inert(), errors: [{ key: '', value: 'unreadable', message: 'the config must be a map of keys that can be read', nearest: null }] }
  const parsed = configSchema.safeParse(plain)
  const errors = parsed.success ? crossCheck(parsed.data) : parsed.error.issues.flatMap((issue) => explain(issue, plain))
  return errors.length === 0 && parsed.success ? { config: parsed.data, errors } : { config: inert(), errors }
}

/** Rules over more than one key. */
function crossCheck(config: Config): ConfigError[] {
  if (config.endpoint_quarantine_threshold >= config.endpoint_suspect_threshold) return []
  return [{
    key: 'endpoint_quarantine_threshold',
    value: show(config.endpoint_quarantine_threshold),
    message: `must be 1–100 and not below endpoint_suspect_threshold (${config.endpoint_suspect_threshold})`,
    nearest: null,
  }]
}

function explain(issue: z.core.$ZodIssue, row: Record<string, unknown>): ConfigError[] {
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
    return issue.keys.map((key) => ({ key, value: show(row[key]), message: 'unknown key', nearest: nearestKey(key) }))
  }
  const key = issue.path.map(String).join('.')
  return [{ key, value: show(dig(row, issue.path)), message: allowed(String(issue.path[0] ?? '')) ?? issue.message, nearest: null }]
}

/** The allowed values of a key in words, from the schema itself. */
export function allowed(key: string): string | null {
  const field = (configSchema.shape as Record<string, z.ZodType>)[key]
  if (!field) return null
  const json = z.toJSONSchema(field, { unrepresentable: 'any', io: 'input' }) as JsonRange
  return describeRange(json)
}

interface JsonRange {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonRange[]
  readonly items?: JsonRange
}

function describeRange(json: JsonRange): string {
  if (json.anyOf) return json.anyOf.map(describeRange).join(' or ')
  if (json.const !== undefined) return JSON.stringify(json.const)
  if (json.enum) return `must be one of ${json.enum.map(String).join(', ')}`
  if (json.type === 'integer' || json.type === 'number') return `a whole number, ${json.minimum ?? '…'}–${json.maximum ?? '…'}`
  if (json.type === 'boolean') return 'true or false'
  if (json.type === 'array') return `a list of ${json.items?.type === 'object' ? '{provider, model}' : 'texts'}`
  return 'a text that is not empty'
}

/** The known key closest to a misspelt one (edit distance, at most half its length), else null. */
export function nearestKey(key: string): string | null {
  let best: string | null = null
  let bound = Math.max(2, Math.floor(key.length / 2)) + 1
  for (const known of CONFIG_KEYS) {
    const distance = editDistance(key.toLowerCase(), known.toLowerCase())
    if (distance < bound) [best, bound] = [known, distance]
  }
  return best
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** The fields of a row, read once; null when it does not let itself be read. */
function plainRow(row: object): Record<string, unknown> | null {
  try {
    return Object.fromEntries(Object.keys(row).map((key) => [key, settle(row as Readonly<Record<string, unknown>>, key)]))
  } catch { return null /* a map that refuses to name its keys */ }
}

function settle(row: Readonly<Record<string, unknown>>, key: string): unknown {
  try {
    const value = row[key]
    return typeof value === 'object' && value !== null && 'get' in value && typeof value.get === 'function' ? (value as { get(): unknown }).get() : value
  } catch { return undefined /* an unreadable field reads as absent */ }
}

function dig(root: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = root
  for (const step of path) at = typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[step] : undefined
  return at
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : value === undefined ? 'nothing' : safeJson(value)
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}

function safeJson(value: unknown): string {
  try { return JSON.stringify(value) ?? String(value) } catch { return String(value) }
}
