/** The candidates of a group or a session in the order in which they would be tried now, for people who ask "why this model?". */
import { routeKey, sameRoute, type EffortRoute, type Route } from '../contract/route.ts'
import type { CandidateVerdict } from '../contract/status.ts'
import type { FactsOf } from './fit.ts'
import { NO_NEED, refusal, unfit } from './fit.ts'
import type { Plan } from './plan.ts'
import { askerOf, boundPlan, needOf, surveyed, type Scene } from './scene.ts'
import { standOf } from './stand.ts'
import { survey, verdictsOf, type Surveyed } from './verdict.ts'
import type { HealthView } from './view.ts'

/** A group as any session without a history would meet it. */
export function previewGroup(plan: Plan, world: {
  readonly health: HealthView
  readonly now: number
  readonly probesOn: boolean
  readonly facts: FactsOf
  readonly uncompressed?: (route: Route) => boolean
}): CandidateVerdict[] {
  const { uncompressed } = world
  return verdictsOf(survey(plan, world.health, world.now, {
    automatic: true,
    probesOn: world.probesOn,
    exclude: ({ entry }) => unfit(world.facts(entry), NO_NEED),
    ...(uncompressed ? { behind: ({ entry }) => (uncompressed(entry) ? 'uncompressed' as const : null) } : {}),
  }))
}

const NONE: ReadonlySet<string> = new Set()

/**
 * The candidates of a session on the route it runs on, and the `ask` entries that consent would admit: an offer only
 * where they alone are left, so none while the work goes on without. `tried` = keys of the routes on which the session's
 * last request has just failed: they count as spent even where health has nothing against them, as they did for the
 * error that ended the turn.
 */
export function sessionCandidates(scene: Scene, running: EffortRoute | null, tried = NONE): { readonly verdicts: readonly CandidateVerdict[]; readonly offer: readonly EffortRoute[] } {
  const plan = boundPlan(scene) ?? (running ? scene.plans.loose(running) : null)
  if (!plan) return { verdicts: [], offer: [] }
  const rows = surveyed(scene, plan, askerOf(scene, running), running)
  const left = rows.filter((row) => !tried.has(routeKey(row.verdict.route)))
  // Consent moves no pinned session.
  const offered = scene.binding.pin || staysOrReturns(scene, running, tried) || left.some((row) => goesOn(row, running)) ? [] : left.filter((row) => row.offer)
  return { verdicts: verdictsOf(rows), offer: verdictsOf(offered).map(({ route }) => route) }
}

/** Another candidate would take the work over, be it as a last resort. */
function goesOn({ verdict }: Surveyed, running: Route | null): boolean {
  return verdict.routable && !sameRoute(verdict.route, running)
}

/** The session can stay where it is, or go back to where it came from. Either may stand outside of its group. */
function staysOrReturns(scene: Scene, running: Route | null, tried: ReadonlySet<string>): boolean {
  const { record } = scene
  const plan = boundPlan(scene)
  if (running && !tried.has(routeKey(running)) && !refusal(record?.rejections ?? [], running, needOf(scene))) {
    const away = record?.override && record.override.kind !== 'inherited' && sameRoute(record.override, running)
    if (standOf(scene, plan, running, away ? 'away' : 'home').serves) return true
  }
  const home = record?.home
  return !!home && !sameRoute(home, running) && !tried.has(routeKey(home)) && standOf(scene, plan, home, 'returning').place !== null
}
