import { afterEach, describe, expect, it } from 'vitest'
import type { FailureClass } from '../contract/failure.ts'
import { HOUR_MS } from '../domain/beijing.ts'
import { route } from '../../tests/support/health.ts'
import { settle } from '../../tests/support/manual-time.ts'
import { hanging, ProbeWorlds, reply } from '../../tests/support/probes.ts'

const SECOND = 1000
const MINUTE = 60_000
const worlds = new ProbeWorlds()

afterEach(() => worlds.close())

describe('when a probe goes out', () => {
  it('gathers evidence for a day mark one gap after it and clears it one gap later', async () => {
    const { world, probing } = worlds.begin()
    probing.usual = reply(null)
    const since = world.time.mono()
    world.fail('a', 'server')
    await world.time.run(119 * SECOND)
    expect(world.marks()).toEqual(['p/a'])
    await world.time.run(2 * SECOND)
    expect(world.marks()).toEqual([])
    expect(probing.seconds(since)).toEqual(['p/a 60', 'p/a 120'])
    await world.time.run(HOUR_MS)
    expect(probing.asked).toHaveLength(2)
    expect(world.events).toEqual(['probe p a true', 'probe p a true'])
  })

  it('backs off while the mark is justified and starts over when it serves', async () => {
    const { world, probing } = worlds.begin()
    const since = world.time.mono()
    world.fail('a', 'server')
    await world.time.run(8 * MINUTE)
    probing.usual = reply(null)
    await world.time.run(20 * MINUTE)
    expect(probing.seconds(since)).toEqual(['p/a 60', 'p/a 180', 'p/a 420', 'p/a 900', 'p/a 960'])
    expect(world.marks()).toEqual([])
  })

  it('is the trial of a breaker whose rest is over, and others skip the route meanwhile', async () => {
    const slow = hanging()
    const { world } = worlds.begin({}, slow.call)
    for (let n = 0; n < 2; n++) world.fail('a', 'server', { escaped: true, final: false })
    await world.time.run(MINUTE)
    expect(slow.running()).toBe(1)
    expect(world.soft('a').why).toBe('trial')
    expect(world.health.lease(route('a'))).toBeNull()
    slow.finish()
    await settle()
    expect(world.soft('a').tier).toBe(0)
  })

  it('stands back while a request of a user is the trial', async () => {
    const { world, probing } = worlds.begin()
    for (let n = 0; n < 2; n++) world.fail('a', 'server', { escaped: true, final: false })
    world.time.advance(MINUTE - SECOND)
    const permit = world.health.lease(route('a'))
    await world.time.run(30 * SECOND)
    expect(probing.asked).toEqual([])
    world.fail('a', 'cancelled', { permit })
    await world.time.run(SECOND)
    expect(probing.asked).toHaveLength(1)
  })

  it('keeps the openings of a breaker that only a probe has closed', async () => {
    const { world, probing } = worlds.begin()
    probing.usual = reply(null)
    for (let n = 0; n < 2; n++) world.fail('a', 'server', { escaped: true, final: false })
    await world.time.run(MINUTE)
    expect(world.soft('a').tier).toBe(0)
    for (let n = 0; n < 2; n++) world.fail('a', 'server', { escaped: true, final: false })
    expect(world.softLeft('a')).toBe(2 * MINUTE)
  })

  it('asks the endpoint through the very model that failed there', async () => {
    const { world, probing } = worlds.begin({ endpoints: { p: 'h' } })
    for (const model of ['a', 'b', 'c', 'd']) world.fail(model, 'transport', { final: false })
    probing.usual = reply(null)
    await world.time.run(16 * SECOND)
    expect(probing.asked.map(({ key }) => key)).toEqual(['p/d'])
    expect(world.endpoint('p', null)).toBe('suspect')
    expect(world.soft('a').tier).toBe(1)
  })

  it('takes an answer about a missing model as proof that the transport works', async () => {
    const { world, probing } = worlds.begin()
    for (const model of ['a', 'b', 'c', 'd']) world.fail(model, 'transport', { final: false })
    probing.usual = reply('model_not_found')
    await world.time.run(16 * SECOND)
    expect(world.endpoint('p', null)).toBe('suspect')
    expect(world.hard('a')).toBeNull()
  })

  it('after a restart goes on with the ledger at once and with a quarantine after 15–45 s', async () => {
    const { world } = worlds.begin({ u: () => 0.5 })
    world.fail('a', 'server')
    for (let n = 0; n < 4; n++) world.fail('q/b', 'model_not_found', { final: false })
    await worlds.close()
    await world.restart(5 * MINUTE)
    expect(world.hard('q/b')).toMatchObject({ why: 'quarantined' })
    const probing = worlds.over(world)
    probing.usual = reply(null)
    const since = world.time.mono()
    await world.time.run(2 * MINUTE)
    expect(probing.seconds(since)).toEqual(['p/a 0', 'q/b 30', 'p/a 60'])
    expect(world.marks()).toEqual([])
    expect(world.endpoint('q', 'b')).toBe('suspect')
  })

  it('goes on with its back-off after a restart', async () => {
    const { world, probing } = worlds.begin()
    probing.usual = reply('model_not_found')
    for (let n = 0; n < 4; n++) world.fail('b', 'model_not_found', { final: false })
    await world.time.run(HOUR_MS)
    await worlds.close()
    await world.restart()
    const again = worlds.over(world)
    again.usual = reply('model_not_found')
    const since = world.time.mono()
    await world.time.run(2 * HOUR_MS)
    expect(again.gaps('p/b', since).slice(0, 2)).toEqual([0.3, 60])
  })

  it('asks one route at a time during a local outage, at growing distances, and ends it', async () => {
    const { world, probing } = worlds.begin()
    probing.usual = reply('transport')
    const since = world.time.mono()
    world.fail('a/m', 'transport')
    world.fail('b/m', 'transport')
    await world.time.run(100 * SECOND)
    expect(probing.seconds(since)).toEqual(['a/m 5', 'b/m 15', 'a/m 35', 'b/m 65', 'a/m 95'])
    expect(world.health.status().endpoints).toEqual([])
    probing.usual = reply(null)
    await world.time.run(31 * SECOND)
    expect(world.health.status().outage.active).toBe(false)
    await world.time.run(HOUR_MS)
    expect(probing.asked).toHaveLength(6)
  })
})

