/** The days the dashboard counts: two dates and three shortcuts. */
import type { VNode } from 'preact'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Input } from '../ui/Input.tsx'

export function DateRange(): VNode {
  const { dashboard } = useShared()
  const since = dashboard.since.value
  const until = dashboard.until.value
  const order = (first: string, last: string): string | null => {
    if (first !== '' && last !== '' && first > last) return t('range.order')
    dashboard.range(first, last)
    return null
  }
  return (
    <div class="mf-bar">
      <Input kind="date" size="date" label={t('range.since')} value={since} onCommit={(value) => order(value, until)} />
      <span aria-hidden="true">–</span>
      <Input kind="date" size="date" label={t('range.until')} value={until} onCommit={(value) => order(since, value)} />
      <div class="mf-segments" role="group" aria-label={t('range.presets')}>
        {(['today', 'week', 'all'] as const).map((which) => (
          <button key={which} type="button" class="mf-segment" aria-pressed={dashboard.chosen.value === which} onClick={() => dashboard.preset(which)}>{t(`range.${which}`)}</button>
        ))}
      </div>
      <span class="mf-muted">{t('range.beijing')}</span>
    </div>
  )
}
