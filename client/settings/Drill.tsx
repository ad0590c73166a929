/** Practice: a built-in provider whose models fail on command. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { DRILL_PROVIDER, firstEntries } from '../groups/firstGroup.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Select } from '../ui/Select.tsx'
import { Setting } from './Setting.tsx'

export function Drill(): VNode {
  const { app, groups } = useShared()
  const [chosen, setChosen] = useState('')
  const models = app.models.data.value
  const faults = models?.providers.find(({ id }) => id === DRILL_PROVIDER)?.models ?? []
  const fault = faults.find(({ id }) => id === chosen) ?? faults.find(({ id }) => id.includes('quota')) ?? faults[0]
  const make = async (): Promise<void> => {
    if (!fault || !models) return
    const own = firstEntries(models, null).slice(0, 3).map((entry) => ({ ...entry, priority: entry.priority + 1 }))
    const group = await groups.create(t('drill.name', { fault: fault.name }), [{ provider: DRILL_PROVIDER, model: fault.id, priority: 1 }, ...own])
    if (group) app.notices.say(t('drill.made', { name: group.name }))
  }
  return (
    <>
      <p class="mf-muted">{t('drill.intro')}</p>
      <Setting name="drill" />
      {app.settings.value?.drill && (
        <div class="mf-bar">
          {fault && <Select label={t('drill.fault')} value={fault.id} options={faults.map(({ id, name }) => ({ value: id, text: name }))} onChange={setChosen} />}
          {fault ? <Button kind="main" onClick={() => void make()}>{t('drill.make')}</Button> : <Button onClick={() => void app.models.refresh()}>{t('act.retry')}</Button>}
        </div>
      )}
    </>
  )
}
