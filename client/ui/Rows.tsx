/** A list of which only the part on screen (and a little more) is drawn; the rest is room of the right height. */
import type { VNode } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface RowsProps<T> {
  readonly items: readonly T[]
  /** Height of one row in px, gap included. */
  readonly height: number
  readonly render: (item: T, index: number) => VNode
  readonly label: string
  readonly onKeyDown?: (event: KeyboardEvent) => void
  /** Element of list and rows; `table` puts them into a tbody. */
  readonly as?: 'list' | 'table'
  /** Room taken in front of the rows inside the scrolling box (a sticky head). */
  readonly columns?: number
}

/** Rows drawn beyond either edge of the box. */
const SPARE = 8

function scrollBox(node: HTMLElement): HTMLElement {
  for (let at = node.parentElement; at !== null; at = at.parentElement) if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at
  return document.documentElement
}

/** The part of `total` rows that a box shows whose top edge is `offset` px below the list's top edge. */
export function visibleRange(total: number, height: number, offset: number, boxHeight: number): readonly [number, number] {
  const first = Math.max(0, Math.min(total - 1, Math.floor(offset / height) - SPARE))
  return [Math.max(0, first), Math.min(total, Math.ceil((offset + boxHeight) / height) + SPARE)]
}

export function Rows<T>({ items, height, render, label, onKeyDown, as = 'list', columns = 1 }: RowsProps<T>): VNode {
  const node = useRef<HTMLElement>(null)
  const [range, setRange] = useState<readonly [number, number]>([0, 24])
  useLayoutEffect(() => {
    const list = node.current
    if (list === null) return undefined
    const box = scrollBox(list)
    const look = (): void => {
      const offset = box.getBoundingClientRect().top - list.getBoundingClientRect().top
      const next = visibleRange(items.length, height, offset, box.clientHeight || 800)
      setRange((now) => (now[0] === next[0] && now[1] === next[1] ? now : next))
    }
    look()
    box.addEventListener('scroll', look, { passive: true })
    window.addEventListener('resize', look)
    return () => {
      box.removeEventListener('scroll', look)
      window.removeEventListener('resize', look)
    }
  }, [items.length, height])
  const first = Math.min(range[0], Math.max(0, items.length - 1))
  const last = Math.min(range[1], items.length)
  const drawn = items.slice(first, last).map((item, index) => render(item, first + index))
  const before = first * height
  const behind = (items.length - last) * height
  if (as === 'table') {
    return (
      <tbody ref={node as never} onKeyDown={onKeyDown}>
        {before > 0 && <tr aria-hidden="true"><td colSpan={columns} style={{ height: before, padding: 0 }} /></tr>}
        {drawn}
        {behind > 0 && <tr aria-hidden="true"><td colSpan={columns} style={{ height: behind, padding: 0 }} /></tr>}
      </tbody>
    )
  }
  return (
    <ul ref={node as never} class="mf-rows" aria-label={label} onKeyDown={onKeyDown} style={{ paddingTop: before, paddingBottom: behind }}>
      {drawn}
    </ul>
  )
}
