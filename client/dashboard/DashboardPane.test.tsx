// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { busyDay } from '../testing/scenes.ts'
import { NOW, VERSION } from '../testing/builders.ts'
import { draw } from '../testing/draw.tsx'
import type { Drawn } from '../testing/draw.tsx'
import { createWorld } from '../testing/world.ts'
import type { World } from '../testing/world.ts'
import { DashboardPane } from './DashboardPane.tsx'

let drawn: Drawn
afterEach(() => drawn.close())

async function open(): Promise<World> {
  const world = createWorld(busyDay(NOW, VERSION, 'en'))
  await world.ready()
  drawn = await draw(<DashboardPane />, world)
  return world
}
const rows = () => [...document.querySelectorAll('tr[data-mf-row]')].map((row) => row.querySelector('b')!.textContent)

describe('the table', () => {
  it('has one row per model and group, with figures that are known only', async () => {
    await open()
    expect(rows()).toEqual(['Alpha One', 'Alpha Two', 'Beta One', 'Beta Two', 'Gamma One', 'Gamma One', 'Beta One'])
    const [first, second] = [...document.querySelectorAll('tr[data-mf-row]')].map((row) => row.textContent)
    expect(first).toContain('53.6%22/41')
    expect(first).toContain('cache hit 132K')
    expect(second).toMatch(/^Alpha Two.*normal————/)
  })
  it('sorts by a header three times round, and tells it to screen readers', async () => {
    await open()
    await drawn.press('First token', 'th button')
    expect(rows().slice(0, 2)).toEqual(['Gamma One', 'Gamma One'])
    expect(document.querySelector('[aria-sort=ascending]')!.textContent).toBe('First token')
    await drawn.press('First token', 'th button')
    expect(rows()[0]).toBe('Alpha One')
    expect(rows().at(-1)).toBe('Alpha Two')
    await drawn.press('First token', 'th button')
    expect(rows()[0]).toBe('Alpha One')
    expect(document.querySelectorAll('[aria-sort=none]')).toHaveLength(8)
  })
  it('edits a limit, tests one model, restores one and takes one out of its group', async () => {
    const { mock } = await open()
    await drawn.change(() => undefined)
    const limit = document.querySelector<HTMLInputElement>('input[aria-label="Concurrency limit of Alpha Two"]')!
    await drawn.change(() => {
      limit.value = '3'
      limit.dispatchEvent(new Event('input', { bubbles: true }))
    })
    await drawn.key(limit, 'Enter')
    expect(mock.log.find(({ path }) => path === '/model-concurrency')?.body).toEqual({ provider: 'alpha', model: 'a-2', concurrency: 3 })
    await drawn.press('Test Alpha Two')
    expect(mock.log.find(({ method, path }) => method === 'POST' && path === '/speedtest')?.body).toEqual({ models: [{ provider: 'alpha', model: 'a-2' }] })
    await drawn.press('Restore Alpha · Alpha One')
    expect(mock.state.status.failed.map(({ model }) => model)).toEqual(['b-2'])
    await drawn.press('Remove Alpha Two from “Everyday”')
    expect(mock.state.status.groups[0]!.models.map(({ model }) => model)).not.toContain('a-2')
  })
})

describe('the acts on a group', () => {
  it('number by the order on screen, from a number of choice, only models with data', async () => {
    const { mock } = await open()
    await drawn.press('Speed', 'th button')
    await drawn.type('Start at', '10')
    await drawn.press('Number by this order (4)')
    expect(mock.log.find(({ path }) => path === '/groups/reorder-priority')?.body).toEqual({
      groupId: 'g-1', start: 10, order: ['gamma/c-1', 'beta/b-1', 'beta/b-2', 'alpha/a-1'].map((text) => ({ provider: text.split('/')[0], model: text.split('/')[1] })),
    })
  })
  it('refuse numbers past 999', async () => {
    await open()
    await drawn.type('Start at', '997')
    expect(drawn.find('Number by this order (4)').disabled).toBe(true)
  })
  it('test the whole group with progress and a way to cancel', async () => {
    const { mock } = await open()
    await drawn.press('Test speed')
    expect(drawn.has('Cancel test 0/5')).toBe(true)
    await drawn.press('Cancel test 0/5')
    expect(mock.state.speedtest.running).toBe(false)
  })
  it('restore what failed in this group only', async () => {
    const { mock } = await open()
    await drawn.press('Restore failed in group (2)')
    expect(mock.log.filter(({ path }) => path === '/failed/reset').map(({ body }) => body)).toEqual([{ provider: 'alpha', model: 'a-1' }, { provider: 'beta', model: 'b-2' }])
  })
})

it('asks for the days that are typed, and refuses what is no day or the wrong way round', async () => {
  const { mock } = await open()
  await drawn.type('First day', '2026-13-01')
  expect(drawn.find('First day').getAttribute('aria-invalid')).toBe('true')
  await drawn.type('First day', '2026-12-24')
  expect(drawn.find('First day').getAttribute('data-mf-tip')).toContain('after the last')
  await drawn.type('First day', '2026-11-01')
  expect(mock.log.findLast(({ path }) => path === '/metrics')?.query.get('since')).toBe('2026-11-01')
})
