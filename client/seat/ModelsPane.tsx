/** The models of the chosen provider, with everything that can be done to one of them. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useShared } from '../model/context.ts'
import type { SessionModel } from '../model/session.ts'
import { t } from '../text.ts'
import { useRoving } from '../ui/focus.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { Notice } from '../ui/Notice.tsx'
import { rowHeight, Rows } from '../ui/Rows.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { keyOf } from '../words.ts'
import { ModelRow } from './ModelRow.tsx'
import { matching } from './search.ts'

export interface ModelsPaneProps {
  readonly session: SessionModel
  readonly provider: string | null
  readonly onDone: () => void
}

export function ModelsPane({ session, provider, onDone }: ModelsPaneProps): VNode {
  const { app } = useShared()
  const [query, setQuery] = useState('')
  const found = matching(app.models.data.value, query, provider)
  const roving = useRoving(found[0] && keyOf(found[0].route))
  return (
    <>
      <SearchBox value={query} onChange={setQuery} />
      <Loaded of={app.models}>
        {({ failures, providers }) => (
          <>
            {failures.map((failure) => <Notice key={failure.provider}>{failure.provider}: {failure.message}</Notice>)}
            <Rows items={found} height={rowHeight()} label={t('tab.models')} roving={roving} render={(item) => <ModelRow key={keyOf(item.route)} item={item} session={session} roving={roving} onDone={onDone} />} />
            {!found.length && <p class="mf-empty">{t(providers.length ? 'models.none' : 'models.noneAtAll')}</p>}
          </>
        )}
      </Loaded>
    </>
  )
}
