import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../domain/beijing.ts'
import { HealthWorld, openBreaker, picker, route } from '../../tests/support/health.ts'
import { ProbeWorld, reply } from '../../tests/support/probes.ts'

const SECOND = 1000
const MINUTE = 60_000

describe('breaker', () => {
  it('01 two retried failures open', () => {
    const world = new HealthWorld()
    world.fail('a', 'server', { escaped: true, final: false })
    expect(world.soft('a').tier).toBe(0)
    world.fail('a', 'server', { escaped: true, final: false })
    expect(world.soft('a')).toMatchObject({ tier: 4, why: 'open' })
    expect(world.events).toEqual(['circuit-opened p a model'])
  })

  it('02 three plain ones open, two do not', () => {
    const world = new HealthWorld()
    for (let n = 0; n < 2; n++) world.fail('a', 'timeout', { final: false })
    expect(world.soft('a').tier).toBe(0)
    world.fail('a', 'timeout', { final: false })
    expect(world.soft('a').tier).toBe(4)
  })

  it('03 the window forgets', () => {
    const world = new HealthWorld()
    for (let n = 0; n < 6; n++) {
      world.fail('a', 'server', { final: false })
      expect(world.soft('a').tier).toBe(0)
      world.time.advance(2.5 * MINUTE)
    }
    for (let n = 0; n < 2; n++) world.fail('a', 'server', { final: false })
    expect(world.soft('a').tier).toBe(4)
  })

  it('04 one permit at 60 s', () => {
    const world = new HealthWorld()
    openBreaker(world, 'a')
    const ask = picker(world, 'a')
    world.time.advance(MINUTE - 1)
    expect(world.breaker('a')).toMatchObject({ state: 'open' })
    world.time.advance(1)
    expect(world.soft('a')).toEqual({ tier: 2, why: 'open', until: null })
    const first = ask()
    expect(first).toMatchObject({ model: 'a', tier: 2, permit: { route: route('a') } })
    expect(world.soft('a').why).toBe('trial')
    expect(ask()).toBeNull()
    expect(world.health.lease(route('a'))).toBeNull()
    world.ok('a', { permit: first!.permit })
    expect(world.soft('a').tier).toBe(0)
    expect(world.events.at(-1)).toBe('circuit-closed p a model')
  })

  it('05 an abort returns the permit', () => {
    const world = new HealthWorld()
    openBreaker(world, 'a')
    world.time.advance(MINUTE)
    const permit = world.health.lease(route('a'))
    world.fail('a', 'cancelled', { permit })
    expect(world.breaker('a')).toMatchObject({ state: 'half-open', opens: 1 })
    const again = world.health.lease(route('a'))
    expect(again).not.toBeNull()
    world.health.release(again!)
    expect(world.health.lease(route('a'))).not.toBeNull()
  })

  it('06 lease 90 s', () => {
    const world = new HealthWorld()
    openBreaker(world, 'a')
    world.time.advance(MINUTE)
    const first = world.health.lease(route('a'))
    expect(world.softLeft('a')).toBe(90 * SECOND)
    world.time.advance(90 * SECOND - 1)
    expect(world.health.lease(route('a'))).toBeNull()
    world.time.advance(1)
    expect(world.breaker('a')).toMatchObject({ state: 'half-open' })
    const second = world.health.lease(route('a'))
    expect(second).not.toBeNull()
    world.fail('a', 'server', { permit: first, took: 91 * SECOND })
    expect(world.breaker('a')).toMatchObject({ state: 'trial', opens: 1 })
    world.health.release(first!)
    expect(world.health.lease(route('a'))).toBeNull()
  })

  it('07 60→120→240→480→900→900 s', () => {
    const world = new HealthWorld()
    openBreaker(world, 'a')
    for (const seconds of [60, 120, 240, 480, 900, 900]) {
      expect(world.softLeft('a')).toBe(seconds * SECOND)
      world.time.advance(seconds * SECOND)
      expect(world.soft('a').tier).toBe(2)
      world.fail('a', 'server', { permit: world.health.lease(route('a')), final: false })
    }
    const shaken = new HealthWorld({ u: () => 0.999_999 })
    openBreaker(shaken, 'a')
    expect(shaken.softLeft('a')).toBeGreaterThan(65_900)
    expect(shaken.softLeft('a')).toBeLessThanOrEqual(66_000)
  })

  it('08 two open models open the provider for 120 s', () => {
    const world = new HealthWorld()
    openBreaker(world, 'a')
    expect(world.soft('c').tier).toBe(0)
    openBreaker(world, 'b')
    expect(world.soft('c')).toEqual({ tier: 4, why: 'open', until: world.time.now() + 120 * SECOND })
    expect(world.events).toContain('circuit-opened p b platform')
    expect(world.soft('other/c').tier).toBe(0)
    world.time.advance(120 * SECOND - 1)
    expect(world.soft('c').tier).toBe(4)
    world.time.advance(1)
    expect(world.soft('c').tier).toBe(0)
    openBreaker(world, 'c')
    openBreaker(world, 'd')
    expect(world.soft('e').tier).toBe(4)
    for (const model of ['a', 'b', 'c', 'd']) {
      expect(world.soft('e').tier).toBe(4)
      world.ok(model)
    }
    expect(world.soft('e').tier).toBe(0)
    expect(world.events.at(-1)).toBe('circuit-closed p d platform')
  })

  it('counts models that are open at the same time, and does not lengthen an opening that stands', () => {
    const world = new HealthWorld()
    openBreaker(world, 'a')
    world.time.advance(MINUTE)
    openBreaker(world, 'b')
    expect(world.soft('c').tier).toBe(0)
    openBreaker(world, 'd')
    const end = world.time.now() + 120 * SECOND
    expect(world.soft('c').until).toBe(end)
    world.time.advance(30 * SECOND)
    openBreaker(world, 'e')
    expect(world.soft('c').until).toBe(end)
  })

  it('lets nobody but the holder settle a trial', () => {
    const world = new HealthWorld()
    openBreaker(world, 'a')
    world.time.advance(MINUTE)
    const permit = world.health.lease(route('a'))
    for (let n = 0; n < 3; n++) world.fail('a', 'server', { escaped: true, final: false })
    expect(world.breaker('a')).toMatchObject({ state: 'trial', opens: 1 })
    world.fail('a', 'server', { permit, final: false })
    expect(world.breaker('a')).toMatchObject({ state: 'open', opens: 2 })
  })

  it('does not let probes fill the window', () => {
    const world = new HealthWorld()
    for (let n = 0; n < 5; n++) world.fail('a', 'server', { purpose: 'probe' })
    expect(world.soft('a').tier).toBe(0)
  })

  it('09 model_not_found does not', () => {
    const world = new HealthWorld({ config: { endpointHealth: false } })
    openBreaker(world, 'a', 'model_not_found')
    openBreaker(world, 'b', 'model_not_found')
    expect(world.soft('a').tier).toBe(4)
    expect(world.soft('c').tier).toBe(0)
    openBreaker(world, 'd', 'server')
    expect(world.soft('c').tier).toBe(4)
  })
})

