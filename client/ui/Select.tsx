/** A native choice list in the host's dress. */
import type { VNode } from 'preact'

export interface Option { readonly value: string; readonly text: string }

export interface SelectProps {
  readonly value: string
  readonly options: readonly Option[]
  readonly label: string
  readonly onChange: (value: string) => void
  readonly tabIndex?: number
}

export function Select({ value, options, label, onChange, tabIndex }: SelectProps): VNode {
  return (
    <span class="mf-select">
      <select aria-label={label} value={value} tabIndex={tabIndex} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => <option key={option.value} value={option.value} selected={option.value === value}>{option.text}</option>)}
      </select>
    </span>
  )
}
