/** Tells the moves of a session while its seat is on screen: once away, once back, never for a choice of the user. */
import { effect, untracked } from '@preact/signals'
import type { SessionInfo } from '../../src/contract/status.ts'
import { clockTime } from '../format.ts'
import type { Resource } from '../resource.ts'
import { t } from '../text.ts'
import { moveReason, routeText, sameRoute } from '../words.ts'
import type { App } from './app.ts'

/** The sentence of a move, or null when nothing moved by itself between two reports. */
export function moveSentence(app: App, before: SessionInfo, after: SessionInfo): string | null {
  const models = app.models.data.value
  const { override } = after
  if (override !== null) {
    if (sameRoute(override, before.override)) return null
    const from = before.route ?? override.from ?? after.home
    const told = t('node.away', { from: from ? routeText(models, from) : '?', to: routeText(models, override), why: moveReason(override.kind, override.class) })
    return override.until === null ? told : `${told}${t('node.until', { at: clockTime(override.until, app.now.value) })}`
  }
  if (before.override === null || after.home === null || !sameRoute(before.home, after.home)) return null
  return t('node.back', { from: routeText(models, before.override), to: routeText(models, after.home) })
}

/** Watches the reports of one session; the first report is where it stands, not a move. */
export function followMoves(app: App, id: string, info: Resource<SessionInfo>): () => void {
  let before: SessionInfo | null = null
  return effect(() => {
    const after = info.data.value
    if (after === null) return
    untracked(() => {
      const sentence = before === null || app.settings.value?.notifyUser === false ? null : moveSentence(app, before, after)
      before = after
      if (sentence !== null) app.notices.say(sentence, id)
    })
  })
}
