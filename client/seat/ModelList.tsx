/** All models under the titles of their providers, with a search; choosing one is a hand-pick. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { EffortRoute } from '../../src/contract/route.ts'
import { useShared } from '../model/context.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { useRoving } from '../ui/focus.ts'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Rows } from '../ui/Rows.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { keyOf, sameRoute } from '../words.ts'
import { matching } from './search.ts'
import type { Found } from './search.ts'

const ROW = 38

type Item = { readonly title: string } | Found

/** Models with a title in front of each provider's. */
export function titled(found: readonly Found[]): readonly Item[] {
  return found.flatMap((item, index) => (item.provider === found[index - 1]?.provider ? [item] : [{ title: item.provider.name }, item]))
}

export function ModelList({ session, onDone }: { readonly session: SessionModel; readonly onDone: () => void }): VNode {
  const { app } = useShared()
  const [query, setQuery] = useState('')
  const found = matching(app.models.data.value, query, null)
  const roving = useRoving(found[0] && keyOf(found[0].route))
  const current = session.route.value
  const choose = async (route: EffortRoute): Promise<void> => {
    if (sameRoute(route, current) || await session.select(route)) onDone()
  }
  return (
    <>
      <SearchBox first value={query} onChange={setQuery} />
      <Loaded of={app.models}>
        {(models) => (
          <div class="mf-menu-scroll" aria-busy={session.busy.value}>
            {models.failures.map(({ provider, message }) => <p key={provider} class="mf-problem">{t('models.failure', { provider, message })}</p>)}
            <Rows
              items={titled(found)}
              height={ROW}
              label={t('tab.models')}
              onKeyDown={roving.onKeyDown}
              render={(item) => ('title' in item ? <li key={`t${item.title}`} class="mf-group-title">{item.title}</li> : (
                <li key={keyOf(item.route)} {...roving.row(keyOf(item.route))}>
                  <button type="button" class="mf-option" aria-current={sameRoute(item.route, current)} disabled={session.busy.value} tabIndex={roving.tab(keyOf(item.route))} onClick={() => void choose(item.route)}>
                    <span class="mf-grow mf-cut">{item.model.name}</span>
                    <span class="mf-check">{sameRoute(item.route, current) && <Icon name="check" />}</span>
                  </button>
                </li>
              ))}
            />
            {found.length === 0 && <p class="mf-empty">{t('models.none')}</p>}
          </div>
        )}
      </Loaded>
    </>
  )
}
