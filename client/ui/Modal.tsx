/** A dialog over the page: mask, title, close; Escape closes the innermost one only. */
import type { ComponentChildren, VNode } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { t } from '../text.ts'
import { Button } from './Button.tsx'
import { useFocusInside } from './focus.ts'
import { Layer } from './Layer.tsx'

export interface ModalProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly size?: 'small' | 'large'
  /** Stands beside the title. */
  readonly aside?: ComponentChildren
}

export function Modal(props: ModalProps): VNode {
  return <Layer><Frame {...props} /></Layer>
}

function Frame({ title, onClose, children, size = 'small', aside }: ModalProps): VNode {
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  const keepFocus = useFocusInside(box)
  const onKeyDown = (event: KeyboardEvent): void => {
    // Nothing typed in the dialog is a shortcut of the page behind it.
    event.stopPropagation()
    keepFocus(event)
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    onClose()
  }
  return (
    <div class="mf-overlay" onKeyDown={onKeyDown}>
      <div class="mf-mask" onClick={onClose} aria-hidden="true" />
      <div ref={box} class={`mf-modal mf-modal-${size}`} role="dialog" aria-modal="true" aria-labelledby={id} tabIndex={-1}>
        <header class="mf-modal-head">
          <h2 id={id} class="mf-modal-title">{title}</h2>
          {aside}
          <Button kind="icon" icon="close" label={t('close')} onClick={onClose} />
        </header>
        {children}
      </div>
    </div>
  )
}
