/** A setting that is on or off. */
import type { VNode } from 'preact'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import type { TextKey } from '../text.ts'
import { Switch } from '../ui/Switch.tsx'
import { Setting } from './Setting.tsx'
import type { SettingKey } from './Setting.tsx'

export function Toggle({ name }: { readonly name: SettingKey }): VNode {
  const { app } = useShared()
  const on = app.settings.value?.[name] === true
  return <Setting name={name}><Switch on={on} disabled={app.settings.value === null} label={t(`set.${name}` as TextKey)} onChange={(next) => void app.saveSettings({ [name]: next })} /></Setting>
}
