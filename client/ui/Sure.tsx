/** A button for what cannot be undone: the first press asks, the second one acts. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './Button.tsx'

export function Sure({ text, ask, onClick }: { readonly text: string; readonly ask: string; readonly onClick: () => void }): VNode {
  const [asked, setAsked] = useState(false)
  return (
    <span onFocusOut={() => setAsked(false)}>
      <Button kind="danger" onClick={() => { setAsked(!asked); if (asked) onClick() }}>{asked ? ask : text}</Button>
    </span>
  )
}
