import { describe, expect, it } from 'vitest'
import { NOW, entry, group, status, usedRow } from '../testing/builders.ts'
import { createWorld } from '../testing/world.ts'
import { dates, nextSort } from './dashboard.ts'

const a = { provider: 'alpha', model: 'a-1' }
const b = { provider: 'beta', model: 'b-1' }
const state = () => ({
  status: status({ groups: [group({ models: [entry({ ...a, priority: 1 }), entry({ ...b, priority: 2 })] })] as never }),
  metrics: { since: null, until: null, unit: 'day' as const, series: [], rows: [usedRow(a, 3), usedRow(b, 1)] },
})

describe('the days', () => {
  it('are whole Beijing days, both ends included', () => {
    expect(dates('today', NOW)).toEqual(['2026-11-30', '2026-11-30'])
    expect(dates('week', NOW)).toEqual(['2026-11-24', '2026-11-30'])
    expect(dates('all', NOW)).toEqual(['', ''])
  })
  it('are asked for as they are chosen; an open end is left out', async () => {
    const { dashboard, mock, clock } = createWorld(state())
    dashboard.watch()
    await clock.advance(0)
    dashboard.preset('all')
    dashboard.range('2026-01-01', '')
    await clock.advance(0)
    expect(mock.log.filter(({ path }) => path === '/metrics').map(({ query }) => query.toString())).toEqual(['since=2026-11-24&until=2026-11-30', '', 'since=2026-01-01'])
    expect(dashboard.chosen.value).toBeNull()
  })
})

describe('the order', () => {
  it('goes from ascending to descending to the default', () => {
    expect(nextSort(null, 'ttft')).toEqual({ column: 'ttft', direction: 'asc' })
    expect(nextSort({ column: 'ttft', direction: 'asc' }, 'ttft')).toEqual({ column: 'ttft', direction: 'desc' })
    expect(nextSort({ column: 'ttft', direction: 'desc' }, 'ttft')).toBeNull()
    expect(nextSort({ column: 'ttft', direction: 'desc' }, 'speed')).toEqual({ column: 'speed', direction: 'asc' })
  })
  it('is kept by the host', async () => {
    const { dashboard, ready, mock, clock } = createWorld(state())
    await ready()
    await dashboard.metrics.refresh()
    dashboard.cycle('ttft')
    await clock.advance(0)
    expect(mock.state.status.settings.metricsSort).toEqual({ column: 'ttft', direction: 'asc' })
    expect(dashboard.lines.value.map(({ row }) => row.model)).toEqual(['b-1', 'a-1'])
  })
})

describe('a speed test', () => {
  it('is followed every 1.5 s while it runs, and left alone afterwards', async () => {
    const { dashboard, ready, mock, clock } = createWorld(state())
    await ready()
    dashboard.watch()
    await clock.advance(0)
    await dashboard.measure({ groupId: 'g-1' })
    expect(dashboard.speedtest.data.value).toMatchObject({ running: true, total: 2 })
    const asked = () => mock.log.filter(({ method, path }) => method === 'GET' && path === '/speedtest').length
    const before = asked()
    await clock.advance(3000)
    expect(asked()).toBe(before + 2)
    await dashboard.cancel()
    await clock.advance(6000)
    expect(asked()).toBe(before + 2)
    expect(dashboard.speedtest.data.value?.running).toBe(false)
  })
  it('tells why it could not begin', async () => {
    const { dashboard, ready, mock, app } = createWorld(state())
    await ready()
    mock.once('POST', '/speedtest', { status: 409, body: { error: { code: 'SPEEDTEST_RUNNING', message: 'a speed test runs' } } })
    await dashboard.measure({ models: [a] })
    expect(app.notices.list.value[0]?.text).toContain('a speed test runs')
  })
})
