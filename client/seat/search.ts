/** Finds models by name and id. Pure. */
import type { ModelInfo, ModelsReply, ProviderInfo } from '../../src/contract/models.ts'
import type { Route } from '../../src/contract/route.ts'

export interface Found { readonly route: Route; readonly provider: ProviderInfo; readonly model: ModelInfo }

/** All models whose name or id (or provider) holds every word of the query; without one, those of `provider` (null = all). */
export function matching(models: ModelsReply | null, query: string, provider: string | null): readonly Found[] {
  const words = query.toLowerCase().split(/\s+/).filter((text) => text !== '')
  const found: Found[] = []
  for (const owner of models?.providers ?? []) {
    if (words.length === 0 && provider !== null && owner.id !== provider) continue
    for (const model of owner.models) {
      const text = `${owner.name}\n${owner.id}\n${model.name}\n${model.id}`.toLowerCase()
      if (words.every((part) => text.includes(part))) found.push({ route: { provider: owner.id, model: model.id }, provider: owner, model })
    }
  }
  return found
}
