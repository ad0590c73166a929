/**
 * The one choice among candidates, used by every path. Hard-held options are never taken; soft-held ones are the last
 * resort, tier by tier; whatever is particular to the asking session comes in through the asker.
 */
import { sameRoute, type Route } from '../contract/route.ts'
import type { Option, Plan } from './plan.ts'
import type { HardHold, HealthView, Permit, Tier } from './view.ts'

/**
 * Who asks.
 * - `automatic`: nobody is looking, so entries marked `ask` need consent.
 * - `probesOn`: background probes run, so half-open routes need no user request.
 * - `own`: the route the session runs on; among equals it is kept, for the sake of its prompt cache.
 * - `exclude`: why an option is none for this session now (visited, rejected, unfit), null if it is one.
 * - `behind`: why an option stands behind all others that work (its context is not compressed, say).
 * - `lease`: leave to send one trial on a route that is open or half-open, null if one is out already. Absent in a dry run.
 * - `better`: only options strictly better than this standing are of use.
 */
export interface Asker {
  readonly automatic: boolean
  readonly probesOn: boolean
  readonly own?: Route | null
  readonly consented?: (route: Route) => boolean
  readonly exclude?: (option: Option) => HardHold | null
  readonly behind?: (option: Option) => 'uncompressed' | 'endpoint' | null
  readonly lease?: (route: Route) => Permit | null
  readonly better?: Place
}

/** A place in the order of the passes; `until` = end of an open state. */
export interface Place { readonly tier: Tier; readonly behind: boolean; readonly until: number | null }

/** What was chosen. A `permit` must travel with the request. */
export interface Choice {
  readonly option: Option
  readonly tier: Tier
  readonly permit: Permit | null
}

/** The order in which tiers are tried; `behind` options follow the others of the tiers that work, then of each last one. */
export const PASSES: readonly (readonly [tier: Tier, behind: boolean])[] = [
  [0, false], [1, false], [2, false],
  [0, true], [1, true], [2, true],
  [3, false], [3, true],
  [4, false], [4, true],
]

/** The option to use now, null if there is none. Takes at most one permit, that of the choice. */
export function pick(plan: Plan, health: HealthView, now: number, asker: Asker): Choice | null {
  plan.refresh(health, now, asker.probesOn)
  for (const [tier, behind] of PASSES) {
    if (behind && !asker.behind && !asker.better?.behind) continue
    const last = tier === asker.better?.tier && behind === asker.better.behind
    for (let nth = 0, at = plan.member(tier, nth, health, now); at >= 0; at = plan.member(tier, ++nth, health, now)) {
      if (last && !endsSooner(plan, at, asker.better)) return null
      if (!admits(plan, at, asker, behind)) continue
      const equal = asker.own ? ownEqual(plan, { tier, nth, at }, { health, now, asker, behind }) : -1
      const choice = (equal >= 0 ? take(plan, equal, asker) : null) ?? take(plan, at, asker)
      if (choice) return choice
    }
    if (last) return null
  }
  return null
}

/** Of two standings in the same tier only open states differ: the one that ends sooner is better. */
function endsSooner(plan: Plan, at: number, than: Place | undefined): boolean {
  return than?.tier === 4 && (plan.ends[at] ?? 0) < (than.until ?? Number.POSITIVE_INFINITY)
}

function admits(plan: Plan, at: number, asker: Asker, behind: boolean): boolean {
  const option = plan.options[at]
  if (!option || plan.trials[at] === 2) return false
  if (plan.asks[at] === 1 && asker.automatic && !asker.consented?.(option.entry)) return false
  if (asker.behind && (asker.behind(option) !== null) !== behind) return false
  return !asker.exclude?.(option)
}

interface Found { readonly tier: Tier; readonly nth: number; readonly at: number }
interface Scan { readonly health: HealthView; readonly now: number; readonly asker: Asker; readonly behind: boolean }

/** Place of the session's own route if it is an equal of what was found, else −1. */
function ownEqual(plan: Plan, found: Found, scan: Scan): number {
  const { tier, at: first } = found
  for (let nth = found.nth, at = first; at >= 0; at = plan.member(tier, ++nth, scan.health, scan.now)) {
    if (plan.ranks[at] !== plan.ranks[first] || (tier === 4 && plan.ends[at] !== plan.ends[first])) return -1
    if (sameRoute(plan.options[at]?.entry, scan.asker.own)) return admits(plan, at, scan.asker, scan.behind) ? at : -1
  }
  return -1
}

/** Takes an option, with a permit where its breaker asks for one; null if that permit is out. */
function take(plan: Plan, at: number, asker: Asker): Choice | null {
  const option = plan.options[at]
  if (!option) return null
  const tier = tierOf(plan.tiers[at])
  if (plan.trials[at] !== 1 || !asker.lease) return { option, tier, permit: null }
  const permit = asker.lease(option.entry)
  return permit ? { option, tier, permit } : null
}

function tierOf(value: number | undefined): Tier {
  return value === 1 || value === 2 || value === 3 || value === 4 ? value : 0
}
