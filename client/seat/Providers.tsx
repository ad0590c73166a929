/** The providers of the host; the chosen one narrows whatever tab is open. */
import type { VNode } from 'preact'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { useRoving } from '../ui/focus.ts'

export function Providers({ chosen, onChoose }: { readonly chosen: string | null; readonly onChoose: (id: string | null) => void }): VNode {
  const { app } = useShared()
  const providers = app.models.data.value?.providers ?? []
  const broken = new Set((app.models.data.value?.failures ?? []).map(({ provider }) => provider))
  const roving = useRoving('*')
  const total = providers.reduce((sum, { models }) => sum + models.length, 0)
  const item = (id: string | null, name: string, count: number): VNode => (
    <li key={id ?? '*'} {...roving.row(id ?? '*')}>
      <button type="button" class="mf-nav" aria-current={chosen === id} tabIndex={roving.tab(id ?? '*')} onClick={() => onChoose(id)}>
        <span class="mf-grow mf-cut">{name}</span>
        {id !== null && broken.has(id) && <i class="mf-light mf-light-failed" data-mf-tip={t('models.broken')} />}
        <span class="mf-muted">{count}</span>
      </button>
    </li>
  )
  return (
    <nav class="mf-providers" aria-label={t('providers')}>
      <h3 class="mf-label">{t('providers')}</h3>
      <ul onKeyDown={roving.onKeyDown}>
        {item(null, t('providers.all'), total)}
        {providers.map(({ id, name, models }) => item(id, name, models.length))}
      </ul>
    </nav>
  )
}
