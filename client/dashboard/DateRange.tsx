/** The days the dashboard counts: two dates and three shortcuts. */
import type { VNode } from 'preact'
import { isDay } from '../groups/hours.ts'
import { useShared } from '../model/context.ts'
import type { Preset } from '../model/dashboard.ts'
import { t } from '../text.ts'
import { Input } from '../ui/Input.tsx'
import { Segments } from '../ui/Segments.tsx'

export function DateRange(): VNode {
  const { dashboard } = useShared()
  const since = dashboard.since.value
  const until = dashboard.until.value
  const commit = (first: string, last: string): string | null => {
    if ((first && !isDay(first)) || (last && !isDay(last))) return t('date.wrong')
    if (first && last && first > last) return t('date.order')
    dashboard.range(first, last)
    return null
  }
  return (
    <div class="mf-bar">
      <Input width={112} label={t('date.since')} placeholder="YYYY-MM-DD" value={since} onCommit={(text) => commit(text, until)} />–
      <Input width={112} label={t('date.until')} placeholder="YYYY-MM-DD" value={until} onCommit={(text) => commit(since, text)} />
      <Segments label={t('date.beijing')} value={dashboard.chosen.value} options={(['today', 'week', 'all'] as const).map((value) => ({ value, text: t(`date.${value}`) }))} onChange={(which) => dashboard.preset(which as Preset)} />
      <span class="mf-muted">{t('date.beijing')}</span>
    </div>
  )
}
