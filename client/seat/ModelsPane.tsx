/** The models of the chosen provider, with everything that can be done to one of them. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useShared } from '../model/context.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { useRoving } from '../ui/focus.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { Rows } from '../ui/Rows.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { keyOf } from '../words.ts'
import { ModelRow } from './ModelRow.tsx'
import { matching } from './search.ts'

export const MODEL_ROW = 56

export interface ModelsPaneProps {
  readonly session: SessionModel
  readonly provider: string | null
  readonly onDone: () => void
}

export function ModelsPane({ session, provider, onDone }: ModelsPaneProps): VNode {
  const { app } = useShared()
  const [query, setQuery] = useState('')
  useEffect(() => setQuery(''), [provider])
  const found = matching(app.models.data.value, query, provider)
  const roving = useRoving(found[0] && keyOf(found[0].route))
  return (
    <div class="mf-pane">
      <SearchBox first value={query} onChange={setQuery} />
      <Loaded of={app.models}>
        {(models) => (
          <>
            {models.failures.map((failure) => <p key={failure.provider} class="mf-problem">{t('models.failure', { provider: failure.provider, message: failure.message })}</p>)}
            <Rows
              items={found}
              height={MODEL_ROW}
              label={t('tab.models')}
              onKeyDown={roving.onKeyDown}
              render={(item) => <ModelRow key={keyOf(item.route)} item={item} session={session} roving={roving} onDone={onDone} />}
            />
            {found.length === 0 && <p class="mf-empty">{t(models.providers.length === 0 ? 'models.noneAtAll' : 'models.none')}</p>}
          </>
        )}
      </Loaded>
    </div>
  )
}
