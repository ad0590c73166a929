// The numbers of health and routing, read from the code or worked out by it.
import { readConfig } from '../../src/contract/config.ts'
import { cooldownMs } from '../../src/domain/breaker.ts'
import { AUTH_HOLD_MS, consequences, LOCAL_HOLD_MS, MAX_HOLD_MS, OPENING_WEIGHT } from '../../src/domain/consequences.ts'
import { firstProbeMs, STRUCTURAL_WINDOW_MS, SUSPECT_MS, UNPROBED_MS } from '../../src/domain/endpoint.ts'
import { HOLD_CAP_BYTES, IN_BAND_CHARS } from '../../src/domain/frames.ts'
import { OUTAGE_WINDOW_MS, outageProbeMs } from '../../src/domain/outage.ts'
import { ALWAYS_LIMIT } from '../../src/domain/patience.ts'
import { LEASE_MS } from '../../src/domain/permit.ts'
import { backoffMs, GONE_CAP_MS, PROBE_CAP_MS, PROBE_GAP_MS, PROBE_TOKENS_A_DAY, PROBES_AT_ONCE } from '../../src/domain/probe-plan.ts'
import { GRACE_MS, JUMP_MS } from '../../src/domain/suspend.ts'
import { ABANDONED_MS } from '../../src/services/concurrency.ts'
import { FORGET_MS } from '../../src/services/bindings.ts'
import { code, table } from './page.ts'

const CONFIG = readConfig({}).config
const { escapedWeight, plainWeight } = consequences({ class: 'server', scope: 'route', reset: null, rule: '', endOfLife: false }, CONFIG, 0)
const steps = (count: number, of: (n: number) => number): string => Array.from({ length: count }, (_, n) => span(of(n))).join(', ')

function span(ms: number): string {
  for (const [unit, size] of [['d', 86_400_000], ['h', 3_600_000], ['min', 60_000], ['s', 1000]] as const) if (ms >= size && ms % size === 0) return `${ms / size} ${unit}`
  return `${ms} ms`
}

type Row = readonly [what: string, value: string, key: string]

const BREAKER: readonly Row[] = [
  ['weight at which a breaker opens, within the window', `${OPENING_WEIGHT} in ${span(CONFIG.burstWindowMs)}`, 'burstWindowMs'],
  ['weight of a failure that had used up retries; of any other', `${escapedWeight}; ${plainWeight}`, 'modelCircuitThreshold'],
  ['rest after the 1st, 2nd, … opening in a row', `${steps(6, (n) => cooldownMs(n + 1, CONFIG.modelCooldownMs, 0))}; up to a tenth longer`, 'modelCooldownMs'],
  ['a trial\'s permit', span(LEASE_MS), ''],
  ['open models that open their provider, and its rest', `${CONFIG.platformCircuitThreshold}; ${span(CONFIG.platformCooldownMs)}`, 'platformCircuitThreshold platformCooldownMs'],
]

const ENDPOINT: readonly Row[] = [
  ['structural failures that make suspect; that quarantine', `${CONFIG.endpoint_suspect_threshold}; ${CONFIG.endpoint_quarantine_threshold} in ${span(STRUCTURAL_WINDOW_MS)}, or as many in a row`, 'endpoint_suspect_threshold endpoint_quarantine_threshold'],
  ['suspicion ends after a quiet', span(SUSPECT_MS), ''],
  ['a quarantine no probe could judge reads as suspicion after', span(UNPROBED_MS), ''],
  ['first probe of a quarantine', `${span(firstProbeMs(0))}–${span(firstProbeMs(1))}`, ''],
  ['wait after the 1st, 2nd, … failed probe', `${steps(4, (n) => backoffMs(n, CONFIG.endpoint_probe_interval_ms, PROBE_CAP_MS, 0))}; up to a fifth longer`, 'endpoint_probe_interval_ms'],
  ['the same for a model that is gone', steps(6, (n) => backoffMs(n, CONFIG.endpoint_probe_interval_ms, GONE_CAP_MS, 0)), ''],
  ['probes at once; distance between two; tokens per provider and day', `${PROBES_AT_ONCE}; ${span(PROBE_GAP_MS)}; ${PROBE_TOKENS_A_DAY}`, 'probeMaxTokens'],
]

const HOLDS: readonly Row[] = [
  ['longest hold, whatever is stated', span(MAX_HOLD_MS), ''],
  ['hold of a provider whose key was refused', span(AUTH_HOLD_MS), ''],
  ['hold of a model that is not available here', span(LOCAL_HOLD_MS), ''],
  ['rest of a full model', span(CONFIG.capacityCooldownMs), 'capacityCooldownMs'],
  ['distance of the two probes that clear a day mark', span(CONFIG.ledgerEvidenceGapMs), 'ledgerEvidenceGapMs'],
  ['transport failures of two endpoints within this are a local outage', span(OUTAGE_WINDOW_MS), ''],
  ['single probes during an outage, one after the other', steps(4, outageProbeMs), ''],
  ['clocks that part by more than this are a sleep; grace after it', `${span(JUMP_MS)}; ${span(GRACE_MS)}`, ''],
]

const CALLS: readonly Row[] = [
  ['other routes tried in one step', String(CONFIG.routingChainMax), 'routingChainMax'],
  ['failures after which a retry policy without an end is overruled', String(ALWAYS_LIMIT), ''],
  ['bytes the stream gate may hold; time it waits', `${HOLD_CAP_BYTES / 1024} KiB; ${span(CONFIG.streamGateTimeoutMs)}`, 'streamGateTimeoutMs'],
  ['longest answer that may be an error in disguise', `${IN_BAND_CHARS} characters`, ''],
  ['a stream nobody reads gives its slot back after', span(ABANDONED_MS), ''],
  ['a session that was not seen is forgotten after', span(FORGET_MS), ''],
]

export function numbersTable(): string {
  const keys = (names: string): string => names.split(' ').filter((name) => name !== '').map(code).join(' ')
  return table(['what', 'value', 'config key'], [...BREAKER, ...ENDPOINT, ...HOLDS, ...CALLS].map(([what, value, key]) => [what, value, keys(key)]))
}
