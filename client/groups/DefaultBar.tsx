/** Which group new sessions begin with. */
import type { VNode } from 'preact'
import type { BindingMode, Group } from '../../src/contract/group.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Select } from '../ui/Select.tsx'

export function DefaultBar({ group }: { readonly group: Group }): VNode {
  const { app } = useShared()
  const given = app.status.data.value?.defaultBinding ?? null
  const here = given?.groupId === group.id ? given.mode : 'none'
  const choose = async (mode: string): Promise<void> => {
    const groupId = mode === 'none' ? null : group.id
    const reply = await app.act(() => app.api.call('setDefaultGroup', { body: { groupId, mode: (groupId === null ? 'failover' : mode) as BindingMode } }))
    if (reply) app.adopt({ defaultBinding: reply.defaultBinding })
  }
  const other = given !== null && here === 'none' ? app.groups.value.find(({ id }) => id === given.groupId)?.name : undefined
  return (
    <div class="mf-bar">
      <span class="mf-label">{t('default.label')}</span>
      <Select small label={t('default.label')} value={here} options={(['none', 'route', 'failover'] as const).map((value) => ({ value, text: t(`bind.${value}`) }))} onChange={(mode) => void choose(mode)} />
      {other !== undefined && <span class="mf-muted">{t('default.other', { name: other })}</span>}
    </div>
  )
}
