/** The plugin's page in the host's settings. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { DashboardPane } from '../dashboard/DashboardPane.tsx'
import { FailedPane } from '../failed/FailedPane.tsx'
import { GroupsPane } from '../groups/GroupsPane.tsx'
import { useShared, useWatch } from '../model/context.ts'
import { t, title } from '../text.ts'
import { Problems } from '../ui/Problems.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { Toaster } from '../ui/Toaster.tsx'
import { Data } from './Data.tsx'
import { Drill } from './Drill.tsx'
import { Explain } from './Explain.tsx'
import { General } from './General.tsx'
import { Neighbours } from './Neighbours.tsx'

const TABS = ['general', 'groups', 'failed', 'dashboard', 'explain', 'drill', 'neighbours', 'data'] as const
type TabId = typeof TABS[number]

export function SettingsPage(): VNode {
  const { app } = useShared()
  const [tab, setTab] = useState<TabId>('general')
  useWatch(app.watch)
  useEffect(() => { void app.models.refresh() }, [app])
  const items = TABS.map((id) => ({ id, text: t(`tab.${id}`), ...(id === 'failed' ? { count: app.failed.value.length } : {}) }))
  return (
    <section class="mf mf-page">
      <h2 class="mf-title">{title()}</h2>
      <p class="mf-muted">{t('page.intro')}</p>
      <Problems full />
      <Tabs name="mf-page" items={items} active={tab} label={title()} onChange={setTab} />
      <div role="tabpanel" id={`mf-page-panel-${tab}`} aria-labelledby={`mf-page-tab-${tab}`}>
        {tab === 'general' && <General />}
        {tab === 'groups' && <GroupsPane session={null} />}
        {tab === 'failed' && <FailedPane />}
        {tab === 'dashboard' && <DashboardPane />}
        {tab === 'explain' && <Explain />}
        {tab === 'drill' && <Drill />}
        {tab === 'neighbours' && <Neighbours />}
        {tab === 'data' && <Data />}
      </div>
      <Toaster />
    </section>
  )
}
