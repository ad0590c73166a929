/** One model: choose it (with an effort), add it to a group, limit its concurrent calls. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { count } from '../format.ts'
import { useShared } from '../model/context.ts'
import { withRoute } from '../model/groups.ts'
import { routeHealth } from '../model/health.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { Chip } from '../ui/Chip.tsx'
import type { Roving } from '../ui/focus.ts'
import { Icon } from '../ui/Icon.tsx'
import { LimitInput } from '../ui/LimitInput.tsx'
import { Select } from '../ui/Select.tsx'
import { effortWord, keyOf, obstacleWord, sameRoute } from '../words.ts'
import type { Found } from './search.ts'

export interface ModelRowProps {
  readonly item: Found
  readonly session: SessionModel
  readonly roving: Roving
  readonly onDone: () => void
}

export function ModelRow({ item, session, roving, onDone }: ModelRowProps): VNode {
  const { app, groups } = useShared()
  const { route, provider, model } = item
  const current = session.route.value
  const here = sameRoute(route, current)
  const [effort, setEffort] = useState(here ? current?.effort ?? '' : '')
  const key = keyOf(route)
  const tabIndex = roving.tab(key)
  const holders = app.groups.value.filter((group) => group.models.some((entry) => sameRoute(entry, route)))
  const disabled = holders.some((group) => group.models.some((entry) => sameRoute(entry, route) && entry.disabled === true))
  const health = routeHealth(app.status.data.value, route, app.now.value)
  const limit = app.status.data.value?.concurrency.find((entry) => sameRoute(entry, route))?.limit ?? null
  const select = async (next: string): Promise<void> => {
    if (await session.select(next === '' ? route : { ...route, effort: next })) onDone()
  }
  const changeEffort = (next: string): void => {
    setEffort(next)
    if (here) void session.select(next === '' ? route : { ...route, effort: next })
  }
  const add = (id: string): void => {
    if (id !== '') void groups.edit(id, (models) => withRoute(models, route))
  }
  return (
    <li class={here ? 'mf-row mf-here' : 'mf-row'} {...roving.row(key)}>
      <button type="button" class="mf-row-main" tabIndex={tabIndex} aria-current={here} disabled={session.busy.value} onClick={() => (here ? onDone() : void select(effort))} aria-label={t('models.choose', { model: model.name, provider: provider.name })}>
        <span class="mf-row-name">{model.name}{here && <Icon name="check" size={14} />}</span>
        <span class="mf-row-sub">
          {provider.name} · {model.id}
          {model.contextWindow !== undefined && <span class="mf-fact">{t('models.window', { n: count(model.contextWindow) })}</span>}
          {model.inputs?.includes('image') === true && <span class="mf-fact">{t('models.images')}</span>}
          {holders.map((group) => <span key={group.id} class="mf-fact">{group.name}</span>)}
        </span>
      </button>
      {health.tone !== 'normal' ? <Chip tone={health.tone === 'failed' ? 'bad' : 'warn'}>{obstacleWord({ why: health.why, class: health.class, routable: false })}</Chip> : disabled && <Chip>{t('state.disabled')}</Chip>}
      {model.efforts.length > 0 && <Select small label={t('effort.of', { model: model.name })} value={effort} tabIndex={tabIndex} options={[{ value: '', text: t('effort.default') }, ...model.efforts.map((value) => ({ value, text: effortWord(value) }))]} onChange={changeEffort} />}
      <LimitInput route={route} limit={limit} tabIndex={tabIndex} />
      {app.groups.value.length > 0 && <Select small label={t('models.addOf', { model: model.name })} value="" tabIndex={tabIndex} options={[{ value: '', text: t('models.add') }, ...app.groups.value.filter((group) => !holders.includes(group)).map(({ id, name }) => ({ value: id, text: name }))]} onChange={add} />}
    </li>
  )
}
