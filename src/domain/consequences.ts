/**
 * What each class of failure moves, as one table: breaker, endpoint health, holds, day mark, and where the work goes on.
 * The health service applies it; the explain page shows it.
 */
import { DEFAULT_TRIP_CODES, type Config } from '../contract/config.ts'
import type { FailureClass } from '../contract/failure.ts'
import { DAY_MS } from './beijing.ts'
import type { Judgement } from './view.ts'

/** Weight inside the burst window at which a breaker opens. */
export const OPENING_WEIGHT = 3
/** No hold is longer, whatever an upstream states. */
export const MAX_HOLD_MS = DAY_MS
export const AUTH_HOLD_MS = 300_000
export const LOCAL_HOLD_MS = 300_000

/** Where the work goes on after a failure of this class. */
export type Move = 'no' | 'larger-window' | 'yes' | 'come-home' | 'other-endpoint'

/** One row. `holdMs` = hold where nothing is stated, null = none; `hold` = what a hold covers. */
export interface ClassRule {
  readonly breaker: boolean
  readonly structural: 'route' | 'endpoint' | null
  /** `request`: only this request is barred. `rest`: the soft rest of a full route. `judged`: provider if the judgement says so. */
  readonly hold: 'none' | 'request' | 'rest' | 'route' | 'provider' | 'judged'
  readonly holdMs: number | null
  /** `final`: once no retry follows. `escaped`: only if retries had been used up as well. */
  readonly mark: 'never' | 'final' | 'escaped'
  /** A background probe may find out whether the route serves again. */
  readonly probed: boolean
  readonly move: Move
}

const request: ClassRule = { breaker: false, structural: null, hold: 'request', holdMs: null, mark: 'never', probed: false, move: 'yes' }
const fault: ClassRule = { breaker: true, structural: null, hold: 'route', holdMs: null, mark: 'final', probed: true, move: 'yes' }

export const CLASS_RULES: Readonly<Record<FailureClass, ClassRule>> = {
  cancelled: { ...request, hold: 'none', move: 'no' },
  context_too_long: { ...request, move: 'larger-window' },
  invalid_request: request,
  unsupported_modality: request,
  content_filter: request,
  capacity: { breaker: false, structural: null, hold: 'rest', holdMs: null, mark: 'never', probed: false, move: 'come-home' },
  rate_limit: { ...fault, mark: 'escaped' },
  quota: { ...fault, breaker: false, hold: 'judged', probed: false },
  auth: { ...fault, breaker: false, hold: 'provider', holdMs: AUTH_HOLD_MS, probed: false },
  forbidden: { ...fault, breaker: false, holdMs: MAX_HOLD_MS, mark: 'never', probed: false },
  model_not_found: { ...fault, structural: 'route' },
  upstream_unavailable: { ...fault, structural: 'route' },
  transport: { ...fault, structural: 'endpoint', move: 'other-endpoint' },
  server: fault,
  timeout: fault,
  empty_response: fault,
  bad_output: fault,
  local: { ...fault, breaker: false, holdMs: LOCAL_HOLD_MS, mark: 'never', probed: false },
  unknown: fault,
}

/** The part of the row config that consequences read. */
export type ConsequenceConfig = Pick<Config, 'tripCodes' | 'modelCircuitThreshold' | 'capacityCooldownMs' | 'endpointHealth'>

/** Everything one failure would move. Instants are epoch ms. */
export interface Consequences {
  /** Weight of a failure that had used up retries, and of any other; {@link OPENING_WEIGHT} opens. 0 = none. */
  readonly escapedWeight: number
  readonly plainWeight: number
  /** Structural failures it counts for on the route or its endpoint. */
  readonly structural: number
  readonly structuralScope: 'route' | 'endpoint' | null
  /** `stated`: the upstream named the end, so nothing else remembers this failure. */
  readonly hold: { readonly scope: 'route' | 'provider'; readonly until: number; readonly stated: boolean } | null
  readonly restUntil: number | null
  readonly mark: ClassRule['mark']
  /** Only this request is barred from the route. */
  readonly rejection: boolean
  readonly move: Move
}

/**
 * What a failure moves under this configuration. A stated reset is the memory of its failure: it becomes a hold, adds no
 * breaker weight and no day mark. A host code weighs unless it was taken out of `tripCodes`; codes outside the host's
 * own list always weigh.
 */
export function consequences(judgement: Judgement & { readonly code?: string | null }, config: ConsequenceConfig, now: number): Consequences {
  const rule = CLASS_RULES[judgement.class]
  const stated = rule.hold !== 'none' && rule.hold !== 'request' && judgement.reset !== null && judgement.reset > now
    ? Math.min(judgement.reset, now + MAX_HOLD_MS)
    : null
  const weighs = rule.breaker && stated === null && codeTrips(judgement.code ?? null, config.tripCodes)
  const escapedWeight = weighs ? OPENING_WEIGHT / config.modelCircuitThreshold : 0
  return {
    escapedWeight,
    plainWeight: Math.min(escapedWeight, 1),
    structural: rule.structural && config.endpointHealth ? (judgement.endOfLife ? 2 : 1) : 0,
    structuralScope: config.endpointHealth ? rule.structural : null,
    hold: holdOf(rule, judgement, stated, now),
    restUntil: rule.hold === 'rest' ? stated ?? now + config.capacityCooldownMs : null,
    mark: stated === null ? rule.mark : 'never',
    rejection: rule.hold === 'request',
    move: rule.move,
  }
}

function holdOf(rule: ClassRule, judgement: Judgement, stated: number | null, now: number): Consequences['hold'] {
  if (rule.hold === 'none' || rule.hold === 'request' || rule.hold === 'rest') return null
  const until = stated ?? (rule.holdMs === null ? null : now + rule.holdMs)
  if (until === null) return null
  const provider = rule.hold === 'provider' || (rule.hold === 'judged' && judgement.scope === 'provider')
  return { scope: provider ? 'provider' : 'route', until, stated: stated !== null }
}

function codeTrips(code: string | null, tripCodes: readonly string[]): boolean {
  return code === null || !DEFAULT_TRIP_CODES.includes(code) || tripCodes.includes(code)
}
