/** How well the route of a session is, in one word, with the reason and the instant it may end. */
import type { FailureClass } from '../../src/contract/failure.ts'
import type { Route } from '../../src/contract/route.ts'
import type { ObstacleKind, SessionInfo, StatusReply } from '../../src/contract/status.ts'
import { sameRoute } from '../words.ts'

export type Tone = 'normal' | 'moved' | 'resting' | 'failed'

export interface RouteHealth {
  readonly tone: Tone
  readonly why: ObstacleKind | null
  readonly class: FailureClass | null
  /** Epoch ms; null = not ended by time. */
  readonly until: number | null
}

const WELL: RouteHealth = { tone: 'normal', why: null, class: null, until: null }

/** What the status says of one route, the worst first. */
export function routeHealth(status: Pick<StatusReply, 'failed' | 'health'> | null, route: Route, now: number): RouteHealth {
  if (status === null) return WELL
  const mark = status.failed.find((entry) => sameRoute(entry, route))
  if (mark) return { tone: 'failed', why: 'failed', class: mark.class, until: mark.until }
  const { holds, endpoints, rests, breakers } = status.health
  const hold = holds.find(({ provider, model, until }) => provider === route.provider && (model === null || model === route.model) && until > now)
  if (hold) return { tone: 'failed', why: 'held', class: hold.class, until: hold.until }
  const endpoint = endpoints.find(({ provider, model, state }) => state === 'quarantined' && provider === route.provider && (model === null || model === route.model))
  if (endpoint) return { tone: 'failed', why: 'quarantined', class: endpoint.class, until: endpoint.nextProbeAt }
  const rest = rests.find((entry) => sameRoute(entry, route) && entry.until > now)
  if (rest) return { tone: 'resting', why: 'resting', class: null, until: rest.until }
  const breaker = breakers.find(({ provider, model, state }) => state !== 'trial' && provider === route.provider && (model === null || model === route.model))
  return breaker ? { tone: 'resting', why: 'open', class: null, until: breaker.until } : WELL
}

/** The session's own view: a move away from home outranks what its present route is like. */
export function sessionHealth(status: StatusReply | null, info: SessionInfo | null, route: Route | null, now: number): RouteHealth {
  if (info?.override && !sameRoute(info.override, info.home)) return { tone: 'moved', why: null, class: info.override.class, until: info.override.until }
  if (route === null) return WELL
  const verdict = info?.verdicts.find((entry) => sameRoute(entry.route, route))
  if (verdict && !verdict.routable && verdict.why !== 'ask' && verdict.why !== 'pinned') return { tone: verdict.why === 'failed' || verdict.why === 'held' || verdict.why === 'quarantined' ? 'failed' : 'resting', why: verdict.why, class: verdict.class, until: verdict.until }
  return routeHealth(status, route, now)
}
