/** When a failure is taken over before the host's own retry policy has had its say. */
import type { FailureClass } from '../contract/failure.ts'

/** A retry of the same route cannot cure these: the answer will be the same. */
const INCURABLE: ReadonlySet<FailureClass> = new Set(['quota', 'auth', 'forbidden', 'model_not_found', 'upstream_unavailable', 'local'])

/** These say something about this request, not about the route. */
const REJECTIONS: ReadonlySet<FailureClass> = new Set(['context_too_long', 'invalid_request', 'unsupported_modality', 'content_filter'])

/** Failures of one route in one step after which a policy that never gives up is overruled. */
export const ALWAYS_LIMIT = 3

export type Patience =
  /** Decide now, without asking the inner policies. */
  | 'at-once'
  /** Ask them; decide only if they decline. */
  | 'host-first'
  /** Ask them, but send the retry they grant on the next route. */
  | 'ride'

export interface PatienceFacts {
  readonly class: FailureClass
  /** The policy that served the request would retry this host code by itself. */
  readonly hostRetries: boolean
  readonly mode: 'normal' | 'always'
  /** The route is hard-held by now, or its breaker is open. */
  readonly held: boolean
  /** Failures of this route in this step, this one included. */
  readonly failures: number
  readonly patience: 'exhaust' | 'ride'
}

/** True for a class that speaks of the request alone. */
export function isRejection(failure: FailureClass): boolean {
  return REJECTIONS.has(failure)
}

/**
 * The inner policies speak first, except where their word is known to be useless: the class is incurable but they would
 * retry it; the route is held by now; a stall, whose every retry costs a whole idle timeout; or a policy without an end
 * after three failures. An overflow is always the host's first, because its compaction is one of those policies; only a
 * policy without an end, which repeats it whether compacted or not, is overruled in the end.
 */
export function patienceFor(facts: PatienceFacts): Patience {
  const endless = facts.mode === 'always'
  if (facts.class === 'context_too_long') return endless && facts.failures >= ALWAYS_LIMIT ? 'at-once' : 'host-first'
  if (endless) {
    const useless = INCURABLE.has(facts.class) || isRejection(facts.class) || facts.class === 'timeout'
    return facts.failures >= ALWAYS_LIMIT || facts.held || useless ? 'at-once' : 'host-first'
  }
  if (facts.held && facts.hostRetries) return 'at-once'
  if (facts.hostRetries && (INCURABLE.has(facts.class) || facts.class === 'timeout')) return 'at-once'
  if (facts.patience === 'ride' && facts.hostRetries && facts.failures >= 2) return 'ride'
  return 'host-first'
}
