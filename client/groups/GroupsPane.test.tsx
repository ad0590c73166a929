// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { entry, group, status } from '../testing/builders.ts'
import { draw } from '../testing/draw.tsx'
import type { Drawn } from '../testing/draw.tsx'
import { createWorld } from '../testing/world.ts'
import type { World } from '../testing/world.ts'
import { GroupsPane } from './GroupsPane.tsx'

const a = { provider: 'alpha', model: 'a-1' }
const b = { provider: 'beta', model: 'b-1' }
let drawn: Drawn
afterEach(() => drawn.close())

async function open(world: World, bound = true): Promise<World> {
  await world.ready()
  const session = bound ? world.session('s-1') : null
  await session?.info.refresh()
  drawn = await draw(<GroupsPane session={session} />, world)
  return world
}
const withGroup = (over = {}): World => createWorld({ status: status({ groups: [group({ models: [entry({ ...a, priority: 1 }), entry({ ...b, priority: 2 })], ...over })] as never }) })
const models = (world: World) => world.mock.state.status.groups[0]!.models

describe('the first run', () => {
  it('makes a group of the user\'s own models with one press and binds the session by fallback', async () => {
    const world = await open(createWorld())
    await drawn.press('Make a group from my providers (5 models)')
    expect(models(world)[0]).toMatchObject({ ...a, priority: 1 })
    expect(world.mock.state.sessions['s-1']).toMatchObject({ mode: 'failover', group: { name: 'Everyday' } })
    expect(drawn.has(/^Alpha One/, '.mf-pick')).toBe(true)
  })
  it('makes it the default of new sessions where no session is at hand', async () => {
    const world = await open(createWorld(), false)
    await drawn.press(/Make a group/)
    expect(world.mock.state.status.defaultBinding).toMatchObject({ mode: 'failover' })
  })
})

describe('an entry', () => {
  it('takes a typed priority and refuses what is none', async () => {
    const world = await open(withGroup())
    await drawn.type('Priority of Beta One', '0')
    expect(drawn.find('Priority of Beta One').getAttribute('aria-invalid')).toBe('true')
    await drawn.type('Priority of Beta One', '7')
    expect(models(world).map(({ priority }) => priority)).toEqual([1, 7])
  })
  it('moves by Alt and arrow keys', async () => {
    const world = await open(withGroup())
    await drawn.key(drawn.find('Move Beta One'), 'ArrowUp', { altKey: true })
    expect(models(world).map(({ model, priority }) => `${model} ${priority}`)).toEqual(['a-1 2', 'b-1 1'])
  })
  it('is marked failed, disabled and removed', async () => {
    const world = await open(withGroup())
    await drawn.press('Failed: Alpha One')
    expect(world.mock.state.status.failed).toMatchObject([{ ...a, code: 'MANUAL' }])
    await drawn.press('Failed: Alpha One')
    expect(world.mock.state.status.failed).toEqual([])
    await drawn.press('Disabled: Alpha One')
    expect(models(world)[0]).toMatchObject({ disabled: true })
    await drawn.press('Take Alpha One out of the group')
    expect(models(world).map(({ model }) => model)).toEqual(['b-1'])
  })
  it('is edited in a dialog: hours, last day, effort, purse guard', async () => {
    const world = await open(withGroup())
    await drawn.press(/^Alpha One/, '.mf-pick')
    await drawn.type('Hours', '22-6, 12-14')
    await drawn.type('Last day', '2026-12-31')
    await drawn.choose('Effort', 'high')
    await drawn.press(/Ask first/)
    expect(models(world)[0]).toEqual({ ...a, priority: 1, windows: [{ from: 22, to: 6 }, { from: 12, to: 14 }], until: '2026-12-31', effort: 'high', ask: true })
    await drawn.type('Hours', '25')
    expect(drawn.find('Hours', 'input').getAttribute('aria-invalid')).toBe('true')
    await drawn.type('Hours', '')
    expect(models(world)[0]).not.toHaveProperty('windows')
  })
})

