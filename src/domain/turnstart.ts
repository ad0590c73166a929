/**
 * Which route a session runs on when a turn begins: home while it serves, else where an automatic move put it, else the
 * next routable candidate. Asking twice at the same instant gives the same route.
 */
import type { Override } from '../contract/group.ts'
import { sameRoute, type EffortRoute, type Route } from '../contract/route.ts'
import type { CandidateVerdict, ObstacleKind } from '../contract/status.ts'
import { outgoing } from './fit.ts'
import { pick, type Asker, type Choice, type Place } from './pick.ts'
import type { Plan } from './plan.ts'
import { askerOf, boundPlan, kindOf, sentTo, verdictsIn, type Move, type Scene } from './scene.ts'
import { comesHome, isBefore, permitFor, standOf } from './stand.ts'
import type { Permit } from './view.ts'

/** The route a session is meant to run on, and whether that is only its parent's. */
export interface Home { readonly route: EffortRoute | null; readonly inherited: boolean }

/**
 * Home of a session: its own choice, else (subagents) the route its parent runs on now, else what the host would use.
 * `hostRoute` must not be the echo of an automatic move; while one is in force its origin counts instead.
 */
export function homeOf(facts: { readonly record: Scene['record']; readonly hostRoute: EffortRoute | null; readonly parentRoute: EffortRoute | null }): Home {
  const { record, hostRoute, parentRoute } = facts
  if (record?.home) return { route: record.home, inherited: false }
  if (parentRoute) return { route: parentRoute, inherited: true }
  return { route: record?.override ? (record.override.from ?? hostRoute) : hostRoute, inherited: false }
}

export type TurnWhy =
  | 'home' | 'follows-parent' | 'away' | 'pinned' | 'not-in-group' | 'no-candidate' | 'no-route'
  | 'home-again' | 'group-gone' | 'route-mode' | ObstacleKind

/**
 * - `none`: run on `route` (home or the override in force); null = whatever the host says.
 * - `move`: an automatic, temporary move; home stays what it is.
 * - `return`: the override ends, the session is home.
 * - `adopt`: the binding chose `route`; it becomes home and any override ends.
 * - `release`: the override ends and the host's own choice stands.
 */
export type TurnStart = { readonly why: TurnWhy; readonly permit: Permit | null; readonly candidates: () => readonly CandidateVerdict[] } & (
  | { readonly change: 'none'; readonly route: EffortRoute | null }
  | ({ readonly change: 'move'; readonly route: EffortRoute } & Move)
  | { readonly change: 'return'; readonly route: EffortRoute; readonly from: EffortRoute }
  | { readonly change: 'adopt'; readonly route: EffortRoute; readonly groupId: string | null }
  | { readonly change: 'release'; readonly route: null }
)

/** The route of the turn that begins now. */
export function turnStart(scene: Scene, home: Home): TurnStart {
  const override = overrideOf(scene)
  const plan = boundPlan(scene)
  if (scene.binding.pin) return override ? release(scene, plan, 'pinned') : none(scene, plan, home.route, 'pinned')
  if (scene.binding.groupId !== null && !plan && override) return release(scene, plan, 'group-gone')
  if (plan && choosesHome(scene, plan, home)) return adopt(scene, plan, home.route, override)
  if (!home.route) return none(scene, plan, null, 'no-route')
  return override ? away(scene, plan, home.route, override) : atHome(scene, plan, home.route, home.inherited)
}

/** Where a call on this very route starts: there while it serves, else on a better candidate. Also for auxiliary calls. */
export function startOn(scene: Scene, route: EffortRoute): TurnStart {
  const plan = boundPlan(scene)
  return scene.binding.pin ? none(scene, plan, route, 'pinned') : atHome(scene, plan, route, false)
}

/** A route an override merely copied from the parent is no move of this session. */
function overrideOf(scene: Scene): Override | null {
  const override = scene.record?.override ?? null
  return override?.kind === 'inherited' ? null : override
}

/** In route mode the group decides, unless a subagent only follows what the same binding decided for its parent. */
function choosesHome(scene: Scene, plan: Plan, home: Home): boolean {
  if (scene.binding.mode !== 'route' || (home.inherited && scene.binding.inheritedFrom !== null)) return false
  return home.route === null || !plan.holds(home.route)
}

function adopt(scene: Scene, plan: Plan, before: EffortRoute | null, override: Override | null): TurnStart {
  const running = override ? routeOf(override) : before
  const asker = askerOf(scene, running)
  if (running && override && plan.holds(running) && standOf(scene, plan, running, 'away').serves) {
    return { change: 'adopt', route: running, groupId: scene.binding.groupId, why: 'route-mode', permit: null, candidates: () => verdictsIn(scene, plan, asker, running) }
  }
  const choice = pick(plan, scene.health, scene.now, asker)
  if (!choice) return none(scene, plan, running, 'no-candidate')
  const { option, permit } = choice
  return { change: 'adopt', route: sentTo(scene, option, before), groupId: option.groupId, why: 'route-mode', permit, candidates: () => verdictsIn(scene, plan, asker, option.entry) }
}

