/**
 * Stated holds: a route or provider is barred until an instant that its upstream named, or that the class implies. One
 * hold per class and place; none shortens another. Instants are epoch ms, because an upstream speaks of wall time.
 */
import type { FailureClass } from '../contract/failure.ts'
import type { Hold } from '../contract/health.ts'
import { MAX_HOLD_MS } from './consequences.ts'

/** The list with a hold added; a hold of the same class keeps the later end of both, and no end lies over 24 h away. */
export function addHold(holds: readonly Hold[], hold: Hold, now: number): readonly Hold[] {
  const old = holds.find((one) => one.class === hold.class && one.until > now)
  const until = Math.max(old?.until ?? 0, Math.min(hold.until, now + MAX_HOLD_MS))
  if (old && until === old.until) return holds
  return [...holds.filter((one) => one.class !== hold.class && one.until > now), { ...hold, until }]
}

/** The hold that ends last, null when none stands at `now`. */
export function standingHold(holds: readonly Hold[], now: number): Hold | null {
  let last: Hold | null = null
  for (const hold of holds) if (hold.until > now && (!last || hold.until > last.until)) last = hold
  return last
}

/** The list without the holds of a class: what ended them is not their instant (new credentials, a new registry). */
export function endHolds(holds: readonly Hold[], ended: FailureClass): readonly Hold[] {
  return holds.some((hold) => hold.class === ended) ? holds.filter((hold) => hold.class !== ended) : holds
}

/**
 * A hold read from disk, or looked at again after the wall clock was set: what is left of it lies between 0 and its own
 * length, whatever the clock did meanwhile. Null = it is over.
 */
export function reclamped(hold: Hold, now: number): Hold | null {
  const length = Math.min(MAX_HOLD_MS, Math.max(0, hold.until - hold.setAt))
  const left = Math.min(hold.until - now, length)
  if (!(left > 0)) return null
  return { ...hold, setAt: Math.min(hold.setAt, now), until: now + left }
}
