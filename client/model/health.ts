/** How well the route of a session is, in one word, with the reason and the instant it may end. */
import type { FailureClass } from '../../src/contract/failure.ts'
import type { Route } from '../../src/contract/route.ts'
import type { ObstacleKind, SessionInfo, StatusReply } from '../../src/contract/status.ts'
import { sameRoute } from '../words.ts'

export interface RouteHealth {
  readonly tone: 'normal' | 'moved' | 'resting' | 'failed'
  readonly why: ObstacleKind | null
  readonly class: FailureClass | null
  /** Epoch ms; null = not ended by time. */
  readonly until: number | null
}

const WELL: RouteHealth = { tone: 'normal', why: null, class: null, until: null }

/** What the status says of one route. */
export function routeHealth(status: Pick<StatusReply, 'failed' | 'health'> | null, route: Route): RouteHealth {
  const mark = status?.failed.find((entry) => sameRoute(entry, route))
  if (mark) return { tone: 'failed', why: 'failed', class: mark.class, until: mark.until }
  const hold = status?.health.holds.find(({ provider, model }) => provider === route.provider && (!model || model === route.model))
  if (hold) return { tone: 'failed', why: 'held', class: hold.class, until: hold.until }
  const rest = status?.health.rests.find((entry) => sameRoute(entry, route))
  return rest ? { ...WELL, tone: 'resting', why: 'resting', until: rest.until } : WELL
}

/** The session's own view: a move away from home outranks what its present route is like. */
export function sessionHealth(status: StatusReply | null, info: SessionInfo | null, route: Route | null): RouteHealth {
  const away = info?.override
  if (away && !sameRoute(away, info.home)) return { tone: 'moved', why: null, class: away.class, until: away.until }
  if (!route) return WELL
  const verdict = info?.verdicts.find((entry) => sameRoute(entry.route, route))
  if (!verdict?.why || verdict.routable || ['ask', 'pinned'].includes(verdict.why)) return routeHealth(status, route)
  return { ...verdict, tone: ['failed', 'held', 'quarantined'].includes(verdict.why) ? 'failed' : 'resting' }
}
