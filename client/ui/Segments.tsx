/** A few choices side by side, one of them in force. */
import type { VNode } from 'preact'
import type { Option } from './Select.tsx'

export interface SegmentsProps {
  readonly label: string
  readonly options: readonly Option[]
  readonly value: string | null
  readonly onChange: (value: string) => void
  readonly disabled?: boolean
}

export function Segments({ label, options, value, onChange, disabled }: SegmentsProps): VNode {
  return (
    <div class="mf-segments" role="group" aria-label={label}>
      {options.map((option) => <button key={option.value} type="button" aria-pressed={option.value === value} disabled={disabled} onClick={() => onChange(option.value)}>{option.text}</button>)}
    </div>
  )
}
