/** Try it: paste an error and see its class and what would happen; or judge the last failures anew. Nothing is changed. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Reply } from '../../src/contract/api.ts'
import type { ExplainReply } from '../../src/contract/status.ts'
import { clockTime } from '../format.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Select } from '../ui/Select.tsx'
import { classWord, routeText } from '../words.ts'
import { Explained } from './Explained.tsx'

/** The leading status of a pasted text, if it has one. */
export function statusOf(text: string): number | null {
  const found = /^\s*(?:HTTP\/[\d.]+\s+)?([1-5]\d{2})(?=[\s:,]|$)/i.exec(text)
  return found ? Number(found[1]) : null
}

export function Explain(): VNode {
  const { app } = useShared()
  const [text, setText] = useState('')
  const [code, setCode] = useState('')
  const [groupId, setGroupId] = useState('')
  const [result, setResult] = useState<ExplainReply | null>(null)
  const [replays, setReplays] = useState<Reply<'dryRun'>['replays'] | null>(null)
  const [busy, setBusy] = useState(false)
  const group = groupId === '' ? {} : { groupId }
  const judge = async (event: Event): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setResult(await app.act(() => app.api.call('explain', { body: { message: text, code: code.trim() || null, status: statusOf(text), ...group } })))
    setBusy(false)
  }
  const replay = async (): Promise<void> => {
    setBusy(true)
    setReplays((await app.act(() => app.api.call('dryRun', { body: group })))?.replays ?? null)
    setBusy(false)
  }
  return (
    <form class="mf-pane" onSubmit={(event) => void judge(event)}>
      <p class="mf-muted">{t('explain.intro')}</p>
      <textarea class="mf-textarea" rows={4} value={text} aria-label={t('explain.error')} placeholder={t('explain.placeholder')} onInput={(event) => setText(event.currentTarget.value)} />
      <div class="mf-bar">
        <input class="mf-input mf-input-date" value={code} aria-label={t('explain.code')} placeholder={t('explain.code')} onInput={(event) => setCode(event.currentTarget.value)} />
        <Select label={t('explain.group')} value={groupId} options={[{ value: '', text: t('explain.noGroup') }, ...app.groups.value.map(({ id, name }) => ({ value: id, text: name }))]} onChange={setGroupId} />
        <Button kind="main" disabled={busy || (text.trim() === '' && code.trim() === '')} onClick={(event) => void judge(event)}>{t('explain.judge')}</Button>
        <Button kind="plain" disabled={busy} onClick={() => void replay()}>{t('explain.replay')}</Button>
      </div>
      {result !== null && <Explained reply={result} />}
      {replays !== null && (
        <ul class="mf-rows">
          {replays.map((item) => (
            <li key={item.at} class="mf-candidate">
              <span class="mf-grow">{clockTime(item.at, app.now.value)} · {routeText(app.models.data.value, item.from)}</span>
              <span class="mf-muted">{t('explain.replayed', { was: classWord(item.before.class), to: item.before.to ? routeText(app.models.data.value, item.before.to) : t('decision.nowhere'), now: classWord(item.now.class), next: item.now.move?.to ? routeText(app.models.data.value, item.now.move.to) : t('decision.nowhere') })}</span>
            </li>
          ))}
          {replays.length === 0 && <li class="mf-muted">{t('explain.noReplay')}</li>}
        </ul>
      )}
    </form>
  )
}
