/** Routing groups: choose one, bind it, and order what it holds. Used in the dialog and in the settings. */
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Entry } from '../../src/contract/route.ts'
import { useShared, useWatch } from '../model/context.ts'
import { inOrder } from '../model/groups.ts'
import { createPoll } from '../model/poll.ts'
import type { SessionModel } from '../model/session.ts'
import { createResource } from '../resource.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { useRoving } from '../ui/focus.ts'
import { rowHeight, Rows } from '../ui/Rows.tsx'
import { keyOf } from '../words.ts'
import { AddModels } from './AddModels.tsx'
import { BindBar } from './BindBar.tsx'
import { EntryEditor } from './EntryEditor.tsx'
import { EntryRow } from './EntryRow.tsx'
import { FirstRun } from './FirstRun.tsx'
import { GroupBar } from './GroupBar.tsx'

const PREVIEW_MS = 3000

export interface GroupsPaneProps {
  readonly session: SessionModel | null
  /** Shows only entries of this provider; null = all. */
  readonly provider?: string | null
}

export function GroupsPane({ session, provider = null }: GroupsPaneProps): VNode {
  const { app } = useShared()
  const chosen = useSignal<string | null>(null)
  const id = useSignal('')
  const preview = useMemo(() => createResource(async (abort) => (id.value ? (await app.api.call('preview', { body: { groupId: id.value }, signal: abort })).verdicts : [])), [app, id])
  useWatch(useMemo(() => createPoll(app.clock, PREVIEW_MS, preview.refresh).watch, [app, preview]))
  const [open, setOpen] = useState<'add' | Entry | null>(null)
  const [asTried, setAsTried] = useState(false)
  const bound = session ? session.info.data.value?.group?.id : app.defaultBinding.value?.id
  const group = app.groups.value.find((each) => each.id === (chosen.value ?? bound)) ?? app.groups.value[0] ?? null
  const shown = group?.id ?? ''
  // What is looked at stays, whatever the session is bound to meanwhile.
  const known = !session || session.info.data.value !== null
  useEffect(() => {
    if (known && shown) chosen.value = shown
    setOpen(null)
  }, [known, shown])
  useEffect(() => {
    id.value = shown
    void preview.refresh()
  }, [group])
  const verdicts = preview.data.value ?? []
  const rank = new Map(verdicts.map(({ route }, index) => [keyOf(route), index]))
  const place = (entry: Entry): number => rank.get(keyOf(entry)) ?? 9999
  const entries = inOrder(group?.models ?? []).filter((entry) => !provider || entry.provider === provider)
  if (asTried) entries.sort((a, b) => place(a) - place(b))
  const roving = useRoving(entries[0] && keyOf(entries[0]))
  const choose = (next: string): void => { chosen.value = next }

  if (!app.status.data.value) return <p class="mf-muted" role="status">{t('state.loading')}</p>
  if (!group) return <div class="mf-pane"><FirstRun session={session} onMade={choose} /><GroupBar group={null} onChoose={choose} /></div>
  return (
    <div class="mf-pane">
      <GroupBar group={group} onChoose={choose} />
      <BindBar session={session} group={group} />
      <div class="mf-bar">
        <Button icon="plus" onClick={() => setOpen('add')}>{t('entry.add')}</Button>
        <Button icon="route" pressed={asTried} onClick={() => setAsTried(!asTried)}>{t('entry.asTried')}</Button>
      </div>
      {!entries.length && <p class="mf-empty">{t(group.models.length ? 'models.none' : 'entry.none')}</p>}
      <Rows
        items={entries}
        height={rowHeight()}
        label={group.name}
        roving={roving}
        render={(entry) => <EntryRow key={keyOf(entry)} group={group} entry={entry} verdict={verdicts[place(entry)] ?? null} movable={!provider && !asTried} roving={roving} onEdit={() => setOpen(entry)} />}
      />
      {open === 'add' && <AddModels group={group} onClose={() => setOpen(null)} />}
      {open && open !== 'add' && <EntryEditor group={group} route={open} onClose={() => setOpen(null)} />}
    </div>
  )
}
