/** Binds the session to the chosen group: not at all, by route, by fallback; and the pin. */
import type { VNode } from 'preact'
import type { BindingMode, Group } from '../../src/contract/group.ts'
import { useShared } from '../model/context.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { Switch } from '../ui/Switch.tsx'

const CHOICES = ['none', 'route', 'failover'] as const
type Choice = typeof CHOICES[number]

export function BindBar({ session, group }: { readonly session: SessionModel; readonly group: Group }): VNode {
  const { app } = useShared()
  const info = session.info.data.value
  const bound = info?.group ?? null
  const here = bound?.id === group.id
  const mode: Choice = here && info?.mode ? info.mode : 'none'
  const pinned = here && info?.pinned === true
  const choose = (next: Choice): void => {
    if (next === mode) return
    void (next === 'none' ? session.bind(null, 'failover', false) : session.bind(group.id, next, pinned))
  }
  const disabled = session.busy.value || info === null || app.offline.value
  return (
    <div class="mf-bind">
      <div class="mf-bar">
        <span class="mf-label">{t('bind.session')}</span>
        <div class="mf-segments" role="radiogroup" aria-label={t('bind.session')}>
          {CHOICES.map((choice) => (
            <button key={choice} type="button" role="radio" class="mf-segment" aria-checked={choice === mode} disabled={disabled} onClick={() => choose(choice)}>{t(`bind.${choice}`)}</button>
          ))}
        </div>
        <Switch shown on={pinned} disabled={disabled || mode === 'none'} label={t('bind.pin')} tip={t('bind.pinTip')} onChange={(pin) => void session.bind(group.id, mode as BindingMode, pin)} />
      </div>
      <p class="mf-muted">
        {bound !== null && !here ? t('bind.elsewhere', { name: bound.name }) : t(pinned ? 'bind.pinTip' : `bind.${mode}Tip`)}
        {here && info?.inheritedFrom != null && ` ${t('bind.inherited')}`}
      </p>
    </div>
  )
}
