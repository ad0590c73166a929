/** Draws its children at the end of the page's body, out of reach of clipping and containment around the seat. */
import { Fragment, h, render } from 'preact'
import type { ComponentChildren } from 'preact'
import { useContext, useLayoutEffect, useRef } from 'preact/hooks'
import { SharedContext } from '../model/context.ts'
import { Guard } from './Guard.tsx'

export function Layer({ children }: { readonly children: ComponentChildren }): null {
  const shared = useContext(SharedContext)
  const node = useRef<HTMLDivElement | null>(null)
  useLayoutEffect(() => {
    const made = document.createElement('div')
    made.className = 'mf mf-layer'
    document.body.append(made)
    node.current = made
    return () => {
      render(null, made)
      made.remove()
    }
  }, [])
  useLayoutEffect(() => {
    if (node.current) render(h(Guard, null, h(SharedContext.Provider, { value: shared }, h(Fragment, null, children))), node.current)
  })
  return null
}
