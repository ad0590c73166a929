/**
 * Is it us? Transport failures of two endpoints close together mean that this machine lost its network, so they are
 * refunded and nobody is blamed until a call succeeds. Immutable; instants of the steady clock (ms).
 */
import type { Route } from '../contract/route.ts'
import type { Marked } from './ledger.ts'

export const OUTAGE_WINDOW_MS = 10_000
const DISTRUST_MS = 3_600_000
const EVIDENCE_LIMIT = 64

/** One transport failure and the mark it replaced, so that it can be taken back. */
export interface Evidence {
  readonly id: number
  readonly at: number
  readonly endpoint: string
  /** It changed a breaker, an endpoint state or a mark; most failures of a storm do not, and need not be kept. */
  readonly moved: boolean
  readonly route: Route
  readonly markBefore: Marked | null
  readonly markAfter: Marked | null
}

export interface Outage {
  /** Set while the network of this machine is held to be down. `at` = epoch ms. */
  readonly active: { readonly since: number; readonly at: number; readonly evidence: readonly Evidence[]; readonly endpoints: readonly string[] } | null
  /** What would have to be refunded. */
  readonly recent: readonly Evidence[]
  /** Last transport failure of each endpoint. */
  readonly last: ReadonlyMap<string, number>
  /** Endpoints that raised a false alarm, with the instant until which their failures prove nothing. */
  readonly distrusted: ReadonlyMap<string, number>
}

export const NO_OUTAGE: Outage = { active: null, recent: [], last: new Map(), distrusted: new Map() }

/** A transport failure. When it completes the evidence, `active` is set and holds what must be refunded. */
export function transportFailed(outage: Outage, evidence: Evidence, wall: number): Outage {
  if (outage.active) return outage
  const { endpoint, at } = evidence
  const fresh = outage.recent.length > 0 && at - (outage.recent[0]?.at ?? at) <= OUTAGE_WINDOW_MS && outage.recent.length < EVIDENCE_LIMIT
  const kept = fresh ? outage.recent : outage.recent.filter((old) => at - old.at <= OUTAGE_WINDOW_MS).slice(1 - EVIDENCE_LIMIT)
  const recent = evidence.moved ? [...kept, evidence] : kept
  const last = new Map(outage.last).set(endpoint, at)
  const trusted = (name: string): boolean => at >= (outage.distrusted.get(name) ?? Number.NEGATIVE_INFINITY)
  let second = false
  for (const [other, seen] of outage.last) second ||= other !== endpoint && at - seen <= OUTAGE_WINDOW_MS && trusted(other)
  if (!second || !trusted(endpoint)) return { ...outage, recent, last }
  return { ...outage, recent: [], last: new Map(), active: { since: at, at: wall, evidence: recent, endpoints: [...last].filter(([, seen]) => at - seen <= OUTAGE_WINDOW_MS).map(([name]) => name) } }
}

/**
 * A success anywhere: the network works. When it began so soon after the evidence that the network cannot have been
 * down, the endpoints that failed were really dead: from now on, and until they serve, they no longer raise the alarm,
 * or two dead endpoints would shield each other for ever.
 */
export function callSucceeded(outage: Outage, success: { readonly endpoint: string; readonly startedAt: number }): Outage {
  if (!outage.active && !outage.distrusted.has(success.endpoint)) return outage
  const distrusted = new Map(outage.distrusted)
  const { active } = outage
  if (active && success.startedAt - active.since <= OUTAGE_WINDOW_MS) {
    for (const endpoint of active.endpoints) distrusted.set(endpoint, active.since + DISTRUST_MS)
  }
  distrusted.delete(success.endpoint)
  return { ...outage, active: null, distrusted }
}

/** Wait before the next single probe of an outage: from 5 s, doubled, to 30 s. `tries` = probes made so far. */
export function outageProbeMs(tries: number): number {
  return Math.min(5000 * 2 ** tries, 30_000)
}
