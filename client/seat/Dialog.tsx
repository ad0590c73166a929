/** The large form of the seat: providers on the left, four tabs on the right. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { DashboardPane } from '../dashboard/DashboardPane.tsx'
import { FailedPane } from '../failed/FailedPane.tsx'
import { GroupsPane } from '../groups/GroupsPane.tsx'
import { useShared } from '../model/context.ts'
import type { SessionModel } from '../model/session.ts'
import { t, title } from '../text.ts'
import { Modal } from '../ui/Modal.tsx'
import { Problems } from '../ui/Problems.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { routeText } from '../words.ts'
import { ModelsPane } from './ModelsPane.tsx'
import { Offers } from './Offers.tsx'
import { Providers } from './Providers.tsx'

export const TABS = ['models', 'groups', 'failed', 'dashboard'] as const
export type TabId = typeof TABS[number]

export function Dialog({ session, onClose }: { readonly session: SessionModel; readonly onClose: () => void }): VNode {
  const { app } = useShared()
  const [tab, setTab] = useState<TabId>('models')
  const [provider, setProvider] = useState<string | null>(null)
  const route = session.route.value
  const groupId = session.info.data.value?.group?.id ?? null
  const items = TABS.map((id) => ({ id, text: t(`tab.${id}`), ...(id === 'failed' ? { count: app.failed.value.length } : {}) }))
  return (
    <Modal size="large" title={title()} onClose={onClose} aside={<span class="mf-modal-aside">{route && routeText(app.models.data.value, route)}</span>}>
      <div class="mf-split">
        <Providers chosen={provider} onChoose={setProvider} />
        <div class="mf-main">
          <Tabs name="mf" items={items} active={tab} label={title()} onChange={setTab} />
          <div class="mf-panel" role="tabpanel" id={`mf-panel-${tab}`} aria-labelledby={`mf-tab-${tab}`}>
            <Problems />
            <Offers session={session} />
            {tab === 'models' && <ModelsPane session={session} provider={provider} onDone={onClose} />}
            {tab === 'groups' && <GroupsPane session={session} provider={provider} />}
            {tab === 'failed' && <FailedPane provider={provider} />}
            {tab === 'dashboard' && <DashboardPane provider={provider} groupId={groupId} />}
          </div>
        </div>
      </div>
    </Modal>
  )
}