describe('endpoint health', () => {
  it('10 a gone model spares its siblings', () => {
    const world = new HealthWorld()
    for (let n = 0; n < 4; n++) world.fail('a', 'model_not_found', { final: false })
    expect(world.hard('a')).toMatchObject({ why: 'quarantined', class: 'model_not_found' })
    expect(world.hard('b')).toBeNull()
    expect(world.soft('b').tier).toBe(0)
  })

  it('11 transport covers the endpoint', () => {
    const world = new HealthWorld({ endpoints: { p: 'h1', q: 'h1' } })
    for (const model of ['a', 'b']) world.fail(model, 'transport', { final: false })
    for (const model of ['a', 'b', 'c']) expect(world.soft(model)).toMatchObject({ tier: 1, why: 'suspect' })
    expect(world.events.filter((line) => line.startsWith('endpoint-changed'))).toEqual(['endpoint-changed p h1 healthy suspect'])
    for (const model of ['a', 'b']) world.fail(model, 'transport', { final: false })
    expect(world.hard('c')).toMatchObject({ why: 'quarantined', class: 'transport' })
    expect(world.hard('q/c')).toBeNull()
    world.endpoints['p'] = 'h2'
    world.health.registryChanged()
    expect(world.hard('c')).toBeNull()
  })

  it('12 a slow drip of structural failures quarantines', () => {
    const world = new HealthWorld()
    for (let n = 0; n < 3; n++) {
      world.fail('a', 'upstream_unavailable', { final: false })
      expect(world.soft('a').tier).toBe(0)
      world.time.advance(5 * HOUR_MS)
    }
    world.fail('a', 'upstream_unavailable', { final: false })
    expect(world.hard('a')).toMatchObject({ why: 'quarantined' })
    for (let n = 0; n < 6; n++) {
      world.fail('b', 'upstream_unavailable', { final: false })
      world.time.advance(HOUR_MS)
      if (n === 2) world.ok('b')
    }
    expect(world.hard('b')).toBeNull()
  })

  it('13 end-of-life counts double', () => {
    const world = new HealthWorld()
    world.fail('a', 'model_not_found', { endOfLife: true, final: false })
    expect(world.soft('a').tier).toBe(1)
    world.fail('a', 'model_not_found', { endOfLife: true, final: false })
    expect(world.hard('a')).toMatchObject({ why: 'quarantined' })
  })

  it('14 429/402/403/401 are never structural', () => {
    const world = new HealthWorld()
    for (const failure of ['rate_limit', 'quota', 'forbidden', 'auth', 'capacity', 'server', 'timeout'] as const) {
      for (let n = 0; n < 10; n++) world.fail(`${failure}/m`, failure)
    }
    expect(world.health.status().endpoints).toEqual([])
    for (let n = 0; n < 4; n++) world.fail('gone/m', 'model_not_found', { final: false })
    const before = world.health.status().endpoints
    world.time.advance(MINUTE)
    for (const failure of ['rate_limit', 'quota', 'forbidden', 'auth'] as const) world.fail('gone/m', failure, { purpose: 'probe' })
    expect(world.health.status().endpoints).toEqual(before.map((record) => ({ ...record, probes: 4 })))
  })

  it('15 no release by timer: probe → suspect → live → healthy', () => {
    const world = new HealthWorld()
    for (let n = 0; n < 4; n++) world.fail('a', 'model_not_found', { final: false })
    world.time.advance(5 * HOUR_MS)
    expect(world.hard('a')).toMatchObject({ why: 'quarantined' })
    world.ok('a', { purpose: 'probe' })
    expect(world.hard('a')).toBeNull()
    expect(world.endpoint('p', 'a')).toBe('suspect')
    world.ok('a', { purpose: 'probe' })
    expect(world.endpoint('p', 'a')).toBe('suspect')
    world.ok('a')
    expect(world.endpoint('p', 'a')).toBe('healthy')
    expect(world.events.filter((line) => line.startsWith('endpoint'))).toEqual([
      'endpoint-changed p  a healthy suspect', 'endpoint-changed p  a suspect quarantined',
      'endpoint-changed p  a quarantined suspect', 'endpoint-changed p  a suspect healthy',
    ])
  })

  it('16 six hours unprobeable → suspect', () => {
    const world = new HealthWorld()
    for (let n = 0; n < 4; n++) world.fail('a', 'model_not_found', { final: false })
    expect(world.hard('a')?.until).toBe(world.time.now() + 6 * HOUR_MS)
    world.time.advance(3 * HOUR_MS)
    world.fail('a', 'model_not_found', { purpose: 'probe' })
    world.time.advance(6 * HOUR_MS - 1)
    expect(world.hard('a')).not.toBeNull()
    world.time.advance(1)
    expect(world.hard('a')).toBeNull()
    expect(world.endpoint('p', 'a')).toBe('quarantined')
    expect(world.soft('a')).toMatchObject({ tier: 2 })
    expect(picker(world, 'a', 'b')()).toMatchObject({ model: 'b' })
    world.fail('a', 'model_not_found', { final: false })
    expect(world.hard('a')).toMatchObject({ why: 'quarantined' })
  })

  it('17 probe back-off 2, 4, 8, 15 (gone: …, 16, 32, 60) min', async () => {
    for (const [failure, gaps] of [['transport', [2, 4, 8, 15, 15]], ['model_not_found', [2, 4, 8, 16, 32, 60, 60]]] as const) {
      const world = new HealthWorld({ u: () => 0 })
      const probing = new ProbeWorld(world)
      probing.usual = reply(failure)
      for (let n = 0; n < 4; n++) world.fail('a', failure, { final: false })
      const since = world.time.mono()
      await world.time.run((gaps.reduce((sum, gap) => sum + gap, 0) + 1) * MINUTE)
      expect(probing.gaps('p/a', since).slice(1, gaps.length + 1)).toEqual(gaps)
      await probing.probes.close()
    }
    for (const [u, wait] of [[0, 15], [0.999_999, 45]] as const) {
      const world = new HealthWorld({ u: () => u })
      const probing = new ProbeWorld(world)
      for (let n = 0; n < 4; n++) world.fail('a', 'model_not_found', { final: false })
      const since = world.time.mono()
      await world.time.run(MINUTE)
      // The breaker opened with the third failure; its own instant lies behind the first probe of the quarantine.
      expect(Math.round((probing.asked[0]!.at - since) / SECOND)).toBe(wait)
      await probing.probes.close()
    }
  })
})
