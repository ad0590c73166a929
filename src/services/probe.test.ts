import { afterEach, describe, expect, it } from 'vitest'
import type { FailureClass } from '../contract/failure.ts'
import { HOUR_MS } from '../domain/beijing.ts'
import { HealthWorld, route, type WorldOptions } from '../../tests/support/health.ts'
import { ProbeWorld, reply } from '../../tests/support/probes.ts'
import { settle } from '../../tests/support/manual-time.ts'
import type { ProbeCall, ProbeReply } from './probe-call.ts'

const SECOND = 1000
const MINUTE = 60_000
const open: ProbeWorld[] = []

afterEach(async () => {
  for (const probing of open.splice(0)) await probing.probes.close()
})

function begin(options: WorldOptions = {}, call?: ProbeCall): { world: HealthWorld; probing: ProbeWorld } {
  const world = new HealthWorld(options)
  const probing = new ProbeWorld(world, call)
  open.push(probing)
  return { world, probing }
}

const seconds = (world: HealthWorld, probing: ProbeWorld, since: number): string[] =>
  probing.asked.map(({ at, key }) => `${key} ${Math.round((at - since) / SECOND)}`)

/** A call that never answers by itself, and tells how many of its kind are under way. */
function hanging(): { call: ProbeCall; running: () => number; most: () => number; finish: (one?: ProbeReply) => void } {
  const waiting: ((one: ProbeReply) => void)[] = []
  let most = 0
  return {
    call: () => new Promise((resolve) => { waiting.push(resolve); most = Math.max(most, waiting.length) }),
    running: () => waiting.length, most: () => most,
    finish: (one = reply(null)) => waiting.shift()?.(one),
  }
}

