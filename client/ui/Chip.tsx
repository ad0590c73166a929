/** A short label of state. */
import type { ComponentChildren, VNode } from 'preact'

export type ChipTone = 'plain' | 'good' | 'warn' | 'bad' | 'accent'

export function Chip({ tone = 'plain', tip, children }: { readonly tone?: ChipTone; readonly tip?: string | undefined; readonly children: ComponentChildren }): VNode {
  return (
    <span class={`mf-chip mf-chip-${tone}`} data-mf-tip={tip} tabIndex={tip === undefined ? undefined : 0}>
      {tone !== 'plain' && <i class="mf-dot" aria-hidden="true" />}
      {children}
    </span>
  )
}
