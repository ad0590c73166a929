/** Puts models into a group and takes them out, from everything the host knows. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Group } from '../../src/contract/group.ts'
import { useShared } from '../model/context.ts'
import { withRoute, withoutRoute } from '../model/groups.ts'
import { matching } from '../seat/search.ts'
import { t } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { useRoving } from '../ui/focus.ts'
import { Icon } from '../ui/Icon.tsx'
import { Modal } from '../ui/Modal.tsx'
import { Rows } from '../ui/Rows.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { keyOf, sameRoute } from '../words.ts'

const ROW = 44

export function AddModels({ group, onClose }: { readonly group: Group; readonly onClose: () => void }): VNode {
  const { app, groups } = useShared()
  const [query, setQuery] = useState('')
  const found = matching(app.models.data.value, query, null)
  const roving = useRoving(found[0] && keyOf(found[0].route))
  return (
    <Modal title={t('entry.addTo', { name: group.name })} onClose={onClose}>
      <div class="mf-modal-body"><SearchBox first value={query} onChange={setQuery} /></div>
      <div class="mf-modal-scroll">
        <Rows
          items={found}
          height={ROW}
          label={t('tab.models')}
          onKeyDown={roving.onKeyDown}
          render={({ route, provider, model }) => {
            const inside = group.models.some((entry) => sameRoute(entry, route))
            return (
              <li key={keyOf(route)} {...roving.row(keyOf(route))}>
                <button type="button" role="checkbox" aria-checked={inside} class="mf-option" tabIndex={roving.tab(keyOf(route))} onClick={() => void groups.edit(group.id, (models) => (inside ? withoutRoute(models, route) : withRoute(models, route)))}>
                  <span class="mf-grow">{model.name}<span class="mf-row-sub">{provider.name}</span></span>
                  <span class="mf-check">{inside && <Icon name="check" />}</span>
                </button>
              </li>
            )
          }}
        />
        {found.length === 0 && <p class="mf-empty">{t('models.none')}</p>}
      </div>
      <footer class="mf-modal-foot"><Button kind="main" onClick={onClose}>{t('done')}</Button></footer>
    </Modal>
  )
}
