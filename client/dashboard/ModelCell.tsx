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
  const { provider, model } = routeName(app.models.data.value, row)
  const test = dashboard.speedtest.data.value
  const result = test?.results.find((entry) => sameRoute(entry, row))
  const waiting = test?.running && !result && test.targets.some((target) => sameRoute(target, row))
  const remove = async (): Promise<void> => {
    if (group && await groups.edit(group.id, (models) => withoutRoute(models, row))) void dashboard.metrics.refresh()
  }
  return (
    <th scope="row">
      <b data-mf-tip={`${row.provider}/${row.model}`}>{model}</b>
      <small>{provider}{group && ` · ${group.name} #${group.priority}`}</small>
      <Button kind="text" tabIndex={tabIndex} disabled={test?.running ?? false} label={t('speed.oneOf', { model })} onClick={() => void dashboard.measure({ models: [row] })}>{t('speed.one')}</Button>
      {group && <Button kind="text" tabIndex={tabIndex} label={t('board.removeOf', { model, group: group.name })} onClick={() => void remove()}>{t('board.remove')}</Button>}
      <small role="status">{waiting ? t('speed.running') : result && (result.ok ? `${latency(result.ttftMs)} · ${speed(result.tps)} tok/s` : t('speed.failed', { code: result.errorCode ?? '' }))}</small>
    </th>
  )
}