function atHome(scene: Scene, bound: Plan | null, home: EffortRoute, inherited: boolean): TurnStart {
  const why = inherited ? 'follows-parent' : 'home'
  if (bound && !bound.holds(home)) return none(scene, bound, home, 'not-in-group')
  const stand = standOf(scene, bound, home, 'home')
  if (stand.serves) return none(scene, bound, home, why)
  const plan = bound ?? scene.plans.loose(home)
  const asker = betterThan(scene, stand.place, home, null)
  const choice = pick(plan, scene.health, scene.now, asker)
  if (!choice) return none(scene, plan, home, stand.place ? why : 'no-candidate', permitFor(scene, home, stand.soft))
  const left = { at: scene.now, kind: kindOf(stand.why), class: stand.barred?.class ?? null, until: stand.until }
  return move(scene, { plan, asker, choice, from: home, why: stand.why ?? 'home' }, left)
}

function away(scene: Scene, bound: Plan | null, home: EffortRoute, override: Override): TurnStart {
  const running = routeOf(override)
  const plan = bound ?? scene.plans.loose(home)
  const back = comesHome(scene, bound, home, override)
  if (back.ready) return returns(scene, plan, { home, from: running, why: 'home-again' }, back.permit)
  const stand = plan.holds(running) ? standOf(scene, plan, running, 'away') : null
  if (stand?.serves) return none(scene, plan, running, 'away')
  const place = better(stand?.place ?? null, back.place)
  const asker = betterThan(scene, place, running, home)
  const choice = pick(plan, scene.health, scene.now, asker)
  const why = stand ? (stand.why ?? 'away') : 'not-in-group'
  if (choice) return move(scene, { plan, asker, choice, from: running, why }, override)
  if (FORBIDDEN.has(why) || (place && place === back.place)) {
    return returns(scene, plan, { home, from: running, why }, permitFor(scene, home, back.stand.soft))
  }
  return none(scene, plan, running, stand?.place ? 'away' : 'no-candidate', stand ? permitFor(scene, running, stand.soft) : null)
}

/** The user's own rules against a route: rather fail at home than go on there. */
const FORBIDDEN: ReadonlySet<TurnWhy> = new Set(['ask', 'disabled', 'window', 'expired', 'not-in-group'])

function better(a: Place | null, b: Place | null): Place | null {
  return a && (!b || !isBefore(b, a)) ? a : b
}

/** An asker for whom only what beats a place is of use, and neither the route it is on nor `other`. */
function betterThan(scene: Scene, place: Place | null, on: Route, other: Route | null): Asker {
  const exclude: Asker['exclude'] = ({ entry }) => (sameRoute(entry, on) || sameRoute(entry, other) ? { why: 'visited', class: null, until: null } : null)
  return { ...askerOf(scene, on, { exclude }), ...(place ? { better: place } : {}) }
}

function routeOf(override: Override): EffortRoute {
  return outgoing(override, override.effort)
}

interface Leaving { readonly plan: Plan; readonly asker: Asker; readonly choice: Choice; readonly from: EffortRoute; readonly why: TurnWhy }

function move(scene: Scene, leaving: Leaving, left: Pick<Override, 'at' | 'kind' | 'class' | 'until'>): TurnStart {
  const { plan, choice: { option, permit }, from, why } = leaving
  const to = sentTo(scene, option, from)
  return {
    change: 'move', route: to, to, from, groupId: option.groupId, goesHome: false, moveKind: left.kind, class: left.class, until: left.until,
    at: left.at, permit, why, candidates: () => verdictsIn(scene, plan, askerOf(scene, from), option.entry),
  }
}

function returns(scene: Scene, plan: Plan, way: { readonly home: EffortRoute; readonly from: EffortRoute; readonly why: TurnWhy }, permit: Permit | null): TurnStart {
  return { change: 'return', route: way.home, from: way.from, why: way.why, permit, candidates: () => verdictsIn(scene, plan, askerOf(scene, way.from), way.home) }
}

function none(scene: Scene, plan: Plan | null, route: EffortRoute | null, why: TurnWhy, permit: Permit | null = null): TurnStart {
  return { change: 'none', route, why, permit, candidates: () => verdictsIn(scene, plan, askerOf(scene, route), route) }
}

function release(scene: Scene, plan: Plan | null, why: TurnWhy): TurnStart {
  return { change: 'release', route: null, why, permit: null, candidates: () => verdictsIn(scene, plan, askerOf(scene, null), null) }
}
