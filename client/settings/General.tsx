/** How the plugin shows itself and how it behaves; and the limits of concurrent calls. */
import type { VNode } from 'preact'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Input } from '../ui/Input.tsx'
import { LimitInput } from '../ui/LimitInput.tsx'
import { Select } from '../ui/Select.tsx'
import { keyOf, routeText } from '../words.ts'
import { Setting } from './Setting.tsx'
import { Toggle } from './Toggle.tsx'

export function General(): VNode {
  const { app } = useShared()
  const settings = app.settings.value
  if (settings === null) return <p class="mf-muted" role="status">{t('loading')}</p>
  const limits = (app.status.data.value?.concurrency ?? []).filter(({ limit }) => limit !== null)
  const saveDefault = (text: string): string | null => {
    const value = Number(text === '' ? '0' : text)
    if (!/^\d{0,4}$/.test(text) || value > 1000) return t('limit.defaultWrong')
    void app.saveSettings({ defaultConcurrency: value })
    return null
  }
  return (
    <>
      <Toggle name="dialogMode" />
      <Toggle name="takeOverModelSeat" />
      <Toggle name="notifyUser" />
      <Setting name="ledgerRecovery">
        <Select label={t('set.ledgerRecovery')} value={settings.ledgerRecovery} options={(['evidence', 'day'] as const).map((value) => ({ value, text: t(`recovery.${value}`) }))} onChange={(value) => void app.saveSettings({ ledgerRecovery: value === 'day' ? 'day' : 'evidence' })} />
      </Setting>
      <Setting name="patience">
        <Select label={t('set.patience')} value={settings.patience} options={(['exhaust', 'ride'] as const).map((value) => ({ value, text: t(`patience.${value}`) }))} onChange={(value) => void app.saveSettings({ patience: value === 'ride' ? 'ride' : 'exhaust' })} />
      </Setting>
      <Toggle name="stripReasoningEffort" />
      <Toggle name="enableProbe" />
      <Setting name="defaultConcurrency">
        <Input kind="number" size="number" label={t('set.defaultConcurrency')} value={String(settings.defaultConcurrency)} onCommit={saveDefault} />
      </Setting>
      <h3 class="mf-subtitle">{t('limit.title')}</h3>
      <p class="mf-muted">{t('limit.intro')}</p>
      <ul class="mf-rows">
        {limits.map((entry) => (
          <li key={keyOf(entry)} class="mf-row mf-hold">
            <span class="mf-grow">{routeText(app.models.data.value, { provider: entry.provider, model: entry.model })}</span>
            <span class="mf-muted">{t('limit.now', { running: entry.running, queued: entry.queued })}</span>
            <LimitInput route={entry} limit={entry.limit} />
          </li>
        ))}
      </ul>
      {limits.length === 0 && <p class="mf-muted">{t('limit.none')}</p>}
    </>
  )
}
