/** The dashboard's data: the chosen days, the rows in the chosen order, the speed test. */
import { computed, signal } from '@preact/signals'
import type { ReadonlySignal, Signal } from '@preact/signals'
import type { MetricsReply, SpeedtestSnapshot } from '../../src/contract/metrics.ts'
import type { Route } from '../../src/contract/route.ts'
import type { MetricsSort } from '../../src/contract/settings.ts'
import { day } from '../format.ts'
import { createResource } from '../resource.ts'
import type { Resource } from '../resource.ts'
import { t } from '../text.ts'
import type { App } from './app.ts'
import { createPoll } from './poll.ts'
import { sorted, toLines } from './table.ts'
import type { Column, Line } from './table.ts'

export const METRICS_MS = 3000
export const SPEEDTEST_MS = 1500
const DAY_MS = 86_400_000

export type Preset = 'today' | 'week' | 'all'

export interface Dashboard {
  readonly metrics: Resource<MetricsReply>
  readonly since: Signal<string>
  readonly until: Signal<string>
  readonly lines: ReadonlySignal<readonly Line[]>
  readonly sort: ReadonlySignal<MetricsSort | null>
  readonly speedtest: Resource<SpeedtestSnapshot>
  /** Sets both dates; '' = open. */
  range(since: string, until: string): void
  preset(which: Preset): void
  /** The preset the dates agree with, if any. */
  readonly chosen: ReadonlySignal<Preset | null>
  /** asc → desc → default, kept by the host. */
  cycle(column: Column): void
  measure(target: { readonly groupId: string } | { readonly models: readonly Route[] }): Promise<void>
  cancel(): Promise<void>
  watch(): () => void
}

export function dates(which: Preset, now: number): readonly [string, string] {
  if (which === 'all') return ['', '']
  return [day(which === 'today' ? now : now - 6 * DAY_MS), day(now)]
}

/** The next order when a header is pressed. */
export function nextSort(sort: MetricsSort | null, column: Column): MetricsSort | null {
  if (sort?.column !== column) return { column, direction: 'asc' }
  return sort.direction === 'asc' ? { column, direction: 'desc' } : null
}

function createSpeedtest(app: App): Pick<Dashboard, 'speedtest' | 'measure' | 'cancel'> & { watch(): () => void } {
  const speedtest = createResource((abort) => app.api.call('speedtest', { signal: abort }))
  const poll = createPoll(app.clock, SPEEDTEST_MS, async () => {
    if (speedtest.data.value === null || speedtest.data.value.running) await speedtest.refresh()
  })
  return {
    speedtest,
    watch: poll.watch,
    measure: async (target) => {
      const body = 'groupId' in target ? { groupId: target.groupId } : { models: target.models.map(({ provider, model }) => ({ provider, model })) }
      const snapshot = await app.act(() => app.api.call('startSpeedtest', { body }))
      if (snapshot === null) return void speedtest.refresh()
      speedtest.set(snapshot)
      if (snapshot.total === 0) app.notices.say(t('speed.nothing'))
    },
    cancel: async () => {
      const snapshot = await app.act(() => app.api.call('cancelSpeedtest', { body: {} }))
      if (snapshot !== null) speedtest.set(snapshot)
    },
  }
}

export function createDashboard(app: App): Dashboard {
  const [from, to] = dates('week', app.now.peek())
  const since = signal(from)
  const until = signal(to)
  const metrics = createResource((abort) => app.api.call('metrics', { query: { ...(since.value ? { since: since.value } : {}), ...(until.value ? { until: until.value } : {}) }, signal: abort }))
  const poll = createPoll(app.clock, METRICS_MS, () => metrics.refresh())
  const speed = createSpeedtest(app)
  const sort = computed(() => app.settings.value?.metricsSort ?? null)
  const range = (first: string, last: string): void => {
    since.value = first
    until.value = last
    void metrics.refresh()
  }
  return {
    metrics, since, until, sort, range,
    speedtest: speed.speedtest,
    measure: speed.measure,
    cancel: speed.cancel,
    lines: computed(() => sorted(toLines(metrics.data.value?.rows ?? []), sort.value, app.models.data.value)),
    chosen: computed(() => (['today', 'week', 'all'] as const).find((which) => {
      const [first, last] = dates(which, app.now.value)
      return first === since.value && last === until.value
    }) ?? null),
    preset: (which) => range(...dates(which, app.now.peek())),
    cycle: (column) => void app.saveSettings({ metricsSort: nextSort(sort.value, column) }),
    watch: () => {
      const ends = [poll.watch(), speed.watch()]
      return () => {
        for (const end of ends) end()
      }
    },
  }
}
