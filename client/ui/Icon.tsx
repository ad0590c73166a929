/** The plugin's own drawings: strokes in the text's colour, so that no icon set of a host version is needed. */
import type { VNode } from 'preact'

const SHAPES = {
  down: 'M4 6l4 4 4-4',
  check: 'M3 8.5l3.5 3.5L13 5',
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6L14 14',
  grip: 'M6 4h0M10 4h0M6 8h0M10 8h0M6 12h0M10 12h0',
  route: 'M3 12.5h3c4 0 2-9 6-9h1M11 1.5l2 2-2 2',
} as const

export type IconName = keyof typeof SHAPES

/** `up`: turned upside down. */
export function Icon({ name, size = 16, up }: { readonly name: IconName; readonly size?: number; readonly up?: boolean }): VNode {
  return (
    <svg class={up ? 'mf-icon mf-up' : 'mf-icon'} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  )
}
