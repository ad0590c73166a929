/** What failed this usage day and what rests or is held besides, with what ends it. Used in the dialog and in the settings. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { day } from '../format.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { keyOf } from '../words.ts'
import { HoldList } from './HoldList.tsx'
import { MarkRow } from './MarkRow.tsx'

export function FailedPane({ provider = null }: { readonly provider?: string | null }): VNode {
  const { app, routes } = useShared()
  const [asking, setAsking] = useState(false)
  const status = app.status.data.value
  const marks = app.failed.value.filter((mark) => provider === null || mark.provider === provider)
  if (status === null) return <p class="mf-muted" role="status">{t('loading')}</p>
  return (
    <div class="mf-pane">
      <div class="mf-bar">
        <span class="mf-muted">{t('failed.day', { day: status.usageDay, hour: String(status.failResetHour).padStart(2, '0'), ends: day(status.usageDayEndsAt) })}</span>
        <span class="mf-grow" />
        <Button disabled={marks.length === 0} onClick={() => (provider === null ? setAsking(true) : void routes.restore(marks))}>{t('failed.restoreAll', { n: marks.length })}</Button>
      </div>
      {marks.length === 0
        ? <p class="mf-empty">{t('failed.none')}</p>
        : <ul class="mf-rows">{marks.map((mark) => <MarkRow key={keyOf(mark)} mark={mark} />)}</ul>}
      <HoldList health={status.health} provider={provider} />
      {asking && <Confirm title={t('failed.allTitle')} text={t('failed.allText', { n: marks.length })} act={t('restore')} onConfirm={() => void routes.restoreAll()} onClose={() => setAsking(false)} />}
    </div>
  )
}
