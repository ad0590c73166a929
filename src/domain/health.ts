/**
 * All holds of a route and of its provider side by side, and the two questions routing asks of them. The holds are
 * independent: the hard one that ends last bars the route, the worst soft one gives its tier. Reads only.
 */
import type { FailureClass } from '../contract/failure.ts'
import type { Hold } from '../contract/health.ts'
import type { Route } from '../contract/route.ts'
import type { ProviderOpen } from './breaker-provider.ts'
import { breakerState, CLOSED, type Breaker } from './breaker.ts'
import { endpointState, HEALTHY, quarantineUntil, suspectUntil, type Endpoint } from './endpoint.ts'
import { standingHold } from './holds.ts'
import { standingMark, type Marked } from './ledger.ts'
import { liveLease, type Lease } from './permit.ts'
import { isResting, NO_REST } from './rest.ts'
import type { HardHold, SoftState } from './view.ts'

/** What is remembered of one route. Replaced field by field by its one owner. */
export interface RouteState {
  readonly route: Route
  breaker: Breaker
  lease: Lease | null
  endpoint: Endpoint
  holds: readonly Hold[]
  /** End of the capacity rest, steady clock. */
  restUntil: number
  marked: Marked | null
  /** Since when the ledger has said what it says of this route, steady clock: older failures no longer mark it. */
  ledgerSince: number
}

/** What is remembered of one provider. `endpointId` is the base-URL hash all its endpoint states belong to. */
export interface ProviderState {
  readonly provider: string
  endpointId: string
  endpoint: Endpoint
  open: ProviderOpen | null
  holds: readonly Hold[]
  readonly routes: Map<string, RouteState>
}

export function freshRoute(route: Route): RouteState {
  return {
    route: { provider: route.provider, model: route.model },
    breaker: CLOSED, lease: null, endpoint: HEALTHY, holds: [], restUntil: NO_REST, marked: null, ledgerSince: Number.NEGATIVE_INFINITY,
  }
}

export function freshProvider(provider: string, endpointId: string): ProviderState {
  return { provider, endpointId, endpoint: HEALTHY, open: null, holds: [], routes: new Map() }
}

/** A state in which nothing lasts. Shared, so that asking about a healthy route allocates nothing. */
export const AT_REST: SoftState = Object.freeze({ tier: 0, why: null, until: null })

/**
 * The hard hold that ends last, null when none stands; `ledger` false leaves the day mark out, which bars a route inside
 * groups only. `at.now` epoch ms; `at.offset` = wall minus steady clock.
 */
export function hardHold(provider: ProviderState, route: RouteState | undefined, at: { readonly now: number; readonly offset: number }, ledger = true): HardHold | null {
  const { now, offset } = at
  let last = provider.holds.length === 0 ? null : stated(provider.holds, now)
  if (provider.endpoint.at === 'quarantined') last = later(last, quarantine(provider.endpoint, now, offset))
  if (!route) return last
  if (route.holds.length > 0) last = later(last, stated(route.holds, now))
  if (route.endpoint.at === 'quarantined') last = later(last, quarantine(route.endpoint, now, offset))
  const marked = ledger && route.marked && standingMark(route.marked, now)
  if (marked) last = later(last, { why: 'failed', class: marked.mark.class, until: marked.day.to })
  return last
}

function stated(holds: readonly Hold[], now: number): HardHold | null {
  const hold = standingHold(holds, now)
  return hold && { why: 'held', class: hold.class, until: hold.until }
}

function quarantine(endpoint: Endpoint & { readonly at: 'quarantined' }, now: number, offset: number): HardHold | null {
  const until = quarantineUntil(endpoint) + offset
  return now < until ? { why: 'quarantined', class: endpoint.class, until } : null
}

function later(a: HardHold | null, b: HardHold | null): HardHold | null {
  if (!a || !b) return a ?? b
  return (b.until ?? Number.POSITIVE_INFINITY) > (a.until ?? Number.POSITIVE_INFINITY) ? b : a
}

/** The worst soft state. Its `until` is the first instant at which the clock alone changes the tier. */
export function softState(provider: ProviderState, route: RouteState | undefined, now: number, offset: number): SoftState {
  const mono = now - offset
  const openEnd = openUntil(provider, route, mono)
  const lease = route ? liveLease(route.lease, mono) : null
  if (openEnd !== null) return { tier: 4, why: lease ? 'trial' : 'open', until: (lease?.until ?? openEnd) + offset }
  if (route && isResting(route.restUntil, mono)) return { tier: 3, why: 'resting', until: route.restUntil + offset }
  if (route && route.breaker.at === 'open') return { tier: 2, why: lease ? 'trial' : 'open', until: lease ? lease.until + offset : null }
  return suspicion(provider, route, mono, offset) ?? AT_REST
}

/** End of what puts the route in the last tier, null when nothing does. */
function openUntil(provider: ProviderState, route: RouteState | undefined, mono: number): number | null {
  const own = route && breakerState(route.breaker, mono) === 'open' && route.breaker.at === 'open' ? route.breaker.until : null
  const all = provider.open && mono < provider.open.until ? provider.open.until : null
  return own === null ? all : Math.max(own, all ?? own)
}

function suspicion(provider: ProviderState, route: RouteState | undefined, mono: number, offset: number): SoftState | null {
  const whole = suspectEnd(provider.endpoint, mono)
  const own = route ? suspectEnd(route.endpoint, mono) : null
  if (whole === null && own === null) return null
  const end = Math.max(whole ?? 0, own ?? 0)
  return { tier: 1, why: 'suspect', until: end === Number.POSITIVE_INFINITY ? null : end + offset }
}

/** End of a suspicion, Infinity when only evidence ends it, null when there is none. */
function suspectEnd(endpoint: Endpoint, mono: number): number | null {
  if (endpoint.at === 'healthy' || endpointState(endpoint, mono) !== 'suspect') return null
  return endpoint.at === 'suspect' ? suspectUntil(endpoint) : Number.POSITIVE_INFINITY
}

/** The failure classes behind the models of a provider whose breakers are open at `mono`. */
export function openCauses(provider: ProviderState, mono: number): FailureClass[] {
  const causes: FailureClass[] = []
  for (const { breaker } of provider.routes.values()) {
    if (breaker.at === 'open' && mono < breaker.until) causes.push(breaker.cause)
  }
  return causes
}

/** Whether any model of the provider is not closed. */
export function anyOpen(provider: ProviderState): boolean {
  for (const { breaker } of provider.routes.values()) if (breaker.at === 'open') return true
  return false
}
