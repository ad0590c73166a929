/** Which group is looked at, and what can be done with it as a whole. */
import type { VNode } from 'preact'
import type { Group } from '../../src/contract/group.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Input } from '../ui/Input.tsx'
import { Select } from '../ui/Select.tsx'
import { Sure } from '../ui/Sure.tsx'
import { Switch } from '../ui/Switch.tsx'

export interface GroupBarProps {
  readonly group: Group | null
  readonly onChoose: (id: string) => void
}

export function GroupBar({ group, onChoose }: GroupBarProps): VNode {
  const { app, groups } = useShared()
  const names = new Set(app.groups.value.map(({ name }) => name))
  const rename = (name: string): string | null => {
    if (name === '' || name.length > 80) return t('group.nameWrong')
    if (name !== group?.name && names.has(name)) return t('group.nameTaken')
    if (group) void groups.change(group.id, { name })
    return null
  }
  const create = async (): Promise<void> => {
    let n = 1
    while (names.has(t('group.fresh', { n }))) n += 1
    const made = await groups.create(t('group.fresh', { n }))
    if (made) onChoose(made.id)
  }
  return (
    <div class="mf-bar">
      {group && (
        <>
          <Select label={t('group.choose')} value={group.id} options={app.groups.value.map(({ id, name }) => ({ value: id, text: name }))} onChange={onChoose} />
          <Input key={group.id} width={150} label={t('group.name')} value={group.name} onCommit={rename} />
          <Switch on={group.enabled} label={t('group.enabled')} onChange={(enabled) => void groups.change(group.id, { enabled })} />
          <span class="mf-grow" />
          <Sure text={t('group.delete')} ask={t('group.deleteSure')} onClick={() => void groups.remove(group.id)} />
        </>
      )}
      <Button icon="plus" onClick={() => void create()}>{t('group.new')}</Button>
    </div>
  )
}
