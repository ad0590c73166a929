/** The plugin's own drawings: strokes in the text's colour, so that no icon set of a host version is needed. */
import type { VNode } from 'preact'

const SHAPES = {
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4L6 8l4 4',
  check: 'M3 8.5l3.5 3.5L13 5',
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM10.6 10.6L14 14',
  copy: 'M5.5 5.5v-2a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2M3.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1z',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
  trash: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9',
  pen: 'M3 13l.6-3L10.5 3.1l2.4 2.4L6 12.4 3 13z',
  warn: 'M8 2.5L14 13H2L8 2.5zM8 6.5v3M8 11.3v.01',
  route: 'M3 12.5h3c4 0 2-9 6-9h1M11 1.5l2 2-2 2',
  home: 'M2.5 8L8 3l5.5 5M4 7v6h8V7',
  image: 'M2.5 3.5h11v9h-11zM5.5 6.5h.01M3 12l3.5-3.5 2 2L11 8l2.5 2.5',
} as const

export type IconName = keyof typeof SHAPES

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): VNode {
  return (
    <svg class="mf-icon" width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width={name === 'grip' ? 2 : 1.4} stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">
      <path d={SHAPES[name]} />
    </svg>
  )
}
