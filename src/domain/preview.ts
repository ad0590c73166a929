/** The candidates of a group or a session in the order in which they would be tried now, for people who ask "why this model?". */
import type { EffortRoute, Route } from '../contract/route.ts'
import type { CandidateVerdict } from '../contract/status.ts'
import type { FactsOf } from './fit.ts'
import { NO_NEED, unfit } from './fit.ts'
import type { Plan } from './plan.ts'
import { askerOf, boundPlan, surveyed, type Scene } from './scene.ts'
import { survey, verdictsOf } from './verdict.ts'
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

/** The candidates of a session on the route it runs on, and the `ask` entries that consent would admit now. */
export function sessionCandidates(scene: Scene, running: EffortRoute | null): { readonly verdicts: readonly CandidateVerdict[]; readonly offer: readonly EffortRoute[] } {
  const plan = boundPlan(scene) ?? (running ? scene.plans.loose(running) : null)
  if (!plan) return { verdicts: [], offer: [] }
  const rows = surveyed(scene, plan, askerOf(scene, running), running)
  return { verdicts: verdictsOf(rows), offer: rows.filter((row) => row.offer).map((row) => row.verdict.route) }
}
