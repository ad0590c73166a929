/** A short label of state. */
import type { ComponentChildren, VNode } from 'preact'

/** The light in front of it. */
export type Tone = 'normal' | 'moved' | 'resting' | 'failed' | 'none'

export function Chip({ tone, tip, tabIndex = 0, children }: { readonly tone: Tone; readonly tip?: string | undefined; readonly tabIndex?: number | undefined; readonly children: ComponentChildren }): VNode {
  return <span class="mf-chip" data-mf-tip={tip} tabIndex={tip ? tabIndex : undefined}><i class={`mf-light mf-is-${tone}`} />{children}</span>
}
