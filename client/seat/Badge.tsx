/** The bound group and the health of the session's model; opens "why is this the model". */
import type { VNode } from 'preact'
import { clockTime, span } from '../format.ts'
import type { App } from '../model/app.ts'
import { useShared } from '../model/context.ts'
import { sessionHealth } from '../model/health.ts'
import type { RouteHealth } from '../model/health.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { moveReason, obstacleWord, routeText } from '../words.ts'

/** What the light means, in words: what happened, why, until when. */
export function healthText(app: App, session: SessionModel, health: RouteHealth): string {
  const { tone, until } = health
  const { override, home } = session.info.data.value ?? {}
  const models = app.models.data.value
  if (tone === 'normal') return t('health.normal')
  const now = app.now.value
  return t(`health.${tone}`, {
    home: home && routeText(models, home),
    to: override && routeText(models, override),
    why: override && tone === 'moved' ? moveReason(override.kind, override.class) : obstacleWord({ ...health, routable: false }),
    end: until === null ? t('health.open') : t('health.until', { at: clockTime(until, now), span: span(until - now) }),
  })
}

/** The binding of the session, in words. */
export function boundText(session: SessionModel): string {
  const { group, mode, pinned } = session.info.data.value ?? {}
  return group ? `${t('tab.groups')}: ${group.name} · ${t(group.enabled ? `bind.${pinned ? 'pin' : mode ?? 'none'}` : 'entry.disabled')}` : t('bind.noneTip')
}

export function Badge({ session, disabled, onOpen }: { readonly session: SessionModel; readonly disabled: boolean; readonly onOpen: () => void }): VNode {
  const { app } = useShared()
  const info = session.info.data.value
  const health = sessionHealth(app.status.data.value, info, session.route.value)
  const text = `${app.offline.value ? t('state.offline') : app.outdated.value ? t('state.outdated') : healthText(app, session, health)}\n${boundText(session)}`
  return (
    <button type="button" class="mf-badge" disabled={disabled} aria-haspopup="dialog" aria-label={`${t('why.title')} ${text}`} data-mf-tip={text} onClick={onOpen}>
      <i class={`mf-light mf-is-${app.offline.value ? 'none' : health.tone}`} />
      {info?.group && <span>{info.group.name}</span>}
      {info?.offer.length ? <em aria-hidden="true">{info.offer.length}</em> : ''}
    </button>
  )
}
