/** One model of one group in the dashboard. */
import type { VNode } from 'preact'
import { NONE, clockTime, latency, percent, speed } from '../format.ts'
import { useShared } from '../model/context.ts'
import { successShare, warns } from '../model/table.ts'
import type { Line } from '../model/table.ts'
import { t } from '../text.ts'
import type { Roving } from '../ui/focus.ts'
import { LimitInput } from '../ui/LimitInput.tsx'
import { ModelCell } from './ModelCell.tsx'
import { StateCell } from './StateCell.tsx'
import { TokenCell } from './TokenCell.tsx'

export function Row({ line, roving }: { readonly line: Line; readonly roving: Roving }): VNode {
  const { app } = useShared()
  const { row } = line
  const tabIndex = roving.tab(line.key)
  const pair = (show: (value: number | null) => string, { p50, p90 }: { readonly p50: number | null; readonly p90: number | null }, unit: string): VNode => (
    <td>{show(p50)}{p50 !== null && <small>P90 {show(p90)}<br />{unit}</small>}</td>
  )
  return (
    <tr {...roving.row(line.key)}>
      <ModelCell line={line} tabIndex={tabIndex} />
      <StateCell row={row} tabIndex={tabIndex} />
      {pair(latency, row.ttft, '')}
      {pair(speed, row.speed, 'tok/s')}
      <td>
        {row.rated ? <><span class={warns(row) ? 'mf-warn' : ''}>{percent(successShare(row))}</span><small>{row.successes}/{row.rated}</small></> : NONE}
      </td>
      <TokenCell row={row} />
      <td>
        <LimitInput route={row} limit={row.limit} tabIndex={tabIndex} /> {row.running}/{row.effectiveLimit || '∞'}
        {row.wait.p50 ? <small>{t('board.wait', { ms: latency(row.wait.p50) })}</small> : ''}
        {row.queued > 0 && <small>{t('board.queued', { n: row.queued })}</small>}
      </td>
      <td>{row.lastUsedAt ? clockTime(row.lastUsedAt, app.now.value) : NONE}</td>
    </tr>
  )
}
