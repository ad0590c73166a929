import { expect, it } from 'vitest'
import { NOW, VERSION, group, status } from '../testing/builders.ts'
import { createWorld } from '../testing/world.ts'

it('polls the status every three seconds while the tab is visible, mostly for a 304', async () => {
  const { app, clock, mock } = createWorld()
  const end = app.watch()
  await clock.advance(9000)
  expect(mock.log.filter(({ path }) => path === '/status')).toHaveLength(4)
  const before = app.status.data.value
  await clock.advance(3000)
  expect(app.status.data.value).toBe(before)
  end()
  await clock.advance(30_000)
  expect(mock.log.filter(({ path }) => path === '/status')).toHaveLength(5)
})

it('keeps the last good status while the host is away and recovers by itself', async () => {
  const { app, clock, mock, ready } = createWorld()
  await ready()
  app.watch()
  mock.down = true
  await clock.advance(3000)
  expect([app.offline.value, app.status.data.value?.version]).toEqual([true, VERSION])
  mock.down = false
  await clock.advance(3000)
  expect(app.offline.value).toBe(false)
})

it('notices that the host half is of another version', async () => {
  const { app, ready, mock } = createWorld()
  await ready()
  expect(app.outdated.value).toBe(false)
  mock.state.status = status({ version: '9.9.9', now: NOW + 1 })
  await app.status.refresh()
  expect(app.outdated.value).toBe(true)
})

it('leaves parts alone that did not change', async () => {
  const { app, ready, mock } = createWorld({ status: status({ groups: [group()] as never }) })
  await ready()
  const { value } = app.groups
  mock.state.status = { ...mock.state.status, now: NOW + 5000, usageDay: '2026-12-01' }
  await app.status.refresh()
  expect(app.status.data.value?.usageDay).toBe('2026-12-01')
  expect(app.groups.value).toBe(value)
})

it('tells the time of the host, not of this machine', async () => {
  const { app, ready, mock, clock } = createWorld()
  mock.state.status = status({ now: NOW + 90_000 })
  await ready()
  expect(app.now.value).toBe(NOW + 90_000)
  app.tick()
  await clock.advance(2000)
  expect(app.now.value).toBe(NOW + 92_000)
})

it('takes over saved settings at once, and a refusal becomes a message', async () => {
  const { app, ready, mock } = createWorld()
  await ready()
  expect(await app.saveSettings({ dialogMode: false })).toBe(true)
  expect(app.settings.value).toMatchObject({ dialogMode: false, sources: { dialogMode: 'ui' } })
  mock.down = true
  expect(await app.saveSettings({ dialogMode: true })).toBe(false)
  expect(app.notices.list.value[0]?.text).toContain('does not answer')
})

it('names the default binding by its group, and none for a group that is gone', async () => {
  const { app, ready } = createWorld({ status: status({ groups: [group()] as never }) })
  await ready()
  await app.setDefault('g-1', 'route')
  expect(app.defaultBinding.value).toEqual({ id: 'g-1', name: 'Everyday', mode: 'route' })
  app.adopt({ groups: [] })
  expect(app.defaultBinding.value).toBeNull()
})
