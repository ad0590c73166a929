/** Entry of the browser half. */
import type { ComponentType } from 'preact'
import { island } from './island.ts'
import type { IslandProps } from './island.ts'
import { SettingsPage } from './settings/SettingsPage.tsx'
import { title } from './text.ts'

export const inject: readonly string[] = ['slots']

interface Ctx {
  readonly slots: {
    inject(name: string, run: () => () => void): () => void
    register(options: Readonly<Record<string, unknown>>, component: unknown): () => void
  }
}

export function apply(ctx: Ctx): void {
  ctx.slots.inject('settings.section', () => ctx.slots.register(
    { name: 'settings.section', id: 'model-failover', order: 12, label: title },
    island(SettingsPage as ComponentType<IslandProps<object>>, 'mf-island'),
  ))
}
