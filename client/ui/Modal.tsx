/** A dialog over the page: the browser's own, so that focus, Escape and the layer on top are right by themselves. */
import type { ComponentChildren, VNode } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../text.ts'
import { Button } from './Button.tsx'

export interface ModalProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly large?: boolean
}

export function Modal({ title, onClose, children, large }: ModalProps): VNode {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  const pressed = useRef<EventTarget | null>(null)
  useLayoutEffect(() => {
    const dialog = box.current
    dialog?.showModal()
    // Closing gives the focus back; merely taking the element away would not.
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={box}
      class={large ? 'mf mf-modal mf-large' : 'mf mf-modal'}
      aria-labelledby={id}
      // Nothing typed in the dialog is a shortcut of the page behind it.
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={(event) => {
        event.preventDefault()
        event.stopPropagation()
        onClose()
      }}
      // A selection that is dragged out of the dialog ends on the backdrop and is no click on it.
      onPointerDown={({ target }) => { pressed.current = target }}
      onClick={({ target }) => target === box.current && target === pressed.current && onClose()}
    >
      <div>
        <header>
          <h2 id={id}>{title}</h2>
          <Button kind="icon" icon="close" label={t('act.close')} onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  )
}
