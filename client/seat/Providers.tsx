/** The providers of the host; the chosen one narrows whatever tab is open. */
import type { VNode } from 'preact'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { useRoving } from '../ui/focus.ts'

export function Providers({ chosen, onChoose }: { readonly chosen: string | null; readonly onChoose: (id: string | null) => void }): VNode {
  const { app } = useShared()
  const { providers = [] } = app.models.data.value ?? {}
  const roving = useRoving('')
  const all = { id: '', name: t('seat.all'), models: providers.flatMap(({ models }) => models) }
  return (
    <nav aria-label={t('seat.providers')}>
      <h3 class="mf-muted">{t('seat.providers')}</h3>
      <ul onKeyDown={roving.onKeyDown}>
        {[all, ...providers].map(({ id, name, models }) => (
          <li key={id} {...roving.row(id)}>
            <button type="button" aria-current={(chosen ?? '') === id} tabIndex={roving.tab(id)} onClick={() => onChoose(id || null)}>
              <span class="mf-grow">{name}</span><small>{models.length}</small>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}
