/** Which held routes are worth a probe at all. */
import type { Group } from '../contract/group.ts'
import { sameRoute, type Route } from '../contract/route.ts'

/**
 * True if some session could use the route were it not held: an entry of an enabled group that routing may take by
 * itself, or where a live session is at home. A route whose every entry is disabled or asks first is never probed.
 */
export function isWanted(route: Route, groups: readonly Group[], homes: readonly (Route | null)[]): boolean {
  const entries = groups.flatMap((group) => (group.enabled ? group.models.filter((entry) => sameRoute(entry, route)) : []))
  if (entries.length > 0) return entries.some((entry) => !entry.disabled && !entry.ask)
  return homes.some((home) => sameRoute(home, route))
}
