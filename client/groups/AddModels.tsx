/** Puts models into a group and takes them out, from everything the host knows. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Group } from '../../src/contract/group.ts'
import { useShared } from '../model/context.ts'
import { withRoute, withoutRoute } from '../model/groups.ts'
import { matching } from '../seat/search.ts'
import { t } from '../text.ts'
import { Modal } from '../ui/Modal.tsx'
import { OptionList } from '../ui/OptionList.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { sameRoute } from '../words.ts'

export function AddModels({ group, onClose }: { readonly group: Group; readonly onClose: () => void }): VNode {
  const { app, groups } = useShared()
  const [query, setQuery] = useState('')
  const inside = (route: Parameters<typeof withRoute>[1]): boolean => group.models.some((entry) => sameRoute(entry, route))
  return (
    <Modal title={t('entry.addTo', { name: group.name })} onClose={onClose}>
      <SearchBox value={query} onChange={setQuery} />
      <div class="mf-scroll"><OptionList found={matching(app.models.data.value, query, null)} chosen={inside} onPress={(route) => void groups.edit(group.id, (models) => (inside(route) ? withoutRoute : withRoute)(models, route))} /></div>
    </Modal>
  )
}
