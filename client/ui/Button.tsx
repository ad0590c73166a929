/** A button in one of the host's shapes. */
import type { ComponentChildren, VNode } from 'preact'
import { Icon } from './Icon.tsx'
import type { IconName } from './Icon.tsx'

export interface ButtonProps {
  readonly onClick: (event: MouseEvent) => void
  readonly children?: ComponentChildren
  /** `small` outlined pill, `main` filled, `text` bare, `danger` bare and red, `icon` a square with a drawing. */
  readonly kind?: 'main' | 'small' | 'text' | 'danger' | 'icon'
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
    <button type="button" class={`mf-button mf-b-${kind}`} disabled={disabled} aria-label={label} aria-pressed={pressed} data-mf-tip={tip ?? (children ? undefined : label)} tabIndex={tabIndex} onClick={onClick}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}
