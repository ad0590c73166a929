/**
 * What follows a failed request: another route to send it to, or for every candidate the reason why not. Changes
 * nothing; marks of the failure must be in the health view already.
 */
import type { FailureClass } from '../contract/failure.ts'
import type { MoveKind } from '../contract/group.ts'
import { routeKey, sameRoute, type EffortRoute, type Route } from '../contract/route.ts'
import type { CandidateVerdict } from '../contract/status.ts'
import { unfit, type Need } from './fit.ts'
import { isRejection } from './patience.ts'
import { pick, type Asker, type Choice } from './pick.ts'
import { routeStanding, type Option, type Plan } from './plan.ts'
import { askerOf, boundPlan, needOf, sentTo, surveyed, verdictsIn, type Move, type Scene } from './scene.ts'
import { standOf } from './stand.ts'
import { earliestReturn, verdictsOf, type Surveyed } from './verdict.ts'
import type { HardHold, Judgement, Permit } from './view.ts'

/**
 * One failed request. `home` is where the session is meant to run (see homeOf). `visited` holds the route keys this step has sent to; `hopsLeft` counts other routes it may
 * still try; `endpointOf` names the endpoint of a provider, '' where the host does not tell it.
 */
export interface FailedStep {
  readonly failed: EffortRoute
  readonly home: EffortRoute | null
  readonly judgement: Pick<Judgement, 'class'>
  readonly visited: ReadonlySet<string>
  readonly hopsLeft: number
  readonly endpointOf: (provider: string) => string
}

export type StayWhy = 'cancelled' | 'pinned' | 'hops' | 'no-group' | 'no-candidate'

export type Decision =
  | ({ readonly kind: 'move'; readonly candidates: () => readonly CandidateVerdict[] } & Move)
  | {
    readonly kind: 'stay'
    readonly why: StayWhy
    readonly candidates: () => readonly CandidateVerdict[]
    /** The candidate whose hold ends first, null if time alone brings none back. */
    readonly earliest: { readonly route: Route; readonly until: number } | null
    /** `ask` entries that one consent would admit now, best first. */
    readonly offer: readonly EffortRoute[]
  }

/**
 * A bound session takes the next routable entry of its group; an unbound one looks in every enabled group that holds
 * the failed model, then at the fallbacks.
 */
export function decide(scene: Scene, step: FailedStep): Decision {
  const plan = boundPlan(scene) ?? scene.plans.loose(step.failed)
  const asker = stepAsker(scene, step)
  const search = { plan, asker }
  const homeward = wayHome(scene, step)
  if (step.judgement.class === 'cancelled') return stay(scene, step, search, 'cancelled')
  if (scene.binding.pin) return stay(scene, step, search, 'pinned')
  if (plan.options.length === 0 && !homeward) return stay(scene, step, search, 'no-group')
  const choice = step.hopsLeft > 0 ? pick(plan, scene.health, scene.now, asker) : null
  const way = choice ? wayOf(scene, step, choice) : homeward
  return way ? move(scene, step, search, way) : stay(scene, step, search, step.hopsLeft > 0 ? 'no-candidate' : 'hops')
}

/** A way to send the request, and whether it leads home. */
interface Way { readonly to: EffortRoute; readonly groupId: string | null; readonly permit: Permit | null; readonly home: boolean }

function wayOf(scene: Scene, step: FailedStep, { option, permit }: Choice): Way {
  const home = sameRoute(option.entry, step.home) ? step.home : null
  return { to: home ?? sentTo(scene, option, step.failed), groupId: option.groupId, permit, home: home !== null }
}

/**
 * Home as the last resort of a session that is away, also where it is no candidate itself and where the hops are spent,
 * since going home is none; null if it does not work, or refused this history.
 */
