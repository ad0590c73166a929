/** The worst state of a model and the last error, in a column that never changes its width. */
import type { VNode } from 'preact'
import type { MetricRow } from '../../src/contract/metrics.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Chip } from '../ui/Chip.tsx'
import type { Tone } from '../ui/Chip.tsx'
import { Countdown } from '../ui/Countdown.tsx'
import { routeText, sameRoute } from '../words.ts'

const TONES: Readonly<Record<MetricRow['state'], Tone>> = { failed: 'failed', disabled: 'none', held: 'failed', resting: 'resting', quarantined: 'failed', normal: 'normal' }

export function StateCell({ row, tabIndex }: { readonly row: MetricRow; readonly tabIndex: number }): VNode {
  const { app, routes } = useShared()
  // Code and message are a pair: the mark's when the model failed today, else the last failed sample's.
  const mark = app.failed.value.find((entry) => sameRoute(entry, row))
  const code = mark ? mark.code : row.lastErrorCode
  const message = mark ? mark.reason : row.lastErrorMessage
  return (
    <td>
      <Chip tone={TONES[row.state]}>{t(`why.${row.state}`)}</Chip>
      {row.state === 'failed' && <Button kind="text" tabIndex={tabIndex} label={t('act.restoreOf', { model: routeText(app.models.data.value, row) })} onClick={() => void routes.restore([row])}>{t('act.restore')}</Button>}
      {row.until && row.state !== 'failed' && <small><Countdown until={row.until} /></small>}
      {(code ?? message) && <small data-mf-tip={[code, message].filter(Boolean).join('\n')} tabIndex={tabIndex}>{code ?? message}</small>}
    </td>
  )
}
