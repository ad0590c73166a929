/** How a route that a session already has to do with (its home, or where it runs) stands now, and whether it may return there. */
import type { Override } from '../contract/group.ts'
import type { Route } from '../contract/route.ts'
import type { ObstacleKind } from '../contract/status.ts'
import { PASSES, type Place } from './pick.ts'
import { needsPermit, routeStanding, seatOf, trialOut, type Plan, type Standing } from './plan.ts'
import { consentTo, sessionObstacle, type Scene } from './scene.ts'
import type { HardHold, Permit, SoftState } from './view.ts'

/**
 * `place` = where a pick would try it, null if it must not be used; `serves` = it works, nothing better is looked for;
 * `why` and `until` = what speaks against it and when that ends by time.
 */
export interface Stand {
  readonly barred: HardHold | null
  readonly soft: SoftState
  readonly place: Place | null
  readonly serves: boolean
  readonly why: ObstacleKind | null
  readonly until: number | null
}

/**
 * What for: `home` = it is home and the session is there; `away` = a move put the session there, which consent must
 * still cover; `returning` = it is home and the session is elsewhere, so its history must fit.
 */
export type Purpose = 'home' | 'away' | 'returning'

/**
 * The stand of a route. As an entry of `plan` it also obeys its switch, hours and last day; a route outside is the
 * user's own and obeys health alone. A session is never moved off a route for what its history would not fit.
 */
export function standOf(scene: Scene, plan: Plan | null, route: Route, purpose: Purpose): Stand {
  const standing = standingOf(scene, plan, route, purpose)
  const barred = standing.barred ?? (purpose === 'returning' ? sessionObstacle(scene, route) : unknown(scene, route))
  const { soft } = standing
  if (barred) return { barred, soft, place: null, serves: false, why: barred.why, until: barred.until }
  const place = trialOut(soft) ? null : { tier: seatOf(soft.tier, scene.rules.probesOn), behind: false, until: soft.until }
  return { barred: null, soft, place, serves: soft.tier <= 1, why: soft.why, until: soft.until }
}

/** A route that stands in several groups, or is a fallback too, is judged by the first place that admits it. */
function standingOf(scene: Scene, plan: Plan | null, route: Route, purpose: Purpose): Standing {
  const places = plan?.places(route) ?? []
  if (!plan || places.length === 0) return routeStanding(route, scene.health, scene.now)
  const standings = places.map((at) => consented(scene, plan, at, purpose))
  return standings.find((each) => !each.barred) ?? standings[0] ?? routeStanding(route, scene.health, scene.now)
}

function consented(scene: Scene, plan: Plan, at: number, purpose: Purpose): Standing {
  const standing = plan.standing(at, scene.health, scene.now)
  const entry = plan.options[at]?.entry
  if (purpose !== 'away' || standing.barred || !entry?.ask || consentTo(scene)(entry)) return standing
  return { ...standing, barred: { why: 'ask', class: null, until: null } }
}

function unknown(scene: Scene, route: Route): HardHold | null {
  return scene.facts(route) === null ? { why: 'unknown-model', class: null, until: null } : null
}

/** The permit a request on this route needs, if it needs one and it can be had. */
export function permitFor(scene: Scene, route: Route, soft: SoftState): Permit | null {
  return needsPermit(soft) && !trialOut(soft) ? (scene.lease?.(route) ?? null) : null
}

/** True when a pick would try `a` before `b`. */
export function isBefore(a: Place, b: Place): boolean {
  const passOf = (place: Place): number => PASSES.findIndex(([tier, behind]) => tier === place.tier && behind === place.behind)
  const far = Number.POSITIVE_INFINITY
  return passOf(a) < passOf(b) || (a.tier === 4 && passOf(a) === passOf(b) && (a.until ?? far) < (b.until ?? far))
}

/**
 * `ready` with the permit the first request home needs, if any. `place` = where home stands among the last resorts if
 * the session cannot stay where it is.
 */
export interface Homecoming { readonly ready: boolean; readonly permit: Permit | null; readonly stand: Stand; readonly place: Place | null }

/**
 * Whether a session that was moved away may return: home works again and can take its history. After a capacity move it
 * also stays away for a while and needs a free slot. A half-open home waits for its probe where probes run.
 */
export function comesHome(scene: Scene, plan: Plan | null, home: Route, override: Override): Homecoming {
  const stand = standOf(scene, plan, home, 'returning')
  const { place } = stand
  if (!place || place.tier > 1) return { ready: false, permit: null, stand, place }
  const away: Homecoming = { ready: false, permit: null, stand, place: { ...place, tier: 3 } }
  if (override.kind === 'capacity') {
    if (scene.now < override.at + scene.rules.capacitySwitchRevertMs) return away
    if (scene.freeSlot && !scene.freeSlot(home)) return away
  }
  if (!needsPermit(stand.soft) || !scene.lease) return { ready: true, permit: null, stand, place }
  const permit = scene.lease(home)
  return permit ? { ready: true, permit, stand, place } : away
}
