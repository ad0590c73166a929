/** What failed this usage day, with what ends it. Used in the dialog and in the settings. */
import type { VNode } from 'preact'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import { keyOf } from '../words.ts'
import { MarkRow } from './MarkRow.tsx'

export function FailedPane({ provider = null }: { readonly provider?: string | null }): VNode {
  const { app, routes } = useShared()
  const status = app.status.data.value
  const marks = app.failed.value.filter((mark) => !provider || mark.provider === provider)
  if (!status) return <p class="mf-muted" role="status">{t('state.loading')}</p>
  return (
    <div class="mf-pane">
      {status.health.outage.active && <Notice>{t('failed.outage')}</Notice>}
      <div class="mf-bar">
        <span class="mf-muted mf-grow">{t('failed.day', { day: status.usageDay, hour: status.failResetHour })}</span>
        <Button disabled={!marks.length} onClick={() => void (provider ? routes.restore(marks) : routes.restoreAll())}>{t('failed.restoreAll', { n: marks.length })}</Button>
      </div>
      {marks.length ? <ul>{marks.map((mark) => <MarkRow key={keyOf(mark)} mark={mark} />)}</ul> : <p class="mf-empty">{t(provider ? 'models.none' : 'failed.none')}</p>}
    </div>
  )
}