function wayHome(scene: Scene, step: FailedStep): Way | null {
  const { home } = step
  if (!home || sameRoute(home, step.failed) || step.visited.has(routeKey(home))) return null
  const stand = standOf(scene, boundPlan(scene), home, 'returning')
  if (!stand.serves || unfit(scene.facts(home), stepNeed(scene, step))) return null
  return { to: home, groupId: null, permit: null, home: true }
}

function stepNeed(scene: Scene, { failed, judgement }: FailedStep): Need {
  return needOf(scene, judgement.class === 'context_too_long' ? { window: scene.facts(failed)?.contextWindow ?? null } : null)
}

interface Search { readonly plan: Plan; readonly asker: Asker }

/** The kind of a move that answers a failure of this class, which decides what brings the session back. */
export function moveKindOf(failure: FailureClass): MoveKind {
  if (failure === 'capacity') return 'capacity'
  return isRejection(failure) ? 'rejected' : 'failure'
}

function stepAsker(scene: Scene, step: FailedStep): Asker {
  const { failed, judgement } = step
  const asker = askerOf(scene, failed, { exclude: (option) => visited(option, step), need: stepNeed(scene, step) })
  if (judgement.class !== 'transport') return asker
  const endpoint = step.endpointOf(failed.provider)
  const sameEndpoint = (provider: string): boolean => provider === failed.provider || (endpoint !== '' && step.endpointOf(provider) === endpoint)
  return { ...asker, behind: (option) => asker.behind?.(option) ?? (sameEndpoint(option.entry.provider) ? 'endpoint' : null) }
}

function visited(option: Option, step: FailedStep): HardHold | null {
  if (sameRoute(option.entry, step.failed)) return { why: 'visited', class: step.judgement.class, until: null }
  return step.visited.has(routeKey(option.entry)) ? { why: 'visited', class: null, until: null } : null
}

function move(scene: Scene, step: FailedStep, search: Search, way: Way): Decision {
  const moveKind = moveKindOf(step.judgement.class)
  return {
    kind: 'move',
    to: way.to,
    from: step.failed,
    groupId: way.groupId,
    goesHome: way.home,
    moveKind,
    class: step.judgement.class,
    at: scene.now,
    until: homeAgain(scene, step.failed, moveKind),
    permit: way.permit,
    candidates: () => verdictsIn(scene, search.plan, search.asker, way.to),
  }
}

/** When the route that failed may be asked again, by the clock alone; null if the clock does not bring it back. */
function homeAgain(scene: Scene, failed: Route, kind: MoveKind): number | null {
  if (kind === 'rejected') return null
  const stands = routeStanding(failed, scene.health, scene.now)
  const held = stands.barred ? stands.barred.until : stands.soft.until
  return kind === 'capacity' ? Math.max(held ?? 0, scene.now + scene.rules.capacitySwitchRevertMs) : held
}

function stay(scene: Scene, step: FailedStep, search: Search, why: StayWhy): Decision {
  const rows = surveyed(scene, search.plan, search.asker, null)
  const verdicts = verdictsOf(why === 'pinned' ? rows.map(pinned) : rows)
  const offer = why === 'no-candidate' ? rows.filter((row) => row.offer).map((row) => row.verdict.route) : []
  return { kind: 'stay', why, candidates: () => verdicts, earliest: earliestOf(scene, step, verdicts), offer }
}

/** The first to come back: a candidate, or the failed model itself, which need not be one. */
function earliestOf(scene: Scene, step: FailedStep, verdicts: readonly CandidateVerdict[]): { readonly route: Route; readonly until: number } | null {
  const candidate = earliestReturn(verdicts)
  const { provider, model } = step.failed
  const until = homeAgain(scene, step.failed, moveKindOf(step.judgement.class))
  return until !== null && (candidate === null || until < candidate.until) ? { route: { provider, model }, until } : candidate
}

function pinned(row: Surveyed): Surveyed {
  return row.verdict.routable ? { ...row, verdict: { ...row.verdict, routable: false, why: 'pinned', until: null, tier: null } } : row
}
