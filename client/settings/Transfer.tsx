/** The whole configuration as one document: save it, or load one and see the difference before it is applied. */
import type { VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Body } from '../../src/contract/api.ts'
import type { DiffLine } from '../../src/contract/transfer.ts'
import { day } from '../format.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/Modal.tsx'
import { DiffList } from './DiffList.tsx'

/** Hands a text over as a file. */
function download(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

interface Pending { readonly document: Body<'importConfig'>; readonly diff: readonly DiffLine[] }

export function Transfer(): VNode {
  const { app } = useShared()
  const file = useRef<HTMLInputElement>(null)
  const [pending, setPending] = useState<Pending | null>(null)
  const save = async (): Promise<void> => {
    const reply = await app.act(() => app.api.call('exportConfig'))
    if (reply !== null) download(`model-failover-${day(app.clock.now())}.json`, `${JSON.stringify(reply, null, 2)}\n`)
  }
  const look = async (chosen: File | undefined): Promise<void> => {
    if (!chosen) return
    let document: Body<'importConfig'>
    try {
      document = JSON.parse(await chosen.text()) as Body<'importConfig'>
    } catch {
      app.notices.say(t('import.noJson', { name: chosen.name }), 'error')
      return
    } finally {
      if (file.current) file.current.value = ''
    }
    const reply = await app.act(() => app.api.call('importConfig', { body: document, query: { dryRun: '1' } }))
    if (reply !== null) setPending({ document, diff: reply.diff })
  }
  const apply = async (): Promise<void> => {
    if (pending === null) return
    const reply = await app.act(() => app.api.call('importConfig', { body: pending.document }))
    if (reply === null) return
    setPending(null)
    app.notices.say(t('import.done', { n: reply.diff.length }))
    await app.status.refresh()
  }
  return (
    <section class="mf-card">
      <h3 class="mf-card-title">{t('transfer.title')}</h3>
      <p class="mf-muted">{t('transfer.tip')}</p>
      <div class="mf-bar">
        <Button onClick={() => void save()}>{t('export')}</Button>
        <Button onClick={() => file.current?.click()}>{t('import')}</Button>
        <input ref={file} type="file" accept="application/json,.json" class="mf-hidden" aria-label={t('import')} tabIndex={-1} onChange={(event) => void look(event.currentTarget.files?.[0])} />
      </div>
      {pending !== null && (
        <Modal title={t('import.title')} onClose={() => setPending(null)}>
          <div class="mf-modal-scroll mf-modal-body" tabIndex={0}><DiffList diff={pending.diff} /></div>
          <footer class="mf-modal-foot">
            <Button kind="plain" onClick={() => setPending(null)}>{t('cancel')}</Button>
            <Button kind="main" disabled={pending.diff.length === 0} onClick={() => void apply()}>{t('import.apply', { n: pending.diff.length })}</Button>
          </footer>
        </Modal>
      )}
    </section>
  )
}
