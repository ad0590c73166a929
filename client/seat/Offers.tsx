/** Models behind the purse guard that would go on with the work: admitted once, or for this session. */
import type { VNode } from 'preact'
import { useShared } from '../model/context.ts'
import type { Route } from '../../src/contract/route.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { keyOf, routeText } from '../words.ts'

export function Offers({ session }: { readonly session: SessionModel }): VNode | null {
  const { app } = useShared()
  const offers = session.info.data.value?.offer ?? []
  if (!offers.length) return null
  const allow = async (route: Route, once: boolean): Promise<void> => {
    if (await session.consent(route, once)) app.notices.say(`${t('why.consent')}: ${routeText(app.models.data.value, route)}`)
  }
  return (
    <div class="mf-card">
      <p class="mf-muted">{t('offer.text')}</p>
      {offers.map((route) => (
        <div key={keyOf(route)} class="mf-bar">
          <span class="mf-grow">{routeText(app.models.data.value, route)}</span>
          <Button disabled={session.busy.value} onClick={() => allow(route, true)}>{t('offer.once')}</Button>
          <Button disabled={session.busy.value} onClick={() => allow(route, false)}>{t('offer.session')}</Button>
        </div>
      ))}
    </div>
  )
}
