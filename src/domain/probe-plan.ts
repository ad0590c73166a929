/**
 * When a background probe of a route is due. One schedule per route serves all of its holds: each hold says from when a
 * probe may help it, the back-off after a failed probe binds them all, and some holds forbid probing. Pure.
 */
import type { FailureClass } from '../contract/failure.ts'
import type { Route } from '../contract/route.ts'
import { HOUR_MS } from './beijing.ts'
import { breakerState } from './breaker.ts'
import type { Endpoint } from './endpoint.ts'
import { standingHold } from './holds.ts'
import { evidenceFrom, probesMayClear, standingMark, type Moment } from './ledger.ts'
import { isResting } from './rest.ts'
import type { ProviderState, RouteState } from './health.ts'

export const GONE_CAP_MS = HOUR_MS
export const PROBE_CAP_MS = 900_000
/** Probes start at least so far apart. */
export const PROBE_GAP_MS = 1000
export const PROBES_AT_ONCE = 2
/** Tokens a provider may spend on probes in a Beijing day. */
export const PROBE_TOKENS_A_DAY = 2000

export type Served = 'ledger' | 'quarantine' | 'breaker'

/** A route that a probe may help. `from` = first instant of use (steady clock, ms); the back-off comes on top. */
export interface ProbeNeed {
  readonly route: Route
  readonly serves: readonly Served[]
  readonly from: number
  readonly capMs: number
  /** Probes of the quarantine that failed before, also before a restart. */
  readonly failed: number
}

export interface ProbeRule { readonly evidence: boolean; readonly evidenceGapMs: number; readonly endpointHealth: boolean }

/** Wait after the n-th failed probe in a row (n from 0): doubled up to the cap, then lengthened by at most a fifth. */
export function backoffMs(n: number, intervalMs: number, capMs: number, u: number): number {
  return Math.min(intervalMs * 2 ** n, capMs) * (1 + 0.2 * u)
}

/** What a route needs of probes now; null when nothing, or when probing it is forbidden. */
export function probeNeed(provider: ProviderState, route: RouteState, rule: ProbeRule, { now, mono }: Moment): ProbeNeed | null {
  const marked = route.marked && standingMark(route.marked, now)
  if (marked && !probesMayClear(marked.mark)) return null
  const from: [Served, number][] = []
  if (marked && rule.evidence) from.push(['ledger', evidenceFrom(marked, rule.evidenceGapMs)])
  const ill = rule.endpointHealth ? quarantines(provider, route) : []
  for (const { probeFrom } of ill) from.push(['quarantine', probeFrom])
  if (route.breaker.at === 'open') from.push(['breaker', route.breaker.until])
  if (from.length === 0) return null
  const classes = [marked?.mark.class, ...ill.map((one) => one.class), route.breaker.at === 'open' ? route.breaker.cause : null]
  return {
    route: route.route,
    serves: [...new Set(from.map(([hold]) => hold))],
    from: Math.max(Math.min(...from.map(([, at]) => at)), barredUntil(provider, route, now, mono)),
    capMs: classes.some((one) => one === 'model_not_found' || one === 'upstream_unavailable') ? GONE_CAP_MS : PROBE_CAP_MS,
    failed: Math.max(0, ...ill.map((one) => one.probes)),
  }
}

/** The quarantines a probe of this route speaks for: its own, and that of its endpoint if this route failed there last. */
function quarantines(provider: ProviderState, route: RouteState): (Endpoint & { readonly at: 'quarantined' })[] {
  const both = [route.endpoint, provider.endpoint.at === 'quarantined' && provider.endpoint.model === route.route.model ? provider.endpoint : null]
  return both.filter((one) => one?.at === 'quarantined')
}

/** While a stated hold or a rest stands, its end is known and asking earlier would only annoy. Steady clock. */
function barredUntil(provider: ProviderState, route: RouteState, now: number, mono: number): number {
  const ends = [standingHold(provider.holds, now), standingHold(route.holds, now)].map((hold) => (hold ? mono + hold.until - now : Number.NEGATIVE_INFINITY))
  if (isResting(route.restUntil, mono)) ends.push(route.restUntil)
  return Math.max(...ends)
}

/** Whether a trial permit is needed to call the route: its breaker is not closed, or its provider is open. */
export function needsPermit(provider: ProviderState, route: RouteState | undefined, mono: number): boolean {
  return (route !== undefined && breakerState(route.breaker, mono) !== 'closed') || (provider.open !== null && mono < provider.open.until)
}

/** True for classes whose answer to a probe says nothing about the route: the request itself was at fault. */
export function isInconclusive(failure: FailureClass): boolean {
  return failure === 'context_too_long' || failure === 'invalid_request' || failure === 'unsupported_modality' || failure === 'content_filter' || failure === 'cancelled'
}
