/** One model: choose it (with an effort), add it to a group, limit its concurrent calls. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
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
import { effortOptions, keyOf, obstacleWord, sameRoute } from '../words.ts'
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
  const [effort, setEffort] = useState((here && current?.effort) || '')
  const [painted, setPainted] = useState(false)
  // Forty groups in every row are a thousand options: they come right after the first paint.
  useEffect(() => setPainted(true), [])
  const key = keyOf(route)
  const tabIndex = roving.tab(key)
  const all = app.groups.value
  const holders = all.filter((group) => group.models.some((entry) => sameRoute(entry, route)))
  const disabled = holders.some((group) => group.models.some((entry) => sameRoute(entry, route) && entry.disabled))
  const health = routeHealth(app.status.data.value, route)
  const limit = app.status.data.value?.concurrency.find((entry) => sameRoute(entry, route))?.limit ?? null
  const select = async (next: string): Promise<boolean> => session.select(next ? { ...route, effort: next } : route)
  const changeEffort = (next: string): void => {
    setEffort(next)
    if (here) void select(next)
  }
  return (
    <li class="mf-row" {...roving.row(key)}>
      <button type="button" class="mf-pick" tabIndex={tabIndex} aria-current={here} disabled={session.busy.value} onClick={() => void (async () => (here || await select(effort)) && onDone())()}>
        <b>{model.name} {here && <Icon name="check" />}</b>
        <small>
          {provider.name} · {model.id} {model.contextWindow && <em>{count(model.contextWindow)}</em>}
          {model.inputs?.includes('image') && <em>{t('models.images')}</em>}
          {holders.map(({ id, name }) => <em key={id}>{name}</em>)}
        </small>
      </button>
      {health.tone !== 'normal' ? <Chip tone={health.tone}>{obstacleWord({ ...health, routable: false })}</Chip> : disabled && <Chip tone="none">{t('why.disabled')}</Chip>}
      {model.efforts.length > 0 && <Select label={t('effort.of', { model: model.name })} value={effort} tabIndex={tabIndex} options={effortOptions(model.efforts)} onChange={changeEffort} />}
      <LimitInput route={route} limit={limit} tabIndex={tabIndex} />
      {all.length > 0 && <Select label={t('models.addOf', { model: model.name })} value="" tabIndex={tabIndex} options={[{ value: '', text: t('models.add') }, ...all.filter((group) => painted && !holders.includes(group)).map(({ id, name }) => ({ value: id, text: name }))]} onChange={(id) => void (id && groups.edit(id, (models) => withRoute(models, route)))} />}
    </li>
  )
}
