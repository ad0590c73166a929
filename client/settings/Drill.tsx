/** Practice: a built-in provider whose models fail on command. */
import type { VNode } from 'preact'
import { t } from '../text.ts'
import { Setting } from './Setting.tsx'

export function Drill(): VNode {
  return <><p class="mf-muted">{t('drill.intro')}</p><Setting name="drill" /></>
}