describe('when a probe goes out', () => {
  it('gathers evidence for a day mark one gap after it and clears it one gap later', async () => {
    const { world, probing } = begin()
    probing.usual = reply(null)
    const since = world.time.mono()
    world.fail('a', 'server')
    await world.time.run(119 * SECOND)
    expect(world.marks()).toEqual(['p/a'])
    await world.time.run(2 * SECOND)
    expect(world.marks()).toEqual([])
    expect(seconds(world, probing, since)).toEqual(['p/a 60', 'p/a 120'])
    await world.time.run(HOUR_MS)
    expect(probing.asked).toHaveLength(2)
    expect(world.events).toEqual(['probe p a true', 'probe p a true'])
  })

  it('backs off while the mark is justified and starts over when it serves', async () => {
    const { world, probing } = begin()
    const since = world.time.mono()
    world.fail('a', 'server')
    await world.time.run(8 * MINUTE)
    probing.usual = reply(null)
    await world.time.run(20 * MINUTE)
    expect(seconds(world, probing, since)).toEqual(['p/a 60', 'p/a 180', 'p/a 420', 'p/a 900', 'p/a 960'])
    expect(world.marks()).toEqual([])
  })

  it('is the trial of a breaker whose rest is over, and others skip the route meanwhile', async () => {
    const slow = hanging()
    const { world } = begin({}, slow.call)
    for (let n = 0; n < 2; n++) world.fail('a', 'server', { escaped: true, final: false })
    await world.time.run(MINUTE)
    expect(slow.running()).toBe(1)
    expect(world.soft('a').why).toBe('trial')
    expect(world.health.lease(route('a'))).toBeNull()
    slow.finish()
    await settle()
    expect(world.soft('a').tier).toBe(0)
  })

  it('keeps the openings of a breaker that only a probe has closed', async () => {
    const { world, probing } = begin()
    probing.usual = reply(null)
    for (let n = 0; n < 2; n++) world.fail('a', 'server', { escaped: true, final: false })
    await world.time.run(MINUTE)
    expect(world.soft('a').tier).toBe(0)
    for (let n = 0; n < 2; n++) world.fail('a', 'server', { escaped: true, final: false })
    expect(world.softLeft('a')).toBe(2 * MINUTE)
  })

  it('asks the endpoint through the very model that failed there', async () => {
    const { world, probing } = begin({ endpoints: { p: 'h' } })
    for (const model of ['a', 'b', 'c', 'd']) world.fail(model, 'transport', { final: false })
    probing.usual = reply(null)
    await world.time.run(16 * SECOND)
    expect(probing.asked.map(({ key }) => key)).toEqual(['p/d'])
    expect(world.endpoint('p', null)).toBe('suspect')
    expect(world.soft('a').tier).toBe(1)
  })

  it('takes an answer about a missing model as proof that the transport works', async () => {
    const { world, probing } = begin()
    for (const model of ['a', 'b', 'c', 'd']) world.fail(model, 'transport', { final: false })
    probing.usual = reply('model_not_found')
    await world.time.run(16 * SECOND)
    expect(world.endpoint('p', null)).toBe('suspect')
    expect(world.hard('a')).toBeNull()
  })

  it('after a restart goes on with the ledger at once and with a quarantine after 15–45 s', async () => {
    const { world } = begin({ u: () => 0.5 })
    world.fail('a', 'server')
    for (let n = 0; n < 4; n++) world.fail('q/b', 'model_not_found', { final: false })
    await open.pop()!.probes.close()
    await world.restart(5 * MINUTE)
    expect(world.hard('q/b')).toMatchObject({ why: 'quarantined' })
    const probing = new ProbeWorld(world)
    open.push(probing)
    probing.usual = reply(null)
    const since = world.time.mono()
    await world.time.run(2 * MINUTE)
    expect(seconds(world, probing, since)).toEqual(['p/a 0', 'q/b 30', 'p/a 60'])
    expect(world.marks()).toEqual([])
    expect(world.endpoint('q', 'b')).toBe('suspect')
  })

  it('goes on with its back-off after a restart', async () => {
    const { world, probing } = begin()
    probing.usual = reply('model_not_found')
    for (let n = 0; n < 4; n++) world.fail('b', 'model_not_found', { final: false })
    await world.time.run(HOUR_MS)
    await open.pop()!.probes.close()
    await world.restart()
    const again = new ProbeWorld(world)
    open.push(again)
    again.usual = reply('model_not_found')
    const since = world.time.mono()
    await world.time.run(2 * HOUR_MS)
    expect(again.gaps('p/b', since).slice(0, 2)).toEqual([0.3, 60])
  })

  it('asks one route at a time during a local outage, at growing distances, and ends it', async () => {
    const { world, probing } = begin()
    probing.usual = reply('transport')
    const since = world.time.mono()
    world.fail('a/m', 'transport')
    world.fail('b/m', 'transport')
    await world.time.run(100 * SECOND)
    expect(seconds(world, probing, since)).toEqual(['a/m 5', 'b/m 15', 'a/m 35', 'b/m 65', 'a/m 95'])
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
    const { world, probing } = begin()
    world.fail('a', failure)
    for (let n = 0; n < 2; n++) world.fail('a', 'server', { escaped: true, final: false })
    await world.time.run(5 * HOUR_MS)
    if (failure !== 'forbidden') expect(world.marks()).toEqual(['p/a'])
    expect(probing.asked).toEqual([])
  })

  it('never probes a manual mark, and nothing by day recovery', async () => {
    const { world, probing } = begin({ config: { ledgerRecovery: 'day' } })
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
    const { world, probing } = begin()
    for (let n = 0; n < 4; n++) world.fail('a', 'model_not_found', { final: false })
    world.fail('a', 'rate_limit', { reset: world.time.now() + HOUR_MS })
    await world.time.run(HOUR_MS - SECOND)
    expect(probing.asked).toEqual([])
    await world.time.run(2 * SECOND)
    expect(probing.asked).toHaveLength(1)
  })

  it('holds its peace after a probe that met a limit, until that limit ends', async () => {
    const { world, probing } = begin()
    world.fail('a', 'server')
    probing.usual = reply('rate_limit', { reset: world.time.now() + HOUR_MS })
    await world.time.run(HOUR_MS - SECOND)
    expect(probing.asked).toHaveLength(1)
    expect(world.hard('a')).not.toBeNull()
    expect(world.health.status().endpoints).toEqual([])
  })

  it('spares routes that no session could use, and looks again', async () => {
    const { world, probing } = begin()
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
    const { world, probing } = begin()
    world.fail('a', 'server')
    world.config = { ...world.config, ...config }
    await world.time.run(HOUR_MS)
    expect(probing.asked).toEqual([])
    expect(world.time.pending).toBe(1)
  })

  it('sets no timer of its own while nothing is held', async () => {
    const { world, probing } = begin()
    world.ok('a')
    await world.time.run(HOUR_MS)
    expect(probing.asked).toEqual([])
    expect(world.time.pending).toBe(1)
  })
})

