/** The limit of concurrent calls, editable in place, beside what runs and waits now. */
import type { VNode } from 'preact'
import type { MetricRow } from '../../src/contract/metrics.ts'
import { latency } from '../format.ts'
import { LimitInput } from '../ui/LimitInput.tsx'
import { t } from '../text.ts'

export function ConcurrencyCell({ row, tabIndex }: { readonly row: MetricRow; readonly tabIndex: number }): VNode {
  return (
    <td>
      <span class="mf-state">
        <LimitInput route={row} limit={row.limit} tabIndex={tabIndex} />
        <span class="mf-nowrap">{row.running}/{row.effectiveLimit === 0 ? '∞' : row.effectiveLimit}</span>
      </span>
      {row.wait.p50 !== null && <span class="mf-sub">{t('board.wait', { ms: latency(row.wait.p50) })}</span>}
      {row.queued > 0 && <span class="mf-sub">{t('board.queued', { n: row.queued })}</span>}
    </td>
  )
}
