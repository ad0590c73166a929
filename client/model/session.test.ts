import { describe, expect, it } from 'vitest'
import { NOW, group, info, status } from '../testing/builders.ts'
import { settle } from '../testing/clock.ts'
import { createWorld } from '../testing/world.ts'

const b = { provider: 'beta', model: 'b-1' }
const override = { ...b, kind: 'failure' as const, class: 'quota' as const, from: { provider: 'alpha', model: 'a-1' }, at: NOW, until: NOW + 3_600_000 }

async function open(subagent = false) {
  const world = createWorld({ status: status({ groups: [group()] as never }) }, subagent)
  await world.ready()
  const session = world.session('s-1')
  const end = session.watch()
  await settle()
  return { ...world, session, end, put: async (change: Parameters<typeof info>[0]) => {
    world.mock.state.sessions['s-1'] = info({ ...world.mock.state.sessions['s-1'], ...change })
    await world.clock.advance(3000)
  } }
}

describe('the route', () => {
  it('is what the host would send, and the fallback while the session is away', async () => {
    const { session, put } = await open()
    expect(session.route.value).toEqual({ provider: 'alpha', model: 'a-1' })
    await put({ override })
    expect(session.route.value).toMatchObject(b)
    await put({ override: null })
    expect(session.route.value).toEqual({ provider: 'alpha', model: 'a-1' })
  })
  it('is that of the plugin for a subagent', async () => {
    const { session, put, directory } = await open(true)
    await put({ route: b })
    expect(session.route.value).toEqual(b)
    expect(directory.loads).toBe(0)
  })
})

describe('a choice by hand', () => {
  it('goes through the host, so that its own default follows', async () => {
    const { session, mock, directory } = await open()
    expect(await session.select({ ...b, effort: 'high' })).toBe(true)
    expect(directory.state.value.current).toEqual({ ...b, reasoningEffort: 'high' })
    expect(session.route.value).toEqual({ ...b, effort: 'high' })
    expect(mock.log.some(({ path }) => path === '/session-model')).toBe(false)
  })
  it('goes through the plugin for a subagent', async () => {
    const { session, mock } = await open(true)
    expect(await session.select(b)).toBe(true)
    expect(mock.log.find(({ path }) => path === '/session-model')?.body).toEqual({ sessionId: 's-1', ...b })
    expect(session.route.value).toEqual(b)
  })
  it('is told when the host refuses', async () => {
    const { session, directory, app } = await open()
    directory.refusal = 'agent-busy'
    expect(await session.select(b)).toBe(false)
    expect(app.notices.list.value[0]?.text).toContain('agent-busy')
    expect(session.busy.value).toBe(false)
  })
})

describe('moves', () => {
  it('are told once away and once back, never what stood at first', async () => {
    const { put, app } = await open()
    expect(app.notices.list.value).toEqual([])
    await put({ override })
    expect(app.notices.list.value.map(({ text }) => text)).toEqual(['Alpha · Alpha One → Beta · Beta One: quota used up (earliest return 10:00)'])
    await put({})
    expect(app.notices.list.value).toHaveLength(1)
    await put({ override: null })
    expect(app.notices.list.value.at(-1)?.text).toBe('Back on Alpha · Alpha One, left Beta · Beta One')
  })
  it('go by themselves after six seconds, and with their session', async () => {
    const { put, app, clock, end } = await open()
    await put({ override })
    await clock.advance(6000)
    expect(app.notices.list.value).toEqual([])
    await put({ override: null })
    end()
    expect(app.notices.list.value).toEqual([])
  })
  it('are not told for a choice of the user, nor when the user wants no notices', async () => {
    const { put, app } = await open()
    await put({ override })
    await put({ override: null, home: b, route: b })
    expect(app.notices.list.value).toHaveLength(1)
    await app.saveSettings({ notifyUser: false })
    await put({ override: { ...override, provider: 'gamma', model: 'c-1' } })
    expect(app.notices.list.value.filter(({ text }) => text.includes('Gamma'))).toEqual([])
  })
})

it('binds, goes home and consents, and looks again after each', async () => {
  const { session, mock, put } = await open()
  expect(await session.bind('g-1', 'route', true)).toBe(true)
  expect(session.info.data.value).toMatchObject({ group: { id: 'g-1' }, mode: 'route', pinned: true })
  await put({ override, offer: [b] })
  expect(await session.consent(b, true)).toBe(true)
  expect(session.info.data.value?.offer).toEqual([])
  expect(await session.goHome()).toBe(true)
  expect(session.info.data.value?.override).toBeNull()
  expect(mock.log.find(({ path }) => path === '/consent')?.body).toMatchObject({ once: true })
})

it('loads the host selection anew when the home changes on the other side', async () => {
  const { directory, put } = await open()
  const before = directory.loads
  await put({ home: b })
  expect(directory.loads).toBe(before + 1)
})
