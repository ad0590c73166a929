/** Calls and failures over the chosen days, as bars: per day, or per hour for a single day. */
import type { VNode } from 'preact'
import type { MetricsReply } from '../../src/contract/metrics.ts'
import { day, hour } from '../format.ts'
import { t } from '../text.ts'

const HEIGHT = 64
const STEP = 10

export function Chart({ series, unit }: { readonly series: MetricsReply['series']; readonly unit: MetricsReply['unit'] }): VNode {
  const top = Math.max(1, ...series.map(({ calls }) => calls))
  const sum = (pick: 'calls' | 'failures'): number => series.reduce((total, point) => total + point[pick], 0)
  const when = unit === 'day' ? day : hour
  const label = t('chart.sum', { calls: sum('calls'), failures: sum('failures') })
  const bar = (kind: 'calls' | 'failures', value: number, x: number): VNode => {
    const height = value && Math.max(1.5, (value / top) * HEIGHT)
    return <rect class={`mf-of-${kind}`} x={x + 1.5} y={HEIGHT - height} width={STEP - 3} height={height} />
  }
  return (
    <figure>
      <svg viewBox={`0 0 ${Math.max(7, series.length) * STEP} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {series.map(({ at, calls, failures }, index) => (
          <g key={at} data-mf-tip={`${when(at)}\n${t('chart.sum', { calls, failures })}`}>
            <rect x={index * STEP} width={STEP} height={HEIGHT} />
            {bar('calls', calls, index * STEP)}
            {bar('failures', failures, index * STEP)}
          </g>
        ))}
      </svg>
      <figcaption class="mf-bar mf-muted"><span>{series[0] && when(series[0].at)}</span><span class="mf-grow">{label} · {t(`chart.${unit}`)}</span><span>{series[1] && when(series.at(-1)?.at ?? 0)}</span></figcaption>
    </figure>
  )
}