describe('how many', () => {
  it('runs one probe per provider, two in all, a second apart', async () => {
    const slow = hanging()
    const { world, probing } = begin({}, slow.call)
    const since = world.time.mono()
    for (const text of ['p/a', 'p/b', 'q/a', 'r/a']) world.fail(text, 'server')
    await world.time.run(70 * SECOND)
    expect(seconds(world, probing, since)).toEqual(['p/a 60', 'q/a 61'])
    slow.finish()
    await world.time.run(SECOND)
    expect(probing.asked.at(-1)!.key).toBe('p/b')
    slow.finish()
    await world.time.run(2 * SECOND)
    expect(probing.asked.map(({ key }) => key)).toEqual(['p/a', 'q/a', 'p/b', 'r/a'])
    expect(slow.most()).toBe(2)
  })

  it('spends at most 2,000 tokens of a provider a day, and has a full purse the day after', async () => {
    const { world, probing } = begin({ config: { ledgerEvidenceGapMs: 1000, endpoint_probe_interval_ms: 1000 } })
    probing.usual = reply('server', { tokens: 300 })
    for (const text of ['p/a', 'p/b', 'q/a']) world.fail(text, 'server')
    await world.time.run(3 * HOUR_MS)
    const spent = probing.probes.report().tokens
    expect(spent['p']).toBe(1800)
    expect(spent['q']).toBe(1800)
    expect(probing.asked.filter(({ key }) => key === 'q/a')).toHaveLength(6)
    await world.time.run(12 * HOUR_MS)
    world.fail('p/a', 'server')
    await world.time.run(HOUR_MS)
    expect(probing.probes.report().tokens['p']).toBeLessThanOrEqual(1800)
    expect(probing.asked.length).toBeGreaterThan(12)
  })

  it('repeats an answer that says nothing once, with 64 tokens, and then lets it be', async () => {
    const { world, probing } = begin()
    probing.usual = reply('invalid_request', { conclusive: false, tokens: 0 })
    for (let n = 0; n < 4; n++) world.fail('a', 'model_not_found', { final: false })
    world.fail('a', 'server')
    await world.time.run(70 * SECOND)
    expect(probing.asked.map(({ maxTokens }) => maxTokens)).toEqual([8, 64])
    expect(world.health.status().endpoints).toMatchObject([{ state: 'quarantined', lastConclusiveProbeAt: null, probes: 0 }])
    expect(world.breaker('a')).toMatchObject({ state: 'half-open', opens: 1 })
    await world.time.run(6 * HOUR_MS)
    expect(world.soft('a').tier).toBe(2)
  })
})

describe('the end of a probe', () => {
  it('counts silence of 40 s as a timeout and lets the call go', async () => {
    let signal: AbortSignal | null = null
    const { world, probing } = begin({}, (_route, _tokens, given) => { signal = given; return new Promise(() => {}) })
    world.fail('a', 'server')
    await world.time.run(99 * SECOND)
    expect(probing.probes.report().probes).toMatchObject([{ running: true, nextAt: null, serves: ['ledger'] }])
    await world.time.run(2 * SECOND)
    expect(signal!.aborted).toBe(true)
    expect(probing.probes.report().probes).toMatchObject([{ running: false, failures: 1, lastOk: false, nextAt: world.time.now() + 119 * SECOND }])
    expect(world.events.at(-1)).toBe('probe p a false no answer to a probe within 40 s')
  })

  it('returns the permit of a probe that is cut off by closing, and starts none afterwards', async () => {
    const { world, probing } = begin({}, () => new Promise(() => {}))
    for (let n = 0; n < 2; n++) world.fail('a', 'server', { escaped: true, final: false })
    await world.time.run(MINUTE)
    expect(world.soft('a').why).toBe('trial')
    await probing.probes.close()
    expect(world.breaker('a')).toMatchObject({ state: 'half-open', opens: 1 })
    await world.time.run(HOUR_MS)
    expect(probing.asked).toHaveLength(1)
    await world.health.close()
    expect(world.time.pending).toBe(0)
  })

  it('survives a call that throws and a listener that throws', async () => {
    const { world, probing } = begin({}, () => Promise.reject(new Error('broken')))
    world.fail('a', 'server')
    await world.time.run(HOUR_MS)
    expect(probing.asked.length).toBeGreaterThan(2)
    expect(world.marks()).toEqual(['p/a'])
  })
})
