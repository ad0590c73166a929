/**
 * Health of one route or endpoint: healthy, suspect or quarantined. Only structural failures worsen it and only evidence
 * improves it; time alone lets nothing out of quarantine for good. Immutable; instants of the steady clock (ms).
 */
import type { FailureClass } from '../contract/failure.ts'
import { HOUR_MS } from './beijing.ts'

export const STRUCTURAL_WINDOW_MS = 600_000
export const SUSPECT_MS = 900_000
/** A quarantine that no probe could judge for so long reads as suspect: better a try than a lockout. */
export const UNPROBED_MS = 6 * HOUR_MS

export interface Structural { readonly id: number; readonly at: number; readonly count: number }

interface Counters {
  readonly since: number
  readonly recent: readonly Structural[]
  /** Structural failures in a row, however far apart. */
  readonly run: number
  /** The failure that led here and what was before it, for a refund. */
  readonly by: number
  readonly before: Endpoint | null
}

interface Ill extends Counters {
  readonly class: FailureClass
  readonly reason: string | null
  /** Model whose call failed last: probes go to it. */
  readonly model: string
  readonly lastFailure: number
}

export type Endpoint =
  | (Counters & { readonly at: 'healthy' })
  | (Ill & { readonly at: 'suspect' })
  | (Ill & { readonly at: 'quarantined' } & Quarantine)

interface Quarantine {
  readonly lastConclusive: number | null
  /** Since when a probe could have judged it; later than `since` after a restart. */
  readonly judgedFrom: number
  /** Probes that failed, and when the first one is due. */
  readonly probes: number
  readonly probeFrom: number
}

export const HEALTHY: Endpoint = { at: 'healthy', since: Number.NEGATIVE_INFINITY, recent: [], run: 0, by: 0, before: null }

export interface EndpointRule { readonly suspect: number; readonly quarantine: number }

/** A structural failure. `count` 2 = gone for good. `u` in [0, 1) spreads the first probe. */
export interface StructuralBlow {
  readonly id: number; readonly count: number; readonly class: FailureClass; readonly reason: string | null
  readonly model: string; readonly startedAt: number; readonly u: number
}

/** Wait before the first probe of a quarantine: 15–45 s. */
export function firstProbeMs(u: number): number {
  return 15_000 + 30_000 * u
}

/** The state at `now`. Suspicion ends after a quiet quarter of an hour; a quarantine nobody could judge reads as suspicion. */
export function endpointState(endpoint: Endpoint, now: number): 'healthy' | 'suspect' | 'quarantined' {
  switch (endpoint.at) {
    case 'healthy': return 'healthy'
    case 'suspect': return now < suspectUntil(endpoint) ? 'suspect' : 'healthy'
    case 'quarantined': return now < quarantineUntil(endpoint) ? 'quarantined' : 'suspect'
  }
}

export function suspectUntil(endpoint: Endpoint & { readonly at: 'suspect' }): number {
  return Math.max(endpoint.since, endpoint.lastFailure) + SUSPECT_MS
}

export function quarantineUntil(endpoint: Endpoint & { readonly at: 'quarantined' }): number {
  return Math.max(endpoint.judgedFrom, endpoint.lastConclusive ?? endpoint.judgedFrom) + UNPROBED_MS
}

/** A structural failure of a call, live or probe. */
export function endpointFailed(endpoint: Endpoint, blow: StructuralBlow, rule: EndpointRule, now: number): Endpoint {
  const state = lapsed(endpoint, now)
  if (blow.startedAt < state.since) return state
  if (state.at === 'quarantined') {
    return { ...state, class: blow.class, reason: blow.reason, model: blow.model, lastFailure: now, lastConclusive: now }
  }
  const recent = [...state.recent.filter((old) => now - old.at < STRUCTURAL_WINDOW_MS), { id: blow.id, at: now, count: blow.count }]
  const run = state.run + blow.count
  const inWindow = recent.reduce((sum, { count }) => sum + count, 0)
  const ill = { recent, run, class: blow.class, reason: blow.reason, model: blow.model, lastFailure: now }
  const turn = { since: now, by: blow.id, before: state }
  if (inWindow >= rule.quarantine || run >= rule.quarantine) {
    return { at: 'quarantined', ...ill, ...turn, lastConclusive: null, judgedFrom: now, probes: 0, probeFrom: now + firstProbeMs(blow.u) }
  }
  if (state.at === 'suspect') return { ...state, ...ill }
  if (inWindow >= rule.suspect) return { at: 'suspect', ...ill, ...turn }
  return { ...state, recent, run }
}

/** Suspicion that has run out is health since then; what was counted stays counted. */
function lapsed(endpoint: Endpoint, now: number): Endpoint {
  if (endpoint.at !== 'suspect' || now < suspectUntil(endpoint)) return endpoint
  return { at: 'healthy', since: suspectUntil(endpoint), recent: endpoint.recent, run: endpoint.run, by: 0, before: null }
}

/** A success of a live call that began in the current state: healthy, and the run is broken. */
export function endpointServed(endpoint: Endpoint, startedAt: number, now: number): Endpoint {
  const state = lapsed(endpoint, now)
  if (startedAt < state.since) return state
  if (state.at === 'healthy') return state.run === 0 ? state : { ...state, run: 0 }
  return { ...HEALTHY, since: now }
}

/** A good probe: out of quarantine, on suspicion, with all counters at nought. Elsewhere it only breaks the run. */
export function endpointProbed(endpoint: Endpoint, startedAt: number, now: number): Endpoint {
  const state = lapsed(endpoint, now)
  if (startedAt < state.since) return state
  if (state.at !== 'quarantined') return state.run === 0 ? state : { ...state, run: 0 }
  return {
    at: 'suspect', since: now, recent: [], run: 0, by: 0, before: null,
    class: state.class, reason: state.reason, model: state.model, lastFailure: state.lastFailure,
  }
}

/** A probe that failed: in quarantine it confirms the state, if it was conclusive, and is counted. */
export function endpointProbeFailed(endpoint: Endpoint, conclusive: boolean, now: number): Endpoint {
  if (endpoint.at !== 'quarantined') return endpoint
  return { ...endpoint, probes: endpoint.probes + 1, lastConclusive: conclusive ? now : endpoint.lastConclusive }
}

/** Takes failures back that turned out to be nobody's fault. */
export function refundEndpoint(endpoint: Endpoint, ids: ReadonlySet<number>): Endpoint {
  if (endpoint.before && ids.has(endpoint.by)) return refundEndpoint(endpoint.before, ids)
  const recent = endpoint.recent.filter((old) => !ids.has(old.id))
  if (recent.length === endpoint.recent.length) return endpoint
  const taken = endpoint.recent.reduce((sum, { id, count }) => sum + (ids.has(id) ? count : 0), 0)
  return { ...endpoint, recent, run: Math.max(0, endpoint.run - taken) }
}