describe('when no probe goes out', () => {
  it.each<FailureClass>(['auth', 'quota', 'forbidden'])('never probes a route that failed by %s', async (failure) => {
    const { world, probing } = worlds.begin()
    world.fail('a', failure)
    for (let n = 0; n < 2; n++) world.fail('a', 'server', { escaped: true, final: false })
    await world.time.run(5 * HOUR_MS)
    if (failure !== 'forbidden') expect(world.marks()).toEqual(['p/a'])
    expect(probing.asked).toEqual([])
  })

  it('never probes a manual mark, and nothing by day recovery', async () => {
    const { world, probing } = worlds.begin({ config: { ledgerRecovery: 'day' } })
    await world.health.markManual(route('a'))
    world.fail('b', 'server')
    await world.time.run(5 * HOUR_MS)
    expect(probing.asked).toEqual([])
    world.config = { ...world.config, ledgerRecovery: 'evidence' }
    probing.probes.poke()
    await world.time.run(MINUTE)
    expect(probing.asked.map(({ key }) => key)).toEqual(['p/b'])
  })

  it('waits until a stated hold is over', async () => {
    const { world, probing } = worlds.begin()
    for (let n = 0; n < 4; n++) world.fail('a', 'model_not_found', { final: false })
    world.fail('a', 'rate_limit', { reset: world.time.now() + HOUR_MS })
    await world.time.run(HOUR_MS - SECOND)
    expect(probing.asked).toEqual([])
    await world.time.run(2 * SECOND)
    expect(probing.asked).toHaveLength(1)
  })

  it('holds its peace after a probe that met a limit, until that limit ends', async () => {
    const { world, probing } = worlds.begin()
    world.fail('a', 'server')
    probing.usual = reply('rate_limit', { reset: world.time.now() + HOUR_MS })
    await world.time.run(HOUR_MS - SECOND)
    expect(probing.asked).toHaveLength(1)
    expect(world.hard('a')).not.toBeNull()
    expect(world.health.status().endpoints).toEqual([])
  })

  it('spares routes that no session could use, and looks again', async () => {
    const { world, probing } = worlds.begin()
    probing.usual = reply(null)
    let used = false
    probing.wanted = () => used
    world.fail('a', 'server')
    await world.time.run(10 * MINUTE)
    expect(probing.asked).toEqual([])
    used = true
    await world.time.run(15 * SECOND)
    expect(probing.asked).toHaveLength(1)
  })

  it.each([{ enableProbe: false }, { enabled: false }])('does nothing when switched off: %o', async (config) => {
    const { world, probing } = worlds.begin()
    world.fail('a', 'server')
    world.config = { ...world.config, ...config }
    await world.time.run(HOUR_MS)
    expect(probing.asked).toEqual([])
    expect(world.time.pending).toBe(1)
  })

  it('sets no timer of its own while nothing is held', async () => {
    const { world, probing } = worlds.begin()
    world.ok('a')
    await world.time.run(HOUR_MS)
    expect(probing.asked).toEqual([])
    expect(world.time.pending).toBe(1)
  })
})
