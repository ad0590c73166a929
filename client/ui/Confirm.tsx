/** A question before something that cannot be undone. */
import type { VNode } from 'preact'
import { t } from '../text.ts'
import { Button } from './Button.tsx'
import { Modal } from './Modal.tsx'

export interface ConfirmProps {
  readonly title: string
  readonly text: string
  readonly act: string
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function Confirm({ title, text, act, onConfirm, onClose }: ConfirmProps): VNode {
  const confirm = (): void => {
    onClose()
    onConfirm()
  }
  return (
    <Modal title={title} onClose={onClose}>
      <p class="mf-modal-body">{text}</p>
      <footer class="mf-modal-foot">
        <Button kind="plain" onClick={onClose}>{t('cancel')}</Button>
        <Button kind="main" onClick={confirm}>{act}</Button>
      </footer>
    </Modal>
  )
}
