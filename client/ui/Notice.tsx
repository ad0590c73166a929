/** A line above a list: what is loading, missing, wrong or out of date. */
import type { ComponentChildren, VNode } from 'preact'
import { Icon } from './Icon.tsx'

export function Notice({ tone = 'info', children }: { readonly tone?: 'info' | 'warn' | 'error'; readonly children: ComponentChildren }): VNode {
  return (
    <div class={`mf-notice mf-notice-${tone}`} role={tone === 'error' ? 'alert' : undefined}>
      {tone !== 'info' && <Icon name="warn" />}
      <div>{children}</div>
    </div>
  )
}
