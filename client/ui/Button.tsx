/** A button in one of the host's shapes. */
import type { ComponentChildren, VNode } from 'preact'
import { Icon } from './Icon.tsx'
import type { IconName } from './Icon.tsx'

export interface ButtonProps {
  readonly onClick: (event: MouseEvent) => void
  readonly children?: ComponentChildren
  /** `main` filled, `plain` outlined pill, `small` its low form, `text` bare, `danger` bare and red, `icon` a square with a drawing. */
  readonly kind?: 'main' | 'plain' | 'small' | 'text' | 'danger' | 'icon'
  readonly icon?: IconName
  readonly disabled?: boolean
  /** Accessible name where the content is no text. */
  readonly label?: string
  readonly tip?: string
  readonly tabIndex?: number
  readonly pressed?: boolean
}

export function Button({ onClick, children, kind = 'small', icon, disabled, label, tip, tabIndex, pressed }: ButtonProps): VNode {
  return (
    <button
      type="button"
      class={`mf-button mf-${kind}`}
      disabled={disabled === true}
      aria-label={label}
      aria-pressed={pressed}
      data-mf-tip={tip ?? (kind === 'icon' ? label : undefined)}
      tabIndex={tabIndex}
      onClick={onClick}
    >
      {icon && <Icon name={icon} size={kind === 'icon' ? 16 : 14} />}
      {children}
    </button>
  )
}
