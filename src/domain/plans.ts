/**
 * The plans in force: one per enabled group, and one per model for sessions that are bound to no group. A plan is built
 * when it is first asked for and kept until its group changes.
 */
import type { Group } from '../contract/group.ts'
import { sameRoute, type Route } from '../contract/route.ts'
import { Plan, type Option } from './plan.ts'

/** Ranks of the three places an unbound session looks at, one after the other; priorities lie below the step. */
const STEP = 1000
/** Plans of unbound sessions that are kept at most; models are few, but their names come from outside. */
const LOOSE_MAX = 256

export class Plans {
  #groups = new Map<string, Group>()
  #fallbacks: readonly Route[] = []
  #bound = new Map<string, Plan>()
  #loose = new Map<string, Plan>()

  constructor(groups: readonly Group[] = [], fallbacks: readonly Route[] = []) {
    this.update(groups, fallbacks)
  }

  /** Takes the groups and fallbacks as they are now. Plans of groups that are the same object stay compiled. */
  update(groups: readonly Group[], fallbacks: readonly Route[]): void {
    const next = new Map(groups.map((group) => [group.id, group]))
    for (const id of this.#bound.keys()) if (next.get(id) !== this.#groups.get(id)) this.#bound.delete(id)
    this.#groups = next
    this.#fallbacks = fallbacks
    this.#loose.clear()
  }

  /** The plan of a group; null when it does not exist or is switched off. */
  group(id: string | null): Plan | null {
    if (id === null) return null
    const ready = this.#bound.get(id)
    if (ready) return ready
    const group = this.#groups.get(id)
    if (!group?.enabled) return null
    const plan = new Plan(group.models.map((entry) => ({ entry, groupId: id, rank: entry.priority })))
    this.#bound.set(id, plan)
    return plan
  }

  /**
   * The candidates of a session without a group whose model is `route`: in every enabled group that holds it, first the
   * entries of no worse priority, then the rest, then the fallbacks. The model itself is no candidate.
   */
  loose(route: Route): Plan {
    const key = `${route.provider}\n${route.model}`
    const ready = this.#loose.get(key)
    if (ready) return ready
    if (this.#loose.size >= LOOSE_MAX) this.#loose.clear()
    const plan = new Plan([...this.#groupsHolding(route), ...this.#lastResorts(route)])
    this.#loose.set(key, plan)
    return plan
  }

  #groupsHolding(route: Route): Option[] {
    const options: Option[] = []
    for (const group of this.#groups.values()) {
      const own = group.enabled ? group.models.find((entry) => sameRoute(entry, route)) : undefined
      if (!own) continue
      for (const entry of group.models) {
        if (sameRoute(entry, route)) continue
        options.push({ entry, groupId: group.id, rank: entry.priority + (entry.priority <= own.priority ? 0 : STEP) })
      }
    }
    return options
  }

  #lastResorts(route: Route): Option[] {
    return this.#fallbacks
      .filter((fallback) => !sameRoute(fallback, route))
      .map((fallback, at): Option => ({ entry: { ...fallback, priority: at + 1 }, groupId: null, rank: 2 * STEP + at }))
  }
}
