/** The large form of the seat: providers on the left, four tabs on the right. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { DashboardPane } from '../dashboard/DashboardPane.tsx'
import { FailedPane } from '../failed/FailedPane.tsx'
import { GroupsPane } from '../groups/GroupsPane.tsx'
import { useShared } from '../model/context.ts'
import type { SessionModel } from '../model/session.ts'
import { title } from '../text.ts'
import { Modal } from '../ui/Modal.tsx'
import { Problems } from '../ui/Problems.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { ModelsPane } from './ModelsPane.tsx'
import { Offers } from './Offers.tsx'
import { Providers } from './Providers.tsx'

export const TABS = ['models', 'groups', 'failed', 'dashboard'] as const

export function Dialog({ session, onClose }: { readonly session: SessionModel; readonly onClose: () => void }): VNode {
  const { app } = useShared()
  const [tab, setTab] = useState<typeof TABS[number]>('models')
  const [provider, setProvider] = useState<string | null>(null)
  return (
    <Modal large title={title()} onClose={onClose}>
      <div class="mf-split">
        <Providers chosen={provider} onChoose={setProvider} />
        <div class="mf-right">
          <Tabs name="mfd" items={TABS} active={tab} label={title()} counts={{ failed: app.failed.value.length }} onChange={setTab} />
          <div class="mf-panel mf-pane" role="tabpanel" id="mfd-panel" aria-labelledby={`mfd-tab-${tab}`}>
            <Problems />
            <Offers session={session} />
            {tab === 'models' && <ModelsPane session={session} provider={provider} onDone={onClose} />}
            {tab === 'groups' && <GroupsPane session={session} provider={provider} />}
            {tab === 'failed' && <FailedPane provider={provider} />}
            {tab === 'dashboard' && <DashboardPane provider={provider} groupId={session.info.data.value?.group?.id ?? null} />}
          </div>
        </div>
      </div>
    </Modal>
  )
}
