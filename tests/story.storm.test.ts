// Sixteen sessions ask the same model at once and all are turned away.
import { afterEach, expect, it } from 'vitest'
import { HealthWorld, openBreaker, picker } from './support/health.ts'
import { ProbeWorlds, reply } from './support/probes.ts'

const SESSIONS = 16
const SECOND = 1000
const worlds = new ProbeWorlds()

afterEach(() => worlds.close())

/** Each session sends, is turned away after 300 ms, waits half a second as the host does, and asks for its route again. */
function storm(world: HealthWorld, reset: number | null): { readonly calls: Map<string, number>; readonly ask: ReturnType<typeof picker> } {
  const ask = picker(world, 'a/one', 'b/two')
  const calls = new Map<string, number>()
  const send = (): string => {
    const choice = ask()
    const key = choice ? choice.model : 'none'
    calls.set(key, (calls.get(key) ?? 0) + 1)
    return key
  }
  const first = Array.from({ length: SESSIONS }, send)
  world.time.advance(300)
  for (const key of first) {
    if (key === 'one') world.fail('a/one', 'rate_limit', { final: false, took: 300, code: 'RATE_LIMIT', reset: reset === null ? null : world.time.now() + reset })
  }
  world.time.advance(500)
  for (const key of Array.from({ length: SESSIONS }, send)) {
    if (key === 'two') world.ok('b/two')
  }
  return { calls, ask }
}

it('turns every retry of the storm to the next model, without a day mark', () => {
  const { world } = worlds.begin()
  const { calls } = storm(world, null)
  expect(calls).toEqual(new Map([['one', SESSIONS], ['two', SESSIONS]]))
  expect(world.marks()).toEqual([])
  expect(world.health.status().endpoints).toEqual([])
  expect(world.soft('b/two').tier).toBe(0)
  expect(world.events.filter((line) => line.startsWith('circuit'))).toEqual(['circuit-opened a one model'])
})

it('lets one probe find out when the storm is over, and then everybody back', async () => {
  const { world, probing } = worlds.begin()
  probing.usual = reply('rate_limit')
  const { ask } = storm(world, null)
  await world.time.run(100 * SECOND)
  expect(probing.asked).toHaveLength(1)
  expect(ask()).toMatchObject({ model: 'two' })
  probing.usual = reply(null)
  await world.time.run(90 * SECOND)
  expect(probing.asked).toHaveLength(2)
  expect(ask()).toMatchObject({ model: 'one', tier: 0, permit: null })
})

it('holds the model until the instant it named, asks nobody meanwhile, and returns on time', async () => {
  const { world, probing } = worlds.begin()
  const { calls, ask } = storm(world, 20 * SECOND)
  expect(calls.get('two')).toBe(SESSIONS)
  await world.time.run(19 * SECOND)
  expect(ask()).toMatchObject({ model: 'two' })
  await world.time.run(SECOND)
  expect(ask()).toMatchObject({ model: 'one', tier: 0 })
  expect(probing.asked).toEqual([])
})

it('sends one trial, not sixteen, when nothing else is left', () => {
  const world = new HealthWorld({ config: { enableProbe: false } })
  openBreaker(world, 'a/one')
  const ask = picker(world, 'a/one')
  const trials = Array.from({ length: SESSIONS }, () => ask([], { probesOn: false })).filter((choice) => choice !== null)
  expect(trials).toHaveLength(1)
  world.ok('a/one', { permit: trials[0]?.permit ?? null })
  expect(ask()).toMatchObject({ model: 'one', tier: 0 })
})
