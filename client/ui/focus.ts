/** Where the keyboard is: focus kept inside a dialog and given back afterwards, arrow keys along a list. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

const REACHABLE = 'button:not(:disabled),input:not(:disabled),select:not(:disabled),textarea:not(:disabled),[href],[tabindex]'

function reachable(root: HTMLElement): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(REACHABLE)].filter((element) => element.tabIndex >= 0 && element.getClientRects().length > 0)
}

/** Keeps Tab inside `box` while it is mounted and returns the focus to where it was. */
export function useFocusInside(box: RefObject<HTMLElement | null>): (event: KeyboardEvent) => void {
  useLayoutEffect(() => {
    const before = document.activeElement
    const wanted = box.current?.querySelector<HTMLElement>('[data-mf-first]') ?? box.current
    wanted?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [box])
  return (event) => {
    if (event.key !== 'Tab' || box.current === null) return
    const stops = reachable(box.current)
    const edge = event.shiftKey ? stops[0] : stops.at(-1)
    const other = event.shiftKey ? stops.at(-1) : stops[0]
    const { activeElement } = document
    if (activeElement !== edge && activeElement !== box.current) return
    event.preventDefault()
    other?.focus()
  }
}

export interface Roving {
  /** Tab stop of the row's controls: 0 in the row that is active, −1 elsewhere. */
  tab(key: string): 0 | -1
  /** Attributes of a row; its first control is where the arrow keys land. */
  row(key: string): { readonly 'data-mf-row': string; readonly onFocusIn: () => void }
  readonly onKeyDown: (event: KeyboardEvent) => void
}

/** Arrow, Home and End keys along the rows of a list; `first` is the row that Tab reaches before any was active. */
export function useRoving(first: string | undefined): Roving {
  const [active, setActive] = useState<string | undefined>(undefined)
  const here = active ?? first
  return {
    tab: (key) => (key === here ? 0 : -1),
    row: (key) => ({ 'data-mf-row': key, onFocusIn: () => setActive(key) }),
    onKeyDown: (event) => {
      const { target, currentTarget } = event
      if (!(target instanceof HTMLElement) || !(currentTarget instanceof HTMLElement) || target.matches('input,select,textarea')) return
      const rows = [...currentTarget.querySelectorAll<HTMLElement>('[data-mf-row]')]
      const at = rows.findIndex((row) => row.contains(target))
      const next = { ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows.at(-1) }[event.key]
      if (!next || at < 0) return
      event.preventDefault()
      const control = next.matches('button') ? next : next.querySelector<HTMLElement>('button:not(:disabled)')
      control?.focus()
    },
  }
}
