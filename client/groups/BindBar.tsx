/** Binds the session to the chosen group (not at all, by route, by fallback; pinned), or says what new sessions begin with. */
import type { VNode } from 'preact'
import type { BindingMode, Group } from '../../src/contract/group.ts'
import { useShared } from '../model/context.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { Segments } from '../ui/Segments.tsx'
import { Switch } from '../ui/Switch.tsx'

/** @param session null = new sessions. */
export function BindBar({ session, group }: { readonly session: SessionModel | null; readonly group: Group }): VNode {
  const { app } = useShared()
  const info = session?.info.data.value
  const given = session ? info?.group && { id: info.group.id, name: info.group.name, mode: info.mode } : app.defaultBinding.value
  const here = given?.id === group.id
  const mode = (here && given.mode) || 'none'
  const pinned = here && info?.pinned === true
  const label = t(session ? 'bind.session' : 'bind.default')
  const choose = (next: string): void => {
    const [id, to] = next === 'none' ? [null, 'failover' as const] : [group.id, next as BindingMode]
    void (session ? session.bind(id, to, id !== null && pinned) : app.setDefault(id, to))
  }
  return (
    <div>
      <div class="mf-bar">
        <span class="mf-muted">{label}</span>
        <Segments label={label} value={mode} disabled={session?.busy.value === true || (session !== null && !info)} options={(['none', 'route', 'failover'] as const).map((value) => ({ value, text: t(`bind.${value}`) }))} onChange={choose} />
        {session && <Switch on={pinned} disabled={mode === 'none'} label={t('bind.pin')} onChange={(pin) => void session.bind(group.id, mode as BindingMode, pin)} />}
      </div>
      <p class="mf-muted">
        {given && !here ? t('bind.elsewhere', { name: given.name }) : t(pinned ? 'bind.pinTip' : `bind.${mode}Tip`)}
        {here && info?.inheritedFrom ? ` ${t('bind.inherited')}` : ''}
      </p>
    </div>
  )
}
