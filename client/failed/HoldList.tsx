/** Routes that are held, quarantined or at rest without a day mark: each ends by itself. */
import type { VNode } from 'preact'
import type { HealthStatus } from '../../src/contract/health.ts'
import type { Route } from '../../src/contract/route.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Chip } from '../ui/Chip.tsx'
import { Countdown } from '../ui/Countdown.tsx'
import { Notice } from '../ui/Notice.tsx'
import { classWord, routeText } from '../words.ts'

interface Held { readonly key: string; readonly name: string; readonly what: string; readonly bad: boolean; readonly until: number | null }

function held(health: HealthStatus, name: (provider: string, model: string | null) => string): Held[] {
  return [
    ...health.holds.map((hold) => ({ key: `h${hold.provider}/${hold.model}`, name: name(hold.provider, hold.model), what: t('why.because', { why: t('why.held'), class: classWord(hold.class) }), bad: true, until: hold.until })),
    ...health.endpoints.map((end) => ({ key: `e${end.provider}/${end.model}/${end.endpoint}`, name: name(end.provider, end.model), what: t('why.because', { why: t(`why.${end.state}`), class: classWord(end.class) }), bad: end.state === 'quarantined', until: end.nextProbeAt })),
    ...health.breakers.map((breaker) => ({ key: `b${breaker.level}${breaker.provider}/${breaker.model}`, name: name(breaker.provider, breaker.model), what: t(breaker.state === 'open' ? 'why.open' : 'why.trial'), bad: false, until: breaker.until })),
    ...health.rests.map((rest) => ({ key: `r${rest.provider}/${rest.model}`, name: name(rest.provider, rest.model), what: t('why.resting'), bad: false, until: rest.until })),
  ]
}

export function HoldList({ health, provider }: { readonly health: HealthStatus; readonly provider: string | null }): VNode | null {
  const { app } = useShared()
  const models = app.models.data.value
  const name = (owner: string, model: string | null): string => {
    const route: Route = { provider: owner, model: model ?? '' }
    return model === null ? t('failed.whole', { provider: models?.providers.find(({ id }) => id === owner)?.name ?? owner }) : routeText(models, route)
  }
  const mine = <T extends { readonly provider: string }>(list: readonly T[]): T[] => list.filter((item) => provider === null || item.provider === provider)
  const list = held({ ...health, holds: mine(health.holds), endpoints: mine(health.endpoints), breakers: mine(health.breakers), rests: mine(health.rests) }, name)
  if (list.length === 0 && !health.outage.active) return null
  return (
    <section class="mf-pane">
      <h3 class="mf-subtitle">{t('held.title')}</h3>
      {health.outage.active && <Notice tone="warn">{t('held.outage')}</Notice>}
      <ul class="mf-rows">
        {list.map((item) => (
          <li key={item.key} class="mf-row mf-hold">
            <span class="mf-grow">{item.name}</span>
            <Chip tone={item.bad ? 'bad' : 'warn'}>{item.what}</Chip>
            {item.until !== null && <Countdown until={item.until} />}
          </li>
        ))}
      </ul>
    </section>
  )
}
