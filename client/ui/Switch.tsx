/** An on/off switch with its label beside it. */
import type { VNode } from 'preact'

export interface SwitchProps {
  readonly on: boolean
  readonly label: string
  readonly onChange: (on: boolean) => void
  /** Shown beside the switch where it differs from the accessible name; '' = nothing. */
  readonly text?: string
  readonly disabled?: boolean
  /** On means trouble. */
  readonly danger?: boolean
  readonly tip?: string
  readonly tabIndex?: number
}

export function Switch({ on, label, onChange, text = label, disabled, danger, tip, tabIndex }: SwitchProps): VNode {
  return (
    <button type="button" role="switch" class={danger ? 'mf-switch mf-switch-danger' : 'mf-switch'} aria-checked={on} aria-label={label} disabled={disabled} data-mf-tip={tip} tabIndex={tabIndex} onClick={() => onChange(!on)}>
      <i />{text}
    </button>
  )
}
