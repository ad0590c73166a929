/** Asks for the name of a group. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/Modal.tsx'

export interface NameDialogProps {
  readonly title: string
  readonly name: string
  /** Names of other groups. */
  readonly taken: readonly string[]
  /** Answers whether it worked; the dialog closes then. */
  readonly onSave: (name: string) => Promise<boolean>
  readonly onClose: () => void
}

/** What is wrong with a name, or null. */
export function nameProblem(name: string, taken: readonly string[]): string | null {
  const text = name.trim()
  if (text === '') return t('name.empty')
  if (text.length > 80) return t('name.long')
  return taken.includes(text) ? t('name.taken') : null
}

export function NameDialog({ title, name, taken, onSave, onClose }: NameDialogProps): VNode {
  const [draft, setDraft] = useState(name)
  const [busy, setBusy] = useState(false)
  const problem = nameProblem(draft, taken)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (problem !== null || busy) return
    setBusy(true)
    const done = await onSave(draft.trim())
    setBusy(false)
    if (done) onClose()
  }
  return (
    <Modal title={title} onClose={onClose}>
      <form class="mf-modal-body" onSubmit={(event) => void submit(event)}>
        <input data-mf-first class="mf-input mf-input-wide" aria-label={t('group.name')} placeholder={t('group.name')} value={draft} aria-invalid={draft !== '' && problem !== null} onInput={(event) => setDraft(event.currentTarget.value)} />
        <p class="mf-problem" role="status">{draft === '' ? '' : problem}</p>
      </form>
      <footer class="mf-modal-foot">
        <Button kind="plain" onClick={onClose}>{t('cancel')}</Button>
        <Button kind="main" disabled={problem !== null || busy} onClick={(event) => void submit(event)}>{t('save')}</Button>
      </footer>
    </Modal>
  )
}
