/** The worst state of a model and the last error, in a column that never changes its width. */
import type { VNode } from 'preact'
import type { MetricRow } from '../../src/contract/metrics.ts'
import { span } from '../format.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Chip } from '../ui/Chip.tsx'
import type { ChipTone } from '../ui/Chip.tsx'
import { routeName, sameRoute } from '../words.ts'

const TONES: Readonly<Record<MetricRow['state'], ChipTone>> = { failed: 'bad', disabled: 'plain', resting: 'warn', quarantined: 'bad', normal: 'good' }

export function StateCell({ row, tabIndex }: { readonly row: MetricRow; readonly tabIndex: number }): VNode {
  const { app, routes } = useShared()
  const model = routeName(app.models.data.value, row)
  // Code and message are a pair: the mark's when the model failed today, else the last failed sample's.
  const mark = app.failed.value.find((entry) => sameRoute(entry, row))
  const code = mark ? mark.code : row.lastErrorCode
  const message = mark ? mark.reason : row.lastErrorMessage
  return (
    <td>
      <span class="mf-state">
        <Chip tone={TONES[row.state]}>{t(`state.${row.state}`)}</Chip>
        {row.state === 'failed' && <Button kind="text" tabIndex={tabIndex} label={t('failed.restoreOf', { model: model.model })} onClick={() => void routes.restore([row])}>{t('restore')}</Button>}
      </span>
      {row.state === 'resting' && row.restMs > 0 && <span class="mf-sub">{t('count.left', { span: span(row.restMs) })}</span>}
      {(code || message) && <span class="mf-sub mf-cut" data-mf-tip={[code, message].filter(Boolean).join('\n')} tabIndex={tabIndex}>{code ?? message}</span>}
    </td>
  )
}
