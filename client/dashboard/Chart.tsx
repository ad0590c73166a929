/** Calls and failures over the chosen days, as bars: per day, or per hour for a single day. */
import type { VNode } from 'preact'
import type { MetricsReply } from '../../src/contract/metrics.ts'
import { day } from '../format.ts'
import { t } from '../text.ts'

const HEIGHT = 64
const STEP = 10

export interface ChartProps { readonly series: MetricsReply['series']; readonly unit: MetricsReply['unit'] }

function when(at: number, unit: ChartProps['unit']): string {
  return unit === 'day' ? day(at) : `${new Date(at + 28_800_000).toISOString().slice(11, 13)}:00`
}

export function Chart({ series, unit }: ChartProps): VNode {
  const top = Math.max(1, ...series.map(({ calls }) => calls))
  const calls = series.reduce((sum, point) => sum + point.calls, 0)
  const failures = series.reduce((sum, point) => sum + point.failures, 0)
  const first = series[0]
  const last = series.at(-1)
  const bar = (value: number): number => (value === 0 ? 0 : Math.max(1.5, (value / top) * HEIGHT))
  return (
    <figure class="mf-chart">
      <figcaption class="mf-bar">
        <span class="mf-key mf-key-calls">{t('chart.calls', { n: calls })}</span>
        <span class="mf-key mf-key-failures">{t('chart.failures', { n: failures })}</span>
        <span class="mf-grow" />
        <span class="mf-muted">{t(`chart.${unit}`, { top })}</span>
      </figcaption>
      <svg viewBox={`0 0 ${Math.max(1, series.length) * STEP} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={t('chart.label', { calls, failures })}>
        {series.map((point, index) => (
          <g key={point.at} data-mf-tip={t('chart.point', { at: when(point.at, unit), calls: point.calls, failures: point.failures })}>
            <rect class="mf-chart-room" x={index * STEP} y={0} width={STEP} height={HEIGHT} />
            <rect class="mf-chart-calls" x={index * STEP + 1.5} y={HEIGHT - bar(point.calls)} width={STEP - 3} height={bar(point.calls)} />
            <rect class="mf-chart-failures" x={index * STEP + 1.5} y={HEIGHT - bar(point.failures)} width={STEP - 3} height={bar(point.failures)} />
          </g>
        ))}
      </svg>
      <div class="mf-axis"><span>{first && when(first.at, unit)}</span><span>{last && last !== first && when(last.at, unit)}</span></div>
    </figure>
  )
}
