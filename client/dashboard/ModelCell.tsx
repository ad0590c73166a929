/** Name, group, and the two acts on this row: test it, take it out of the group; the speed test's result below. */
import type { VNode } from 'preact'
import { latency, speed } from '../format.ts'
import { useShared } from '../model/context.ts'
import { withoutRoute } from '../model/groups.ts'
import type { Line } from '../model/table.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { routeName, sameRoute } from '../words.ts'

export function ModelCell({ line, tabIndex }: { readonly line: Line; readonly tabIndex: number }): VNode {
  const { app, groups, dashboard } = useShared()
  const { row, group } = line
  const name = routeName(app.models.data.value, row)
  const test = dashboard.speedtest.data.value
  const result = test?.results.find((entry) => sameRoute(entry, row))
  const waiting = test?.running === true && !result && test.targets.some((target) => sameRoute(target, row))
  const remove = async (): Promise<void> => {
    if (group && await groups.edit(group.id, (models) => withoutRoute(models, row))) void dashboard.metrics.refresh()
  }
  return (
    <th scope="row" class="mf-cell-model">
      <span class="mf-row-name" data-mf-tip={`${name.provider} · ${name.model}\n${row.provider}/${row.model}`}>{name.model}</span>
      <span class="mf-sub">{name.provider}{group && ` · ${group.name} #${group.priority}`}</span>
      <span class="mf-cell-acts">
        <Button kind="text" tabIndex={tabIndex} disabled={test?.running === true} label={t('speed.oneOf', { model: name.model })} onClick={() => void dashboard.measure({ models: [row] })}>{t('speed.one')}</Button>
        {group && <Button kind="text" tabIndex={tabIndex} label={t('board.removeOf', { model: name.model, group: group.name })} tip={t('board.removeTip')} onClick={() => void remove()}>{t('board.remove')}</Button>}
      </span>
      <span class="mf-sub" role="status">
        {waiting && t('speed.running')}
        {result && (result.ok ? t('speed.result', { ttft: latency(result.ttftMs), tps: speed(result.tps) }) : t('speed.failed', { code: result.errorCode ?? '?' }))}
      </span>
    </th>
  )
}
