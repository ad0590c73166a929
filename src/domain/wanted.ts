/** Which held routes are worth a probe at all. */
import type { Group } from '../contract/group.ts'
import { sameRoute, type Route } from '../contract/route.ts'

/** True if some session could use the route were it not held: an entry that routing may take, or where a live session is at home. */
export function isWanted(route: Route, groups: readonly Group[], homes: readonly (Route | null)[]): boolean {
  return homes.some((home) => sameRoute(home, route))
    || groups.some((group) => group.enabled && group.models.some((entry) => sameRoute(entry, route) && !entry.disabled && !entry.ask))
}
