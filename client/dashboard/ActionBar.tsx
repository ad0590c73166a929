/** Acts on one group from the dashboard: number by the current order, test the speed, restore what failed. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Group } from '../../src/contract/group.ts'
import { priorityOf } from '../groups/hours.ts'
import { useShared } from '../model/context.ts'
import { rankable } from '../model/table.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Input } from '../ui/Input.tsx'
import { Select } from '../ui/Select.tsx'
import { sameRoute } from '../words.ts'

export function ActionBar({ group, onChoose }: { readonly group: Group; readonly onChoose: (id: string) => void }): VNode {
  const { app, groups, routes, dashboard } = useShared()
  const [start, setStart] = useState(1)
  const order = rankable(dashboard.lines.value, group.id)
  const tooFar = start + order.length > 1000
  const failed = app.failed.value.filter((mark) => group.models.some((entry) => sameRoute(entry, mark)))
  const test = dashboard.speedtest.data.value
  const commit = (text: string): string | null => {
    const value = priorityOf(text)
    if (value === null) return t('entry.priorityWrong')
    setStart(value)
    return null
  }
  const reorder = async (): Promise<void> => {
    await groups.reorder(group.id, start, order)
    await dashboard.metrics.refresh()
  }
  return (
    <div class="mf-bar">
      <Select label={t('group.choose')} value={group.id} options={app.groups.value.map(({ id, name }) => ({ value: id, text: name }))} onChange={onChoose} />
      <span class="mf-muted">{t('board.start')}</span>
      <Input width={48} label={t('board.start')} value={`${start}`} onCommit={commit} />
      <Button disabled={!order.length || tooFar} tip={t(tooFar ? 'board.tooFar' : 'board.reorderTip')} onClick={() => void reorder()}>{t('board.reorder', { n: order.length })}</Button>
      {test?.running
        ? <Button onClick={() => void dashboard.cancel()}>{t('speed.cancel', { done: test.done, total: test.total })}</Button>
        : <Button tip={t('speed.tip')} onClick={() => void dashboard.measure({ groupId: group.id })}>{t('speed.all')}</Button>}
      <Button disabled={!failed.length} onClick={() => void routes.restore(failed)}>{t('board.restore', { n: failed.length })}</Button>
    </div>
  )
}
