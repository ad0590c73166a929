/** An on/off switch. */
import type { VNode } from 'preact'

export interface SwitchProps {
  readonly on: boolean
  readonly label: string
  readonly onChange: (on: boolean) => void
  readonly disabled?: boolean
  readonly tone?: 'normal' | 'danger'
  readonly tip?: string
  /** Shows the label beside the switch; else it is only its accessible name. */
  readonly shown?: boolean
  readonly tabIndex?: number
}

export function Switch({ on, label, onChange, disabled, tone = 'normal', tip, shown, tabIndex }: SwitchProps): VNode {
  return (
    <button
      type="button"
      role="switch"
      class={`mf-switch mf-switch-${tone}`}
      aria-checked={on}
      aria-label={label}
      disabled={disabled === true}
      data-mf-tip={tip}
      tabIndex={tabIndex}
      onClick={() => onChange(!on)}
    >
      <span class="mf-switch-track" aria-hidden="true"><span class="mf-switch-knob" /></span>
      {shown === true && <span>{label}</span>}
    </button>
  )
}
