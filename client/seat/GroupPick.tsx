/** The session's group and mode, in the small menu. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { BindBar } from '../groups/BindBar.tsx'
import { FirstRun } from '../groups/FirstRun.tsx'
import { useShared } from '../model/context.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { Select } from '../ui/Select.tsx'

export function GroupPick({ session }: { readonly session: SessionModel }): VNode {
  const { app } = useShared()
  const [chosen, setChosen] = useState<string | null>(null)
  const bound = session.info.data.value?.group?.id
  const group = app.groups.value.find(({ id }) => id === (chosen ?? bound)) ?? app.groups.value[0]
  if (!group) return <FirstRun session={session} onMade={setChosen} />
  return (
    <div class="mf-menu-pad">
      <Select label={t('group.choose')} value={group.id} options={app.groups.value.map(({ id, name }) => ({ value: id, text: name }))} onChange={setChosen} />
      <BindBar session={session} group={group} />
    </div>
  )
}
