/** What a decision about one session sees of the world at one instant, and the asker made of it. Holds no rule of its own. */
import type { FailureClass } from '../contract/failure.ts'
import type { MoveKind, SessionRecord } from '../contract/group.ts'
import { sameRoute, type EffortRoute, type Route } from '../contract/route.ts'
import type { CandidateVerdict, ObstacleKind } from '../contract/status.ts'
import type { EffectiveBinding } from './binding.ts'
import { effortFor, outgoing, refusal, unfit, type FactsOf, type Need } from './fit.ts'
import type { Asker } from './pick.ts'
import type { Option, Plan } from './plan.ts'
import type { Plans } from './plans.ts'
import { verdictsOf, survey, type Surveyed } from './verdict.ts'
import type { HardHold, HealthView, Permit } from './view.ts'

/** `usedTokens` = size of the session's history, null = unknown. Durations are ms. */
export interface Scene {
  readonly plans: Plans
  readonly health: HealthView
  readonly now: number
  readonly record: SessionRecord | null
  readonly binding: EffectiveBinding
  readonly facts: FactsOf
  readonly usedTokens: number | null
  readonly images: boolean
  readonly rules: Rules
  /** Consent of the user to an `ask` entry; by default what the record says. */
  readonly consented?: (route: Route) => boolean
  /** Providers whose context an active compactor cannot see. */
  readonly uncompressed?: (route: Route) => boolean
  /** Leave to send one trial on an open or half-open route; absent in a dry run. */
  readonly lease?: (route: Route) => Permit | null
  /** False while every slot of the route is taken. */
  readonly freeSlot?: (route: Route) => boolean
}

export interface Rules {
  readonly probesOn: boolean
  readonly stripReasoningEffort: boolean
  readonly capacitySwitchRevertMs: number
}

/**
 * A move to another route, complete: where to, why, since when home is left (`at`), and when home may be asked again
 * (`until`, null = not by time). A later move of a session that is away already keeps why and since when.
 */
export interface Move {
  readonly to: EffortRoute
  readonly from: EffortRoute | null
  readonly groupId: string | null
  /** The target is the session's home: the override ends with it. */
  readonly goesHome: boolean
  readonly moveKind: MoveKind
  readonly class: FailureClass | null
  readonly at: number
  readonly until: number | null
  readonly permit: Permit | null
}

/** The group a session answers to, null when it is bound to none or the group is gone or switched off. */
export function boundPlan(scene: Scene): Plan | null {
  return scene.plans.group(scene.binding.groupId)
}

/** The need of the session's next request. Size and images are read only if somebody asks: both may mean a walk through the history. */
export function needOf(scene: Scene, overflowed: Need['overflowed'] = null): Need {
  return { get usedTokens() { return scene.usedTokens }, get images() { return scene.images }, overflowed }
}

/** Why this session cannot use a route now although health has nothing against it, or null. */
export function sessionObstacle(scene: Scene, route: Route, need: Need = needOf(scene)): HardHold | null {
  return refusal(scene.record?.rejections ?? [], route, need) ?? unfit(scene.facts(route), need)
}

/** Whether the user admitted an `ask` entry for this session. */
export function consentTo(scene: Scene): (route: Route) => boolean {
  return scene.consented ?? ((route) => scene.record?.consents.some((each) => sameRoute(each, route)) ?? false)
}

/** The asker of a session on its own route; `exclude` comes before what the session itself excludes. */
export function askerOf(scene: Scene, own: Route | null, also?: { readonly exclude?: (option: Option) => HardHold | null; readonly need?: Need }): Asker {
  const need = also?.need ?? needOf(scene)
  const { uncompressed, lease } = scene
  return {
    automatic: true,
    probesOn: scene.rules.probesOn,
    own,
    consented: consentTo(scene),
    exclude: (option) => also?.exclude?.(option) ?? sessionObstacle(scene, option.entry, need),
    ...(uncompressed ? { behind: (option: Option) => (uncompressed(option.entry) ? 'uncompressed' as const : null) } : {}),
    ...(lease ? { lease } : {}),
  }
}

/** The route as it is sent when an option is taken: with the option's effort, or the session's where it may be carried. */
export function sentTo(scene: Scene, option: Option, from: EffortRoute | null): EffortRoute {
  const carry = { effort: from?.effort, strip: scene.rules.stripReasoningEffort }
  return outgoing(option.entry, effortFor(option.entry, scene.facts(option.entry), carry))
}

/** Candidates with their reasons; `chosen` is not passed over though its permit is out. */
export function surveyed(scene: Scene, plan: Plan, asker: Asker, chosen: Route | null): readonly Surveyed[] {
  return survey(plan, scene.health, scene.now, { ...asker, chosen })
}

export function verdictsIn(scene: Scene, plan: Plan | null, asker: Asker, chosen: Route | null): CandidateVerdict[] {
  return plan ? verdictsOf(surveyed(scene, plan, asker, chosen)) : []
}

const BY_HEALTH: ReadonlySet<ObstacleKind> = new Set(['failed', 'held', 'quarantined', 'open', 'trial'])

/** What kind of move leaves a route for a reason that no request of this session has met. */
export function kindOf(why: ObstacleKind | null): MoveKind {
  if (why === 'resting') return 'capacity'
  return why !== null && BY_HEALTH.has(why) ? 'failure' : 'unroutable'
}
