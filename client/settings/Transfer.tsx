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

/** Hands a text over as a file. */
function download(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

const show = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, 120)

type Document = Body<'importConfig'>
interface Pending { readonly document: Document; readonly diff: readonly DiffLine[] }

export function Transfer(): VNode {
  const { app } = useShared()
  const file = useRef<HTMLInputElement>(null)
  const [pending, setPending] = useState<Pending | null>(null)
  const save = async (): Promise<void> => {
    const reply = await app.act(() => app.api.call('exportConfig'))
    if (reply) download(`model-failover-${day(app.now.value)}.json`, JSON.stringify(reply, null, 2))
  }
  const look = async (chosen: File | undefined): Promise<void> => {
    if (!chosen) return
    const text = await chosen.text()
    if (file.current) file.current.value = ''
    let document: Document
    try {
      document = JSON.parse(text) as Document
    } catch {
      app.notices.say(t('import.noJson', { name: chosen.name }))
      return
    }
    const reply = await app.act(() => app.api.call('importConfig', { body: document, query: { dryRun: '1' } }))
    if (reply) setPending({ document, diff: reply.diff })
  }
  const apply = async (document: Document): Promise<void> => {
    const reply = await app.act(() => app.api.call('importConfig', { body: document }))
    if (!reply) return
    setPending(null)
    app.notices.say(t('import.done', { n: reply.diff.length }))
    void app.status.refresh()
  }
  return (
    <section class="mf-card">
      <h3>{t('import.title')}</h3>
      <p class="mf-muted">{t('import.tip')}</p>
      <div class="mf-bar">
        <Button onClick={() => void save()}>{t('import.export')}</Button>
        <Button onClick={() => file.current?.click()}>{t('import.import')}</Button>
        <input ref={file} type="file" hidden accept=".json" aria-label={t('import.import')} onChange={(event) => void look(event.currentTarget.files?.[0])} />
      </div>
      {pending && (
        <Modal title={t('import.diff')} onClose={() => setPending(null)}>
          <ul class="mf-scroll" tabIndex={0}>
            {pending.diff.map(({ op, path, before, after }) => <li key={`${op} ${path}`} class="mf-row"><em>{t(`diff.${op}`)}</em><span class="mf-grow">{path}</span>{op === 'change' && <small>{show(before)} → {show(after)}</small>}</li>)}
            {!pending.diff.length && <li class="mf-empty">{t('diff.none')}</li>}
          </ul>
          <div class="mf-scroll"><Button kind="main" disabled={!pending.diff.length} onClick={() => void apply(pending.document)}>{t('import.apply', { n: pending.diff.length })}</Button></div>
        </Modal>
      )}
    </section>
  )
}
