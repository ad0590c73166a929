/** Try it: paste an error and see its class and what would happen; or judge the last failures anew. Nothing is changed. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Reply } from '../../src/contract/api.ts'
import type { Route } from '../../src/contract/route.ts'
import { clockTime } from '../format.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Candidates } from '../ui/Candidates.tsx'
import { Select } from '../ui/Select.tsx'
import { classWord, routeText } from '../words.ts'

export function Explain(): VNode {
  const { app } = useShared()
  const [message, setMessage] = useState('')
  const [code, setCode] = useState('')
  const [groupId, setGroupId] = useState('')
  const [reply, setReply] = useState<Reply<'explain'> | null>(null)
  const [replays, setReplays] = useState<Reply<'dryRun'>['replays'] | null>(null)
  const group = groupId ? { groupId } : {}
  const name = (route: Route | null | undefined): string => (route ? routeText(app.models.data.value, route) : t('why.nowhere'))
  const judge = async (): Promise<void> => setReply(await app.act(() => app.api.call('explain', { body: { message, code: code.trim() || null, ...group } })))
  const replay = async (): Promise<void> => setReplays((await app.act(() => app.api.call('dryRun', { body: group })))?.replays ?? null)
  return (
    <>
      <p class="mf-muted">{t('explain.intro')}</p>
      <textarea class="mf-input" rows={4} value={message} aria-label={t('explain.error')} placeholder={'429 {"error":{"message":"…"}}'} onInput={(event) => setMessage(event.currentTarget.value)} />
      <div class="mf-bar">
        <input class="mf-input" value={code} aria-label={t('explain.code')} placeholder={t('explain.code')} onInput={(event) => setCode(event.currentTarget.value)} />
        <Select label={t('group.choose')} value={groupId} options={[{ value: '', text: t('explain.noGroup') }, ...app.groups.value.map((each) => ({ value: each.id, text: each.name }))]} onChange={setGroupId} />
        <Button kind="main" disabled={!(message + code).trim()} onClick={() => void judge()}>{t('explain.judge')}</Button>
        <Button onClick={() => void replay()}>{t('explain.replay')}</Button>
      </div>
      {reply && (
        <div class="mf-card" role="status">
          <b>{classWord(reply.class)}</b>
          <p>{t(`scope.${reply.scope}`)} · {t(`takeOver.${reply.takeOver}`)} · {t(reply.mark ? 'explain.mark' : 'explain.noMark')}{reply.hold && ` · ${t('explain.held', { scope: t(`scope.${reply.hold.scope}`), at: clockTime(reply.hold.until, app.now.value) })}`}</p>
          {reply.move && <p>→ {name(reply.move.to)}</p>}
          <code>{reply.rule}</code>
          {reply.move && <Candidates verdicts={reply.move.verdicts} />}
        </div>
      )}
      {replays?.map(({ at, from, before, now }) => (
        <div key={at} class="mf-row">
          <span class="mf-grow">{clockTime(at, app.now.value)} {name(from)}</span>
          <small>{classWord(before.class)} → {name(before.to)}<br />{t('explain.now')} {classWord(now.class)} → {name(now.move?.to)}</small>
        </div>
      ))}
      {replays?.length === 0 && <p class="mf-muted">{t('explain.noReplay')}</p>}
    </>
  )
}
