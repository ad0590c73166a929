/**
 * Is it us? Transport failures of two endpoints close together mean that this machine lost its network, so they are
 * refunded and nobody is blamed until a call succeeds. Immutable; instants of the steady clock (ms).
 */
import type { Route } from '../contract/route.ts'
import type { Marked } from './ledger.ts'

export const OUTAGE_WINDOW_MS = 10_000
const DISTRUST_MS = 3_600_000
const EVIDENCE_LIMIT = 256

/** One transport failure and the mark it replaced, so that it can be taken back. */
export interface Evidence {
  readonly id: number
  readonly at: number
  readonly endpoint: string
  readonly route: Route
  readonly markBefore: Marked | null
  readonly markAfter: Marked | null
}

export interface Outage {
  /** Set while the network of this machine is held to be down. `at` = epoch ms. */
  readonly active: { readonly since: number; readonly at: number; readonly evidence: readonly Evidence[] } | null
  readonly recent: readonly Evidence[]
  /** Endpoints that raised a false alarm, with the instant until which their failures prove nothing. */
  readonly distrusted: ReadonlyMap<string, number>
}

export const NO_OUTAGE: Outage = { active: null, recent: [], distrusted: new Map() }

/** A transport failure. When it completes the evidence, `active` is set and holds what must be refunded. */
export function transportFailed(outage: Outage, evidence: Evidence, wall: number): Outage {
  if (outage.active) return outage
  const recent = [...outage.recent.filter((old) => evidence.at - old.at <= OUTAGE_WINDOW_MS).slice(1 - EVIDENCE_LIMIT), evidence]
  const trusted = (one: Evidence): boolean => evidence.at >= (outage.distrusted.get(one.endpoint) ?? Number.NEGATIVE_INFINITY)
  const first = recent.find(trusted)
  const second = first && recent.some((one) => trusted(one) && one.endpoint !== first.endpoint)
  return second ? { ...outage, recent: [], active: { since: evidence.at, at: wall, evidence: recent } } : { ...outage, recent }
}

/**
 * A success anywhere: the network works. When it began so soon after the evidence that the network cannot have been
 * down, the endpoints that failed were really dead: from now on, and until they serve, they no longer raise the alarm,
 * or two dead endpoints would shield each other for ever.
 */
export function callSucceeded(outage: Outage, success: { readonly endpoint: string; readonly startedAt: number }): Outage {
  if (!outage.active && !outage.distrusted.has(success.endpoint)) return outage
  const distrusted = new Map(outage.distrusted)
  const last = outage.active?.evidence.at(-1)
  if (outage.active && last && success.startedAt - last.at <= OUTAGE_WINDOW_MS) {
    for (const { endpoint } of outage.active.evidence) distrusted.set(endpoint, last.at + DISTRUST_MS)
  }
  distrusted.delete(success.endpoint)
  return { active: null, recent: outage.active ? [] : outage.recent, distrusted }
}

/** Wait before the next single probe of an outage: from 5 s, doubled, to 30 s. `tries` = probes made so far. */
export function outageProbeMs(tries: number): number {
  return Math.min(5000 * 2 ** tries, 30_000)
}
