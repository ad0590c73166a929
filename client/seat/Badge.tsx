/** The bound group and the health of the session's model; opens "why is this the model". */
import type { VNode } from 'preact'
import { clockTime, span } from '../format.ts'
import { useShared } from '../model/context.ts'
import { sessionHealth } from '../model/health.ts'
import type { RouteHealth } from '../model/health.ts'
import type { App } from '../model/app.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { moveReason, obstacleWord, routeText } from '../words.ts'

function ending(app: App, until: number | null): string {
  return until === null ? t('health.open') : t('health.until', { at: clockTime(until, app.now.value), span: span(until - app.now.value) })
}

/** What the dot means, in words: what happened, why, until when. */
export function healthText(app: App, session: SessionModel, health: RouteHealth): string {
  const info = session.info.data.value
  const models = app.models.data.value
  if (health.tone === 'normal') return t('health.normal')
  if (health.tone === 'moved' && info?.override) {
    return t('health.moved', { home: info.home ? routeText(models, info.home) : '?', to: routeText(models, info.override), why: moveReason(info.override.kind, health.class), end: ending(app, health.until) })
  }
  return t(health.tone === 'failed' ? 'health.failed' : 'health.resting', { why: obstacleWord({ why: health.why, class: health.class, routable: false }), end: ending(app, health.until) })
}

export function Badge({ session, disabled, onOpen }: { readonly session: SessionModel; readonly disabled: boolean; readonly onOpen: () => void }): VNode {
  const { app } = useShared()
  const info = session.info.data.value
  const health = sessionHealth(app.status.data.value, info, session.route.value, app.now.value)
  const group = info?.group?.name ?? null
  const mode = info?.pinned === true ? 'pin' : info?.mode ?? 'none'
  const bound = group === null ? t('badge.none') : t('badge.group', { name: group, mode: t(`bind.${mode}`) })
  const state = app.offline.value ? t('offline') : app.outdated.value ? t('outdated') : healthText(app, session, health)
  const offers = info?.offer.length ?? 0
  return (
    <button type="button" class="mf-badge" disabled={disabled} aria-haspopup="dialog" aria-label={`${state} ${bound} ${t('why.title')}`} data-mf-tip={`${state}\n${bound}`} onClick={onOpen}>
      <i class={`mf-light mf-light-${app.offline.value ? 'offline' : health.tone}`} aria-hidden="true" />
      {group !== null && <span class="mf-badge-name">{group}</span>}
      {offers > 0 && <span class="mf-count">{offers}</span>}
    </button>
  )
}