describe('a group', () => {
  it('is renamed in place, but not to a name that is taken or empty', async () => {
    const world = await open(withGroup())
    await drawn.press('New group')
    expect(world.mock.state.status.groups.map(({ name }) => name)).toEqual(['Everyday', 'Group 1'])
    await drawn.type('Name of the group', 'Everyday')
    expect(drawn.find('Name of the group').getAttribute('aria-invalid')).toBe('true')
    await drawn.type('Name of the group', 'Night')
    expect(world.mock.state.status.groups[1]!.name).toBe('Night')
    await drawn.press('New group')
    await drawn.press('New group')
    expect(world.mock.state.status.groups.map(({ name }) => name)).toEqual(['Everyday', 'Night', 'Group 1', 'Group 2'])
  })
  it('drops a refused name with the group it was meant for, and says why it was refused', async () => {
    const world = await open(withGroup())
    await drawn.press('New group')
    await drawn.type('Name of the group', 'x'.repeat(81))
    expect(world.app.notices.list.value.map(({ text }) => text)).toEqual(['1 to 80 characters'])
    await drawn.choose('Choose a group', world.mock.state.status.groups[0]!.id)
    expect(drawn.find('Name of the group').value).toBe('Everyday')
  })
  it('stays in view when the session is bound to another or to none', async () => {
    const world = await open(withGroup())
    await drawn.press('New group')
    await drawn.press('Route')
    await drawn.press('Not bound')
    expect(drawn.find('Name of the group').value).toBe('Group 1')
    await drawn.press('Route')
    expect(world.mock.state.sessions['s-1']).toMatchObject({ group: { name: 'Group 1' } })
  })
  it('closes its editor when it is deleted elsewhere', async () => {
    const world = await open(withGroup())
    await drawn.press('New group')
    await drawn.choose('Choose a group', world.mock.state.status.groups[0]!.id)
    await drawn.press(/^Alpha One/, '.mf-pick')
    await drawn.change(() => world.app.adopt({ groups: world.mock.state.status.groups.slice(1) }))
    expect(drawn.has('Hours', 'input')).toBe(false)
  })
  it('is deleted alone, however often the button is pressed', async () => {
    const world = await open(withGroup())
    await drawn.press('New group')
    await drawn.press('Delete group')
    await drawn.press('Delete and unbind its sessions?')
    await drawn.press('Delete group')
    expect(world.mock.state.status.groups).toHaveLength(1)
  })
  it('is deleted only after a second press', async () => {
    const world = await open(withGroup())
    await drawn.press('Delete group')
    expect(world.mock.state.status.groups).toHaveLength(1)
    await drawn.press('Delete and unbind its sessions?')
    expect(world.mock.state.status.groups).toEqual([])
  })
  it('is bound to the session by mode, pinned and unbound', async () => {
    const world = await open(withGroup())
    await drawn.press('Route')
    expect(world.mock.state.sessions['s-1']).toMatchObject({ mode: 'route', pinned: false })
    await drawn.press('Pinned')
    expect(world.mock.state.sessions['s-1']).toMatchObject({ mode: 'route', pinned: true })
    await drawn.press('Not bound')
    expect(world.mock.state.sessions['s-1']).toMatchObject({ group: null })
  })
  it('takes models in and out from everything the host knows', async () => {
    const world = await open(withGroup())
    await drawn.press('Add models')
    await drawn.change(() => {
      const box = drawn.find('Search names and ids', 'input')
      box.value = 'gamma'
      box.dispatchEvent(new Event('input', { bubbles: true }))
    })
    await drawn.press('Gamma One', '.mf-option')
    expect(models(world).at(-1)).toMatchObject({ provider: 'gamma', model: 'c-1', priority: 3 })
    await drawn.press('Gamma One', '.mf-option')
    expect(models(world)).toHaveLength(2)
  })
})
