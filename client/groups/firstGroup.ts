/** The group that the first run offers: the user's own models, the current one first, providers taking turns. Pure. */
import type { ModelsReply } from '../../src/contract/models.ts'
import type { Entry, Route } from '../../src/contract/route.ts'
import { sameRoute } from '../words.ts'

export const DRILL_PROVIDER = 'model-failover-drill'
/** More than this would be a catalogue, not a plan. */
export const FIRST_SIZE = 20

/** Entries numbered from 1; the practice provider is left out. */
export function firstEntries(models: ModelsReply, current: Route | null): readonly Entry[] {
  const providers = models.providers.filter(({ id }) => id !== DRILL_PROVIDER)
  // The provider of the current model comes last in each round: the first alternative should be another provider.
  const turns = [...providers.filter(({ id }) => id !== current?.provider), ...providers.filter(({ id }) => id === current?.provider)]
  const routes: Route[] = []
  const longest = Math.max(0, ...turns.map((provider) => provider.models.length))
  for (let round = 0; round < longest; round++) {
    for (const provider of turns) {
      const model = provider.models[round]
      if (model) routes.push({ provider: provider.id, model: model.id })
    }
  }
  const own = routes.find((route) => sameRoute(route, current))
  const ordered = own ? [own, ...routes.filter((route) => route !== own)] : routes
  return ordered.slice(0, FIRST_SIZE).map((route, index) => ({ ...route, priority: index + 1 }))
}
