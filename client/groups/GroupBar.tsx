/** Which group is looked at, and what can be done with it as a whole. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Group } from '../../src/contract/group.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Select } from '../ui/Select.tsx'
import { Switch } from '../ui/Switch.tsx'
import { NameDialog } from './NameDialog.tsx'

export interface GroupBarProps {
  readonly group: Group | null
  readonly onChoose: (id: string) => void
}

export function GroupBar({ group, onChoose }: GroupBarProps): VNode {
  const { app, groups } = useShared()
  const [asking, setAsking] = useState<'new' | 'name' | 'delete' | null>(null)
  const close = (): void => setAsking(null)
  const save = async (name: string): Promise<boolean> => {
    if (asking === 'name' && group) return groups.change(group.id, { name })
    const made = await groups.create(name)
    if (made) onChoose(made.id)
    return made !== null
  }
  return (
    <div class="mf-bar">
      {group && <Select label={t('group.choose')} value={group.id} options={app.groups.value.map(({ id, name }) => ({ value: id, text: name }))} onChange={onChoose} />}
      <Button icon="plus" onClick={() => setAsking('new')}>{t('group.new')}</Button>
      {group && (
        <>
          <Button icon="pen" onClick={() => setAsking('name')}>{t('group.rename')}</Button>
          <Button kind="danger" onClick={() => setAsking('delete')}>{t('group.delete')}</Button>
          <span class="mf-grow" />
          <Switch shown on={group.enabled} label={t('group.enabled')} onChange={(enabled) => void groups.change(group.id, { enabled })} />
        </>
      )}
      {(asking === 'new' || asking === 'name') && <NameDialog title={t(asking === 'new' ? 'group.new' : 'group.rename')} name={asking === 'name' ? group?.name ?? '' : ''} taken={app.groups.value.filter(({ id }) => asking === 'new' || id !== group?.id).map(({ name }) => name)} onSave={save} onClose={close} />}
      {asking === 'delete' && group && <Confirm title={t('group.deleteTitle', { name: group.name })} text={t('group.deleteText')} act={t('group.delete')} onConfirm={() => void groups.remove(group.id)} onClose={close} />}
    </div>
  )
}
