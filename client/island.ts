/** The only file that knows React: a slot's occupant that React mounts and Preact draws. */
import { createElement, useLayoutEffect, useRef } from 'react'
import type { ReactElement } from 'react'
import { h, render } from 'preact'
import type { ComponentType } from 'preact'
import { signal } from '@preact/signals'
import type { ReadonlySignal, Signal } from '@preact/signals'
import { Guard } from './ui/Guard.tsx'

/** What a view receives: the newest props of its slot, as a signal. */
export interface IslandProps<P> { readonly props: ReadonlySignal<P> }

/**
 * Wraps a Preact view as a React component. A view that throws is replaced by one line in its own seat; the page
 * around it never notices.
 * @param View receives the slot's props as a signal.
 * @param className class of the element the view is drawn into.
 */
export function island<P extends object>(View: ComponentType<IslandProps<P>>, className: string): (props: P) => ReactElement {
  return function Island(props: P): ReactElement {
    const seat = useRef<HTMLDivElement>(null)
    const live = useRef<Signal<P> | null>(null)
    live.current ??= signal(props)
    const latest = live.current
    useLayoutEffect(() => {
      latest.value = props
    })
    useLayoutEffect(() => {
      // The ref is already empty when React cleans up, so the cleanup keeps the node itself.
      const node = seat.current
      if (node === null) return undefined
      render(h(Guard, null, h(View, { props: latest })), node)
      return () => render(null, node)
    }, [latest])
    return createElement('div', { ref: seat, className })
  }
}
