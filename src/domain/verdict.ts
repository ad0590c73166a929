/** Every candidate with the reason why it is passed over, in the order in which they are tried. For people, not for the hot path. */
import type { CandidateVerdict } from '../contract/status.ts'
import { routeKey, sameRoute, type Route } from '../contract/route.ts'
import { outgoing } from './fit.ts'
import { PASSES, type Asker } from './pick.ts'
import { seatOf, trialOut, type Option, type Plan, type Standing } from './plan.ts'
import type { HardHold, HealthView } from './view.ts'

/** One candidate as it stands for the asker. `offer`: consent is all that is missing. */
export interface Surveyed {
  readonly option: Option
  readonly verdict: CandidateVerdict
  readonly offer: boolean
}

/**
 * All options of a plan: first those that would be tried, in that order, then those that consent would admit, then the
 * rest by rank. `chosen` is the option a pick has just taken (its permit is out, yet it is not passed over).
 */
export function survey(plan: Plan, health: HealthView, now: number, asker: Asker & { readonly chosen?: Route | null }): readonly Surveyed[] {
  const rows = plan.options.map((option, at) => {
    const stands = plan.standing(at, health, now)
    const { hold, offer } = obstacle(option, stands, asker)
    const behind = asker.behind?.(option) ?? null
    return { ...row(option, stands, hold, behind), offer, order: hold ? lastPlace(offer) : place(stands, behind !== null, asker.probesOn), end: hold ? 0 : openEnd(stands), at }
  })
  const own = (row: (typeof rows)[number]) => (sameRoute(row.option.entry, asker.own) ? 0 : 1)
  return rows.toSorted((a, b) => a.order - b.order || a.end - b.end || a.option.rank - b.option.rank || own(a) - own(b) || a.at - b.at)
}

/** The verdicts alone; a route that stands in several groups is told once, at its best. */
export function verdictsOf(rows: readonly Surveyed[]): CandidateVerdict[] {
  const told = new Map<string, CandidateVerdict>()
  for (const { verdict } of rows) if (!told.has(routeKey(verdict.route))) told.set(routeKey(verdict.route), verdict)
  return [...told.values()]
}

/** The route whose hold ends first, null when none of them ends by time. Routes that serve now are not counted. */
export function earliestReturn(verdicts: readonly CandidateVerdict[]): { readonly route: Route; readonly until: number } | null {
  let earliest: { route: Route; until: number } | null = null
  for (const { route, routable, until } of verdicts) {
    if (routable || until === null || (earliest && until >= earliest.until)) continue
    earliest = { route: { provider: route.provider, model: route.model }, until }
  }
  return earliest
}

function obstacle(option: Option, stands: Standing, asker: Asker & { readonly chosen?: Route | null }): { readonly hold: HardHold | null; readonly offer: boolean } {
  if (stands.barred) return { hold: stands.barred, offer: false }
  const excluded = asker.exclude?.(option)
  if (excluded) return { hold: { ...excluded, until: excluded.until ?? (excluded.why === 'visited' ? stands.soft.until : null) }, offer: false }
  if (trialOut(stands.soft) && !sameRoute(option.entry, asker.chosen)) return { hold: { why: 'trial', class: null, until: stands.soft.until }, offer: false }
  if (option.entry.ask && asker.automatic && !asker.consented?.(option.entry)) return { hold: { why: 'ask', class: null, until: null }, offer: true }
  return { hold: null, offer: false }
}

function row(option: Option, stands: Standing, hold: HardHold | null, behind: 'uncompressed' | 'endpoint' | null): Pick<Surveyed, 'option' | 'verdict'> {
  const soft = stands.soft
  const why = hold ? hold.why : (soft.why ?? (behind === 'uncompressed' ? behind : null))
  return {
    option,
    verdict: {
      route: outgoing(option.entry, option.entry.effort),
      priority: option.entry.priority,
      routable: hold === null,
      why,
      class: hold?.class ?? null,
      until: hold ? hold.until : soft.until,
      tier: hold ? null : soft.tier,
    },
  }
}

function place(stands: Standing, behind: boolean, probesOn: boolean): number {
  const seat = seatOf(stands.soft.tier, probesOn)
  return PASSES.findIndex(([tier, back]) => tier === seat && back === behind)
}

function lastPlace(offer: boolean): number {
  return PASSES.length + (offer ? 0 : 1)
}

function openEnd(stands: Standing): number {
  return stands.soft.tier !== 4 ? 0 : (stands.soft.until ?? Number.MAX_VALUE)
}
