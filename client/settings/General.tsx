/** How the plugin shows itself and how it behaves; and the limits of concurrent calls. */
import type { VNode } from 'preact'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { LimitInput } from '../ui/LimitInput.tsx'
import { keyOf, routeText } from '../words.ts'
import { Setting } from './Setting.tsx'

const NAMES = ['dialogMode', 'takeOverModelSeat', 'notifyUser', 'ledgerRecovery', 'patience', 'stripReasoningEffort', 'enableProbe', 'defaultConcurrency'] as const

export function General(): VNode {
  const { app } = useShared()
  const limits = app.status.data.value?.concurrency.filter(({ limit }) => limit !== null) ?? []
  return (
    <div>
      {NAMES.map((name) => <Setting key={name} name={name} />)}
      <h3>{t('limit.title')}</h3>
      {limits.map((entry) => (
        <div key={keyOf(entry)} class="mf-row">
          <span class="mf-grow">{routeText(app.models.data.value, { provider: entry.provider, model: entry.model })}</span>
          <small>{t('limit.now', { running: entry.running, queued: entry.queued })}</small>
          <LimitInput route={entry} limit={entry.limit} />
        </div>
      ))}
      {!limits.length && <p class="mf-muted">{t('limit.none')}</p>}
    </div>
  )
}
