/** Arrow keys along a list: one tab stop per list, Home and End to its edges. */
import { useState } from 'preact/hooks'

export interface Roving {
  /** Tab stop of the row's controls: 0 in the row that is active, −1 elsewhere. */
  tab(key: string): 0 | -1
  /** Attributes of a row; its first button is where the arrow keys land. */
  row(key: string): { readonly 'data-mf-row': string; readonly onFocusIn: () => void }
  readonly onKeyDown: (event: KeyboardEvent) => void
  /** Gives a list its tab stop back, once the row that had it is not drawn any more. */
  mend(list: Element): void
}

/** `first` is the row that Tab reaches before any was active. */
export function useRoving(first: string | undefined): Roving {
  const [active, setActive] = useState<string | undefined>()
  return {
    tab: (key) => (key === (active ?? first) ? 0 : -1),
    row: (key) => ({ 'data-mf-row': key, onFocusIn: () => setActive(key) }),
    mend: (list) => {
      const row = list.querySelector<HTMLElement>('[data-mf-row]')
      if (!row || list.querySelector('[tabindex="0"]')) return
      setActive(row.dataset['mfRow'])
      // Focus that went down with its row goes on in the list.
      if (active && document.activeElement === document.body) row.querySelector<HTMLElement>('button:enabled')?.focus()
    },
    onKeyDown: (event) => {
      const { target, currentTarget } = event
      if (!(target instanceof HTMLButtonElement)) return
      const rows = [...(currentTarget as HTMLElement).querySelectorAll('[data-mf-row]')]
      const at = rows.findIndex((row) => row.contains(target))
      const next = { ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows.at(-1) }[event.key]
      if (!next) return
      event.preventDefault()
      next.querySelector<HTMLElement>('button:enabled')?.focus()
    },
  }
}
