import { expect, it } from 'vitest'
import { HealthWorld, route } from '../../tests/support/health.ts'

it('never writes a ledger in which a change that is just being acknowledged is missing', async () => {
  const world = new HealthWorld()
  world.fail('b', 'server')
  const written = (): readonly string[] => world.failed.value.marks.map(({ model }) => model)
  const marking = world.health.markManual(route('a')).then(written)
  const restoring = world.health.restore(route('b')).then(written)
  const marking2 = world.health.markManual(route('c')).then(written)
  expect(await marking).toContain('a')
  expect(await restoring).toEqual(expect.arrayContaining(['a']))
  expect(await restoring).not.toContain('b')
  expect(await marking2).toEqual(expect.arrayContaining(['a', 'c']))
  expect(world.marks()).toEqual(['p/a', 'p/c'])
})
