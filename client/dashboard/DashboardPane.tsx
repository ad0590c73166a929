/** The dashboard: dates, chart, acts, table. Used in the dialog and in the settings. */
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useShared, useWatch } from '../model/context.ts'
import { t } from '../text.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { ActionBar } from './ActionBar.tsx'
import { Chart } from './Chart.tsx'
import { DateRange } from './DateRange.tsx'
import { Table } from './Table.tsx'

export interface DashboardPaneProps {
  /** Shows only rows of this provider; null = all. */
  readonly provider?: string | null
  /** The group the acts aim at first. */
  readonly groupId?: string | null
}

export function DashboardPane({ provider = null, groupId = null }: DashboardPaneProps): VNode {
  const { app, dashboard } = useShared()
  useWatch(dashboard.watch)
  const chosen = useSignal<string | null>(null)
  const target = app.groups.value.find(({ id }) => id === (chosen.value ?? groupId)) ?? app.groups.value[0]
  return (
    <div class="mf-pane">
      <DateRange />
      <Loaded of={dashboard.metrics}>
        {({ series, unit, rows }) => (
          <>
            <Chart series={series} unit={unit} />
            {target && <ActionBar group={target} onChoose={(id) => { chosen.value = id }} />}
            {rows.every(({ samples }) => !samples) && <p class="mf-empty">{t('board.empty')}</p>}
            <Table provider={provider} />
          </>
        )}
      </Loaded>
    </div>
  )
}
