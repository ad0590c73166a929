/** A row of the settings: what it does, where its value comes from, and its control. */
import type { VNode } from 'preact'
import type { Settings, SettingsInput } from '../../src/contract/settings.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import type { TextKey } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Input } from '../ui/Input.tsx'
import { Select } from '../ui/Select.tsx'
import { Switch } from '../ui/Switch.tsx'

export type SettingKey = Exclude<keyof SettingsInput & keyof Settings, 'metricsSort'>

/** What the texts settings may hold; a text each under `set.<value>`. */
const CHOICES: { readonly [K in SettingKey]?: readonly string[] } = { ledgerRecovery: ['evidence', 'day'], patience: ['exhaust', 'ride'] }

/** Title and hint are the texts `set.<name>` and `set.<name>.tip`; the control follows from the value. */
export function Setting({ name }: { readonly name: SettingKey }): VNode | null {
  const { app } = useShared()
  const settings = app.settings.value
  if (!settings) return null
  const value = settings[name]
  const source = settings.sources[name]
  const label = t(`set.${name}` as TextKey)
  const save = (next: unknown): null => {
    void app.saveSettings({ [name]: next })
    return null
  }
  return (
    <div class="mf-row mf-setting">
      <div class="mf-grow">
        {label} {source === 'config' && <em>{t('set.fromConfig')}</em>} {source === 'ui' && <Button kind="text" onClick={() => save(null)}>{t('set.reset')}</Button>}
        <p class="mf-muted">{t(`set.${name}.tip` as TextKey)}</p>
      </div>
      {typeof value === 'boolean' && <Switch on={value} label={label} text="" onChange={save} />}
      {typeof value === 'string' && <Select label={label} value={value} options={(CHOICES[name] ?? []).map((choice) => ({ value: choice, text: t(`set.${choice}` as TextKey) }))} onChange={save} />}
      {typeof value === 'number' && <Input width={56} label={label} value={`${value}`} onCommit={(text) => (/^\d{1,4}$/.test(text) && Number(text) <= 1000 ? save(Number(text)) : t('limit.wrong'))} />}
    </div>
  )
}
