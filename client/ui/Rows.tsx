/** A list of which only the part on screen (and a little more) is drawn; the rest is room of the right height. */
import type { RefObject, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Roving } from './focus.ts'

export interface RowsProps<T> {
  readonly items: readonly T[]
  /** Height of one row in px, gap included. */
  readonly height: number
  readonly render: (item: T) => VNode
  readonly label: string
  readonly roving: Roving
  /** `table` puts the rows into a tbody. */
  readonly as?: 'list' | 'table'
}

/** Rows drawn beyond either edge of the box. */
const SPARE = 8
/** Rows of the first paint: what a dialog shows at once. */
const FIRST = 10

/** Height of a row of models or entries, which takes two lines on a narrow page; the sheet says the same. */
export const rowHeight = (): number => (innerWidth > 720 ? 60 : 104)

function scrollBox(node: HTMLElement): HTMLElement {
  for (let at = node.parentElement; at; at = at.parentElement) if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at
  return document.documentElement
}

/** First and last (exclusive) of `total` rows that a box of `boxHeight` px shows whose top edge lies `offset` px below the list's. */
export function visibleRange(total: number, height: number, offset: number, boxHeight: number): readonly [number, number] {
  const first = Math.max(0, Math.min(total - 1, Math.floor(offset / height) - SPARE))
  return [first, Math.max(first, Math.min(total, Math.ceil((offset + boxHeight) / height) + SPARE))]
}

export function Rows<T>({ items, height, render, label, roving, as }: RowsProps<T>): VNode {
  const total = items.length
  const node = useRef<HTMLElement>(null)
  const [range, setRange] = useState<readonly [number, number]>([0, FIRST])
  // After the first paint, which shows the top of the list sooner for it.
  useEffect(() => {
    const list = node.current
    if (!list) return undefined
    const box = scrollBox(list)
    const look = (): void => {
      const next = visibleRange(total, height, box.getBoundingClientRect().top - list.getBoundingClientRect().top, box.clientHeight || 800)
      setRange((now) => (now.join() === next.join() ? now : next))
    }
    look()
    box.addEventListener('scroll', look)
    addEventListener('resize', look)
    return () => {
      box.removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }, [total, height])
  useEffect(() => void (node.current && roving.mend(node.current)))
  const last = Math.min(range[1], total)
  const first = Math.min(range[0], last)
  const drawn = items.slice(first, last).map(render)
  const room = (rows: number): VNode | false => rows > 0 && <tr aria-hidden="true"><td style={`height:${rows * height}px;padding:0`} /></tr>
  if (as) return <tbody ref={node as RefObject<HTMLTableSectionElement>} onKeyDown={roving.onKeyDown}>{room(first)}{drawn}{room(total - last)}</tbody>
  return <ul ref={node as RefObject<HTMLUListElement>} aria-label={label} onKeyDown={roving.onKeyDown} style={`padding:${first * height}px 0 ${(total - last) * height}px`}>{drawn}</ul>
}
