/** One model of one group in the dashboard. */
import type { VNode } from 'preact'
import { NONE, clockTime, latency, percent, speed } from '../format.ts'
import { useShared } from '../model/context.ts'
import { successShare, warns } from '../model/table.ts'
import type { Line } from '../model/table.ts'
import { t } from '../text.ts'
import type { Roving } from '../ui/focus.ts'
import { ConcurrencyCell } from './ConcurrencyCell.tsx'
import { ModelCell } from './ModelCell.tsx'
import { StateCell } from './StateCell.tsx'
import { TokenCell } from './TokenCell.tsx'

function Pair({ p50, p90, unit }: { readonly p50: string; readonly p90: string; readonly unit?: string }): VNode {
  if (p50 === NONE) return <td class="mf-num">{NONE}</td>
  return <td class="mf-num"><span class="mf-big">{p50}</span><span class="mf-sub">P90 {p90}</span>{unit && <span class="mf-sub">{unit}</span>}</td>
}

export function Row({ line, roving }: { readonly line: Line; readonly roving: Roving }): VNode {
  const { app } = useShared()
  const { row } = line
  const tabIndex = roving.tab(line.key)
  const warn = warns(row)
  return (
    <tr {...roving.row(line.key)}>
      <ModelCell line={line} tabIndex={tabIndex} />
      <StateCell row={row} tabIndex={tabIndex} />
      <Pair p50={latency(row.ttft.p50)} p90={latency(row.ttft.p90)} />
      <Pair p50={speed(row.speed.p50)} p90={speed(row.speed.p90)} unit="tok/s" />
      <td class="mf-num">
        {row.rated === 0 ? NONE : (
          <>
            <span class={warn ? 'mf-big mf-warn' : 'mf-big'} data-mf-tip={warn ? t('board.warns') : undefined}>{percent(successShare(row))}</span>
            <span class="mf-sub">{row.successes}/{row.rated}</span>
          </>
        )}
      </td>
      <TokenCell row={row} />
      <ConcurrencyCell row={row} tabIndex={tabIndex} />
      <td class="mf-num">{row.lastUsedAt === null ? NONE : clockTime(row.lastUsedAt, app.now.value)}</td>
    </tr>
  )
}
