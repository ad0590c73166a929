import { afterEach, describe, expect, it } from 'vitest'
import { HOUR_MS } from '../domain/beijing.ts'
import { hanging, ProbeWorlds, reply } from '../../tests/support/probes.ts'

const SECOND = 1000
const MINUTE = 60_000
const worlds = new ProbeWorlds()

afterEach(() => worlds.close())

describe('how many', () => {
  it('runs one probe per provider, two in all, a second apart', async () => {
    const slow = hanging()
    const { world, probing } = worlds.begin({}, slow.call)
    const since = world.time.mono()
    for (const text of ['p/a', 'p/b', 'q/a', 'r/a']) world.fail(text, 'server')
    await world.time.run(70 * SECOND)
    expect(probing.seconds(since)).toEqual(['p/a 60', 'q/a 61'])
    slow.finish()
    await world.time.run(SECOND)
    expect(probing.asked.at(-1)!.key).toBe('p/b')
    slow.finish()
    await world.time.run(2 * SECOND)
    expect(probing.asked.map(({ key }) => key)).toEqual(['p/a', 'q/a', 'p/b', 'r/a'])
    expect(slow.most()).toBe(2)
  })

  it('spends at most 2,000 tokens of a provider a day, and has a full purse the day after', async () => {
    const { world, probing } = worlds.begin({ config: { ledgerEvidenceGapMs: 1000, endpoint_probe_interval_ms: 1000 } })
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
    const { world, probing } = worlds.begin()
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
    const { world, probing } = worlds.begin({}, (_route, _tokens, given) => { signal = given; return new Promise(() => {}) })
    world.fail('a', 'server')
    await world.time.run(99 * SECOND)
    expect(probing.probes.report().probes).toMatchObject([{ running: true, nextAt: null, serves: ['ledger'] }])
    await world.time.run(2 * SECOND)
    expect(signal!.aborted).toBe(true)
    expect(probing.probes.report().probes).toMatchObject([{ running: false, failures: 1, lastOk: false, nextAt: world.time.now() + 119 * SECOND }])
    expect(world.events.at(-1)).toBe('probe p a false no answer to a probe within 40 s')
  })

  it('returns the permit of a probe that is cut off by closing, and starts none afterwards', async () => {
    const { world, probing } = worlds.begin({}, () => new Promise(() => {}))
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
    const { world, probing } = worlds.begin({}, () => Promise.reject(new Error('broken')))
    world.fail('a', 'server')
    await world.time.run(HOUR_MS)
    expect(probing.asked.length).toBeGreaterThan(2)
    expect(world.marks()).toEqual(['p/a'])
  })
})
