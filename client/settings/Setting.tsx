/** A row of the settings: what it does, where its value comes from, and its control. */
import type { ComponentChildren, VNode } from 'preact'
import type { Settings, SettingsInput } from '../../src/contract/settings.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import type { TextKey } from '../text.ts'
import { Button } from '../ui/Button.tsx'

export type SettingKey = Exclude<keyof SettingsInput & keyof Settings, 'metricsSort'>

export interface SettingProps { readonly name: SettingKey; readonly children: ComponentChildren }

/** Title and hint are the texts `set.<name>` and `set.<name>.tip`. */
export function Setting({ name, children }: SettingProps): VNode {
  const { app } = useShared()
  const source = app.settings.value?.sources[name]
  return (
    <div class="mf-setting">
      <div class="mf-setting-text">
        <span class="mf-setting-title">
          {t(`set.${name}` as TextKey)}
          {source === 'config' && <span class="mf-tag">{t('source.config')}</span>}
          {source === 'ui' && <Button kind="text" tip={t('source.resetTip')} onClick={() => void app.saveSettings({ [name]: null })}>{t('source.reset')}</Button>}
        </span>
        <span class="mf-muted">{t(`set.${name}.tip` as TextKey)}</span>
      </div>
      {children}
    </div>
  )
}
