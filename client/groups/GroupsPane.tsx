/** Routing groups: choose one, bind it, and order what it holds. Used in the dialog and in the settings. */
import { useComputed, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Entry } from '../../src/contract/route.ts'
import { useShared, useWatch } from '../model/context.ts'
import { inOrder, moved } from '../model/groups.ts'
import { createPoll } from '../model/poll.ts'
import type { SessionModel } from '../model/session.ts'
import { createResource } from '../resource.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { useRoving } from '../ui/focus.ts'
import { Rows } from '../ui/Rows.tsx'
import { keyOf, sameRoute } from '../words.ts'
import { AddModels } from './AddModels.tsx'
import { BindBar } from './BindBar.tsx'
import { DefaultBar } from './DefaultBar.tsx'
import { EntryEditor } from './EntryEditor.tsx'
import { EntryRow } from './EntryRow.tsx'
import { FirstRun } from './FirstRun.tsx'
import { GroupBar } from './GroupBar.tsx'
import { OrderNow } from './OrderNow.tsx'

const PREVIEW_MS = 3000
const ROW = 64

export interface GroupsPaneProps {
  readonly session: SessionModel | null
  /** Shows only entries of this provider; null = all. */
  readonly provider?: string | null
}

export function GroupsPane({ session, provider = null }: GroupsPaneProps): VNode {
  const { app, groups } = useShared()
  const chosen = useSignal<string | null>(null)
  const bound = session?.info.data.value?.group?.id ?? app.status.data.value?.defaultBinding?.groupId
  const group = app.groups.value.find(({ id }) => id === (chosen.value ?? bound)) ?? app.groups.value[0] ?? null
  const id = useSignal(group?.id ?? null)
  useEffect(() => { id.value = group?.id ?? null }, [id, group?.id])
  const preview = useMemo(() => createResource(async (abort) => (id.value === null ? [] : (await app.api.call('preview', { body: { groupId: id.value }, signal: abort })).verdicts)), [app, id])
  const poll = useMemo(() => createPoll(app.clock, PREVIEW_MS, () => preview.refresh()), [app, preview])
  useWatch(poll.watch)
  useEffect(() => { void preview.refresh() }, [preview, group])
  const [asking, setAsking] = useState<'add' | 'order' | Entry | null>(null)
  const entries = inOrder(group?.models ?? []).filter((entry) => provider === null || entry.provider === provider)
  const verdicts = useComputed(() => new Map((preview.data.value ?? []).map((verdict) => [keyOf(verdict.route), verdict])))
  const roving = useRoving(entries[0] && keyOf(entries[0]))

  if (app.status.data.value === null) return <p class="mf-muted" role="status">{t('loading')}</p>
  if (group === null) return <div class="mf-pane"><FirstRun session={session} onMade={(made) => { chosen.value = made }} /><GroupBar group={null} onChoose={(made) => { chosen.value = made }} /></div>
  return (
    <div class="mf-pane">
      <GroupBar group={group} onChoose={(next) => { chosen.value = next }} />
      {session ? <BindBar session={session} group={group} /> : <DefaultBar group={group} />}
      <div class="mf-bar">
        <Button icon="plus" onClick={() => setAsking('add')}>{t('entry.add')}</Button>
        <Button icon="route" disabled={group.models.length === 0} onClick={() => setAsking('order')}>{t('order.now')}</Button>
        <span class="mf-grow" />
        <span class="mf-muted">{t('group.size', { n: entries.length, of: group.models.length })}</span>
      </div>
      {group.models.length === 0 && <p class="mf-empty">{t('group.empty')}</p>}
      <Rows
        items={entries}
        height={ROW}
        label={t('group.entries', { name: group.name })}
        onKeyDown={roving.onKeyDown}
        render={(entry) => (
          <EntryRow
            key={keyOf(entry)}
            group={group}
            entry={entry}
            verdict={verdicts.value.get(keyOf(entry)) ?? null}
            failed={app.failed.value.some((mark) => sameRoute(mark, entry))}
            movable={provider === null}
            roving={roving}
            onEdit={() => setAsking(entry)}
            onDrop={(route, behind) => void groups.edit(group.id, (models) => moved(models, route, entry, behind))}
          />
        )}
      />
      {asking === 'add' && <AddModels group={group} onClose={() => setAsking(null)} />}
      {asking === 'order' && <OrderNow verdicts={preview.data.value ?? []} onClose={() => setAsking(null)} />}
      {asking !== null && typeof asking === 'object' && <EntryEditor group={group} entry={asking} onClose={() => setAsking(null)} />}
    </div>
  )
}
