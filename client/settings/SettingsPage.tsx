/** The plugin's page in the host's settings. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { DashboardPane } from '../dashboard/DashboardPane.tsx'
import { FailedPane } from '../failed/FailedPane.tsx'
import { GroupsPane } from '../groups/GroupsPane.tsx'
import { useShared } from '../model/context.ts'
import { title } from '../text.ts'
import { Problems } from '../ui/Problems.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { Data } from './Data.tsx'
import { Drill } from './Drill.tsx'
import { Explain } from './Explain.tsx'
import { General } from './General.tsx'
import { Neighbours } from './Neighbours.tsx'

const TABS = ['general', 'groups', 'failed', 'dashboard', 'explain', 'drill', 'neighbours', 'data'] as const

export function SettingsPage(): VNode {
  const { app } = useShared()
  const [tab, setTab] = useState<typeof TABS[number]>('general')
  useEffect(() => void app.models.refresh(), [app])
  return (
    <section class="mf mf-pane mf-page">
      <h2>{title()}</h2>
      <Problems full />
      <Tabs name="mfp" items={TABS} active={tab} label={title()} counts={{ failed: app.failed.value.length }} onChange={setTab} />
      <div class="mf-pane" role="tabpanel" id="mfp-panel" aria-labelledby={`mfp-tab-${tab}`}>
        {tab === 'general' && <General />}
        {tab === 'groups' && <GroupsPane session={null} />}
        {tab === 'failed' && <FailedPane />}
        {tab === 'dashboard' && <DashboardPane />}
        {tab === 'explain' && <Explain />}
        {tab === 'drill' && <Drill />}
        {tab === 'neighbours' && <Neighbours />}
        {tab === 'data' && <Data />}
      </div>
    </section>
  )
}
