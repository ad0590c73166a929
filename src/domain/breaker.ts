/**
 * The circuit breaker of one route: closed with the strikes of its window, or open until an instant and half-open after
 * it. Values are immutable; all instants are those of the steady clock (ms). Permits are kept apart, see permit.ts.
 */
import type { FailureClass } from '../contract/failure.ts'
import { OPENING_WEIGHT } from './consequences.ts'

const LONGEST_COOLDOWN_MS = 900_000
/** Weights are fractions of the threshold; their sum may miss a whole number by a rounding error. */
const ROUNDING = 1e-9

/** One failure that weighs. `id` names it for a later refund. */
export interface Strike { readonly id: number; readonly at: number; readonly weight: number }

export type Breaker =
  | { readonly at: 'closed'; readonly since: number; readonly strikes: readonly Strike[]; readonly opens: number }
  | {
    readonly at: 'open'; readonly since: number; readonly until: number; readonly opens: number
    /** Class and id of the failure that opened it. */
    readonly cause: FailureClass; readonly by: number
    /** What it was before, for a refund. */
    readonly before: Breaker | null
  }

export const CLOSED: Breaker = { at: 'closed', since: Number.NEGATIVE_INFINITY, strikes: [], opens: 0 }

export interface BreakerRule { readonly windowMs: number; readonly cooldownMs: number }

/** A failure as the breaker sees it. `u` in [0, 1) lengthens the cooldown. */
export interface Blow { readonly id: number; readonly class: FailureClass; readonly weight: number; readonly startedAt: number; readonly u: number }

export function breakerState(breaker: Breaker, now: number): 'closed' | 'open' | 'half-open' {
  return breaker.at === 'closed' ? 'closed' : now < breaker.until ? 'open' : 'half-open'
}

/** The rest after the n-th opening (n from 1): doubled each time up to 15 minutes, then lengthened by at most a tenth. */
export function cooldownMs(opens: number, cooldown: number, u: number): number {
  return Math.min(cooldown * 2 ** (opens - 1), Math.max(LONGEST_COOLDOWN_MS, cooldown)) * (1 + 0.1 * u)
}

/** Sum of the strikes that still count at `now`. */
export function weightOf(breaker: Breaker, windowMs: number, now: number): number {
  if (breaker.at === 'open') return OPENING_WEIGHT
  let sum = 0
  for (const strike of breaker.strikes) if (now - strike.at < windowMs) sum += strike.weight
  return sum
}

/**
 * A failure outside a trial. It counts while the breaker is closed; a late one that began after the rest was over opens
 * it again. One that began before the current state is old news.
 */
export function strike(breaker: Breaker, blow: Blow, rule: BreakerRule, now: number): Breaker {
  if (blow.weight <= 0) return breaker
  if (breaker.at === 'open') return blow.startedAt >= breaker.until ? opened(breaker, blow, rule, now) : breaker
  if (blow.startedAt < breaker.since) return breaker
  const kept = breaker.strikes.filter((old) => now - old.at < rule.windowMs)
  const strikes = [...kept, { id: blow.id, at: now, weight: blow.weight }]
  const next: Breaker = { ...breaker, strikes }
  return weightOf(next, rule.windowMs, now) >= OPENING_WEIGHT - ROUNDING ? opened(next, blow, rule, now) : next
}

/** The holder of the permit failed: one back-off step further. An end that was set is never brought forward. */
export function trialFailed(breaker: Breaker, blow: Blow, rule: BreakerRule, now: number): Breaker {
  return blow.weight <= 0 || breaker.at === 'closed' ? breaker : opened(breaker, blow, rule, now)
}

function opened(from: Breaker, blow: Blow, rule: BreakerRule, now: number): Breaker {
  const opens = from.opens + 1
  const until = now + cooldownMs(opens, rule.cooldownMs, blow.u)
  return {
    at: 'open', since: now, opens, cause: blow.class, by: blow.id,
    until: from.at === 'open' ? Math.max(from.until, until) : until,
    before: from.at === 'open' ? { ...from, before: null } : from,
  }
}

/**
 * A success. `live` (not a probe) forgets earlier openings too; a probe keeps them, so that a route which only probes
 * like rests longer each time. `holder` = it was the trial; any other success must have begun after the opening.
 */
export function breakerSucceeded(breaker: Breaker, success: { readonly startedAt: number; readonly live: boolean; readonly holder: boolean }, now: number): Breaker {
  const stale = success.startedAt < breaker.since
  if (breaker.at === 'closed') return success.live && !stale && breaker.opens > 0 ? { ...breaker, opens: 0 } : breaker
  if (!success.holder && (stale || !success.live)) return breaker
  return { at: 'closed', since: now, strikes: [], opens: success.live ? 0 : breaker.opens }
}

/** Takes failures back that turned out to be nobody's fault. */
export function refundBreaker(breaker: Breaker, ids: ReadonlySet<number>): Breaker {
  if (breaker.at === 'open') return ids.has(breaker.by) && breaker.before ? refundBreaker(breaker.before, ids) : breaker
  const strikes = breaker.strikes.filter((old) => !ids.has(old.id))
  return strikes.length === breaker.strikes.length ? breaker : { ...breaker, strikes }
}
