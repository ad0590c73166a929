// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { mark, status } from '../testing/builders.ts'
import { draw } from '../testing/draw.tsx'
import type { Drawn } from '../testing/draw.tsx'
import { createWorld } from '../testing/world.ts'
import type { World } from '../testing/world.ts'
import { SettingsPage } from './SettingsPage.tsx'

let drawn: Drawn
afterEach(() => drawn.close())

async function open(world: World, tab?: RegExp): Promise<World> {
  await world.ready()
  drawn = await draw(<SettingsPage />, world)
  if (tab) await drawn.press(tab, '[role=tab]')
  return world
}

describe('settings', () => {
  it('say which values come from the config, and give one back to it', async () => {
    const { mock } = await open(createWorld())
    expect(drawn.text()).toContain('Patience from the config')
    await drawn.press('reset')
    expect(mock.log.find(({ path }) => path === '/settings')?.body).toEqual({ dialogMode: null })
  })
  it('are saved as they are changed', async () => {
    const { mock } = await open(createWorld())
    await drawn.press('Take over the model seat')
    await drawn.choose('Recovery of failed models', 'day')
    await drawn.type('Default concurrency limit', '6')
    await drawn.type('Default concurrency limit', '1001')
    expect(mock.state.status.settings).toMatchObject({ takeOverModelSeat: false, ledgerRecovery: 'day', defaultConcurrency: 6 })
    expect(drawn.find('Default concurrency limit').getAttribute('aria-invalid')).toBe('true')
  })
  it('show what is wrong with config and files, and what a host cannot do', async () => {
    const base = status()
    await open(createWorld({ status: { ...base, enabled: false, configErrors: [{ key: 'failResetHour', value: '99', message: 'a whole number, 0–23', nearest: null }, { key: 'dril', value: 'true', message: 'unknown key', nearest: 'drill' }], storeProblems: [{ file: 'groups.json', problem: 'set aside', at: 1 }], abilities: { ...base.abilities, reduced: ['no-goals', 'brand-new'] } } }))
    for (const text of ['failResetHour = 99 is refused: a whole number, 0–23', 'Did you mean drill?', 'groups.json: set aside', 'No goal service', 'brand-new']) expect(drawn.text()).toContain(text)
  })
})

it('restores one failed model, or all', async () => {
  const { mock } = await open(createWorld({ status: status({ failed: [mark({ provider: 'alpha', model: 'a-1' }), mark({ provider: 'beta', model: 'b-1', manual: true, code: 'MANUAL', reason: null })] }) }), /^Failed/)
  expect(drawn.text()).toContain('You exceeded your current quota')
  expect(drawn.text()).toContain('ends with the day or by hand')
  await drawn.press('Restore Alpha · Alpha One')
  expect(mock.state.status.failed.map(({ model }) => model)).toEqual(['b-1'])
  await drawn.press('Restore all (1)')
  expect(mock.state.status.failed).toEqual([])
})

it('judges a pasted error', async () => {
  const { mock } = await open(createWorld(), /^Try/)
  await drawn.type('Error text', '429 insufficient_quota')
  await drawn.press('Judge')
  expect(mock.log.find(({ path }) => path === '/explain')?.body).toEqual({ message: '429 insufficient_quota', code: null })
  expect(drawn.text()).toContain('quota used up')
  expect(drawn.text()).toContain('this model held until')
  await drawn.press('Judge the last failures anew')
  expect(drawn.text()).toContain('There are no failures to judge.')
})

it('shows the difference before an import is applied', async () => {
  const { mock } = await open(createWorld(), /^Import/)
  const file = document.querySelector<HTMLInputElement>('input[type=file]')!
  Object.defineProperty(file, 'files', { value: [new File(['{"format":"model-failover-config","version":1,"groups":[]}'], 'x.json')] })
  await drawn.change(() => file.dispatchEvent(new Event('change', { bubbles: true })))
  expect(drawn.text()).toContain('addgroups/Night')
  expect(mock.log.filter(({ path }) => path === '/config/import').map(({ query }) => query.get('dryRun'))).toEqual(['1'])
  await drawn.press('Apply (3)')
  expect(mock.log.filter(({ path }) => path === '/config/import')).toHaveLength(2)
})

it('says of a file that is no JSON what it is', async () => {
  const { app } = await open(createWorld(), /^Import/)
  const file = document.querySelector<HTMLInputElement>('input[type=file]')!
  Object.defineProperty(file, 'files', { value: [new File(['nope'], 'notes.txt')] })
  await drawn.change(() => file.dispatchEvent(new Event('change', { bubbles: true })))
  expect(app.notices.list.value[0]?.text).toBe('notes.txt is not JSON')
})

it('draws every tab, also while the host does not answer', async () => {
  const world = createWorld()
  await open(world)
  world.mock.down = true
  await drawn.change(() => world.app.status.refresh())
  for (const tab of [/^Routing/, /^Failed/, /^Dashboard/, /^Try/, /^Drill/, /^Neighbours/, /^Import/, /^General/]) {
    await drawn.press(tab, '[role=tab]')
    expect(drawn.text()).toContain('The host half does not answer')
  }
})
