/** A line above a list: what is missing, wrong or out of date. */
import type { ComponentChildren, VNode } from 'preact'

export function Notice({ error, children }: { readonly error?: boolean; readonly children: ComponentChildren }): VNode {
  return <div class={error ? 'mf-notice mf-error' : 'mf-notice'} role={error ? 'alert' : undefined}>{children}</div>
}
