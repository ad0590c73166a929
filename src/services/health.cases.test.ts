import { describe, expect, it } from 'vitest'
import type { FailureClass } from '../contract/failure.ts'
import type { Entry } from '../contract/route.ts'
import { HealthWorld, route } from '../../tests/support/health.ts'
import { ProbeWorld, reply } from '../../tests/support/probes.ts'
import { pick, type Asker } from '../domain/pick.ts'
import { Plans } from '../domain/plans.ts'
import { HOUR_MS } from '../domain/beijing.ts'

const SECOND = 1000
const MINUTE = 60_000

/** What one asker gets of a group with these routes in this order of priority. */
function picker(world: HealthWorld, ...routes: readonly string[]) {
  const models: Entry[] = routes.map((text, index) => ({ ...route(text), priority: index + 1 }))
  const plan = new Plans([{ id: 'g', rev: 1, name: 'g', enabled: true, models }]).group('g')!
  return (visited: readonly string[] = [], asker: Partial<Asker> = {}) => {
    const choice = pick(plan, world.health.view(), world.time.now(), {
      automatic: true, probesOn: true, lease: (one) => world.health.lease(one),
      exclude: ({ entry }) => (visited.includes(entry.model) ? { why: 'visited', class: null, until: null } : null), ...asker,
    })
    return choice && { model: choice.option.entry.model, tier: choice.tier, permit: choice.permit }
  }
}

/** Opens the breaker of a route by two failures that had used up their retries. Leaves no day mark. */
function open(world: HealthWorld, text: string, failure: FailureClass = 'server'): void {
  for (let n = 0; n < 2; n++) world.fail(text, failure, { escaped: true, final: false })
}

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
    open(world, 'a')
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
    open(world, 'a')
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
    open(world, 'a')
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
    open(world, 'a')
    for (const seconds of [60, 120, 240, 480, 900, 900]) {
      expect(world.softLeft('a')).toBe(seconds * SECOND)
      world.time.advance(seconds * SECOND)
      expect(world.soft('a').tier).toBe(2)
      world.fail('a', 'server', { permit: world.health.lease(route('a')), final: false })
    }
    const shaken = new HealthWorld({ u: () => 0.999_999 })
    open(shaken, 'a')
    expect(shaken.softLeft('a')).toBeGreaterThan(65_900)
    expect(shaken.softLeft('a')).toBeLessThanOrEqual(66_000)
  })

  it('08 two open models open the provider for 120 s', () => {
    const world = new HealthWorld()
    open(world, 'a')
    expect(world.soft('c').tier).toBe(0)
    open(world, 'b')
    expect(world.soft('c')).toEqual({ tier: 4, why: 'open', until: world.time.now() + 120 * SECOND })
    expect(world.events).toContain('circuit-opened p b platform')
    expect(world.soft('other/c').tier).toBe(0)
    world.time.advance(120 * SECOND - 1)
    expect(world.soft('c').tier).toBe(4)
    world.time.advance(1)
    expect(world.soft('c').tier).toBe(0)
    open(world, 'c')
    open(world, 'd')
    expect(world.soft('e').tier).toBe(4)
    for (const model of ['a', 'b', 'c', 'd']) {
      expect(world.soft('e').tier).toBe(4)
      world.ok(model)
    }
    expect(world.soft('e').tier).toBe(0)
    expect(world.events.at(-1)).toBe('circuit-closed p d platform')
  })

  it('09 model_not_found does not', () => {
    const world = new HealthWorld({ config: { endpointHealth: false } })
    open(world, 'a', 'model_not_found')
    open(world, 'b', 'model_not_found')
    expect(world.soft('a').tier).toBe(4)
    expect(world.soft('c').tier).toBe(0)
    open(world, 'd', 'server')
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

describe('stated holds, rejections, rests', () => {
  it('18 a hold is never shortened and a stated reset adds no breaker weight and no day mark', () => {
    const world = new HealthWorld()
    const end = world.time.now() + HOUR_MS
    for (let n = 0; n < 5; n++) world.fail('a', 'rate_limit', { reset: end, escaped: true })
    world.fail('a', 'rate_limit', { reset: world.time.now() + MINUTE, escaped: true })
    expect(world.hard('a')).toEqual({ why: 'held', class: 'rate_limit', until: end })
    world.fail('a', 'quota', { reset: world.time.now() + MINUTE })
    world.fail('a', 'server', { reset: world.time.now() + MINUTE, escaped: true })
    expect(world.hard('a')).toEqual({ why: 'held', class: 'rate_limit', until: end })
    expect(world.marks()).toEqual([])
    world.ok('a')
    expect(world.hard('a')).not.toBeNull()
    world.time.advance(HOUR_MS - 1)
    expect(world.hard('a')).not.toBeNull()
    world.time.advance(1)
    expect(world.hard('a')).toBeNull()
    expect(world.soft('a').tier).toBe(0)
  })

  it('19 clamp 24 h', () => {
    const world = new HealthWorld()
    world.fail('a', 'quota', { reset: world.time.now() + 90 * HOUR_MS })
    world.fail('b', 'quota', { reset: world.time.now() + 90 * HOUR_MS, scope: 'provider' })
    world.fail('q/c', 'forbidden')
    world.fail('r/d', 'auth', { final: false })
    world.fail('s/e', 'local')
    const left = (text: string): number => (world.hard(text)?.until ?? 0) - world.time.now()
    expect([left('a'), left('c'), left('q/c'), left('q/x'), left('r/any'), left('s/e'), left('s/x')].map((ms) => Math.max(0, ms / HOUR_MS)))
      .toEqual([24, 24, 24, 0, 1 / 12, 1 / 12, 0])
  })

  it('20 a rejected request moves nothing', () => {
    const world = new HealthWorld()
    const { version } = world.health.view()
    for (const failure of ['context_too_long', 'invalid_request', 'unsupported_modality', 'content_filter', 'cancelled'] as const) {
      for (let n = 0; n < 5; n++) world.fail('a', failure, { escaped: true, reset: world.time.now() + HOUR_MS })
    }
    expect(world.hard('a')).toBeNull()
    expect(world.soft('a')).toEqual({ tier: 0, why: null, until: null })
    expect(world.health.view().version).toBe(version)
    expect(world.events).toEqual([])
  })

  it('21 capacity 30 s, usable as last resort', () => {
    const world = new HealthWorld()
    const ask = picker(world, 'a', 'b')
    for (let n = 0; n < 5; n++) world.fail('a', 'capacity', { escaped: true })
    expect(world.soft('a')).toEqual({ tier: 3, why: 'resting', until: world.time.now() + 30 * SECOND })
    expect(ask()).toMatchObject({ model: 'b' })
    expect(ask(['b'])).toMatchObject({ model: 'a', tier: 3, permit: null })
    world.health.rest(route('a'), world.time.now() + 10 * SECOND)
    world.time.advance(30 * SECOND - 1)
    expect(world.soft('a').tier).toBe(3)
    world.time.advance(1)
    expect(ask()).toMatchObject({ model: 'a', tier: 0 })
    world.fail('a', 'capacity', { reset: world.time.now() + 90 * SECOND })
    expect(world.softLeft('a')).toBe(90 * SECOND)
    expect(world.hard('a')).toBeNull()
    expect(world.marks()).toEqual([])
  })
})

describe('day ledger', () => {
  it('22 07:59:59 and 08:00:00 Beijing', () => {
    const eight = Date.UTC(2025, 2, 4, 0)
    const world = new HealthWorld({ start: eight - SECOND })
    world.fail('a', 'server')
    expect(world.hard('a')).toEqual({ why: 'failed', class: 'server', until: eight })
    expect(world.health.usageDay()).toEqual({ day: '2025-03-03', endsAt: eight })
    world.time.advance(SECOND)
    expect(world.hard('a')).toBeNull()
    world.fail('a', 'server')
    expect(world.hard('a')?.until).toBe(eight + 24 * HOUR_MS)
    expect(world.health.usageDay().day).toBe('2025-03-04')
  })

  it('23 success clears automatic marks, not MANUAL', async () => {
    const world = new HealthWorld()
    world.fail('a', 'server')
    world.fail('b', 'timeout')
    await world.health.markManual(route('c'))
    expect(world.health.failed().map(({ model, clears, manual, code }) => ({ model, clears, manual, code }))).toEqual([
      { model: 'a', clears: 'evidence', manual: false, code: null },
      { model: 'b', clears: 'evidence', manual: false, code: null },
      { model: 'c', clears: 'day', manual: true, code: 'MANUAL' },
    ])
    world.time.advance(SECOND)
    world.ok('a')
    world.health.turnSucceeded(route('b'), world.time.now())
    world.ok('c')
    world.health.turnSucceeded(route('c'), world.time.now())
    for (let n = 0; n < 3; n++) {
      world.time.advance(2 * MINUTE)
      world.ok('c', { purpose: 'probe' })
    }
    expect(world.marks()).toEqual(['p/c'])
    await world.health.restore(route('c'))
    expect(world.marks()).toEqual([])
  })

  it('24 stale success', () => {
    const world = new HealthWorld()
    world.time.advance(MINUTE)
    world.fail('a', 'server')
    open(world, 'b')
    for (let n = 0; n < 4; n++) world.fail('c', 'model_not_found', { final: false })
    world.time.advance(SECOND)
    for (const model of ['a', 'b', 'c']) world.ok(model, { took: 2 * SECOND })
    world.health.turnSucceeded(route('a'), world.time.now() - 2 * SECOND)
    expect(world.marks()).toEqual(['p/a'])
    expect(world.soft('b').tier).toBe(4)
    expect(world.hard('c')).toMatchObject({ why: 'quarantined' })
    for (const model of ['a', 'b', 'c']) world.ok(model, { took: SECOND })
    expect(world.marks()).toEqual([])
    expect(world.soft('b').tier).toBe(0)
    expect(world.hard('c')).toBeNull()
  })

  it('25 stale failure', async () => {
    const world = new HealthWorld()
    world.time.advance(MINUTE)
    open(world, 'a/m')
    for (let n = 0; n < 2; n++) world.fail('c/m', 'model_not_found', { final: false })
    await world.health.markManual(route('b/m'))
    world.time.advance(SECOND)
    world.ok('a/m')
    world.ok('c/m')
    await world.health.restore(null)
    world.time.advance(SECOND)
    for (let n = 0; n < 4; n++) {
      world.fail('a/m', 'server', { escaped: true, final: false, took: 2 * SECOND })
      world.fail('b/m', 'server', { took: 2 * SECOND })
      world.fail('c/m', 'model_not_found', { final: false, took: 2 * SECOND })
    }
    expect(world.soft('a/m').tier).toBe(0)
    expect(world.marks()).toEqual([])
    expect(world.endpoint('c', 'm')).toBe('healthy')
    world.fail('b/m', 'server', { took: SECOND })
    expect(world.marks()).toEqual(['b/m'])
  })

  it('26 two spaced probes clear the ledger', () => {
    const world = new HealthWorld()
    world.fail('a', 'server')
    world.time.advance(MINUTE)
    world.ok('a', { purpose: 'probe' })
    world.time.advance(MINUTE - 1)
    world.ok('a', { purpose: 'probe' })
    expect(world.marks()).toEqual(['p/a'])
    world.time.advance(1)
    world.ok('a', { purpose: 'probe' })
    expect(world.marks()).toEqual([])

    world.fail('b', 'server')
    world.ok('b', { purpose: 'probe' })
    world.time.advance(MINUTE)
    world.fail('b', 'server', { purpose: 'probe' })
    world.ok('b', { purpose: 'probe' })
    world.time.advance(MINUTE - 1)
    world.ok('b', { purpose: 'probe' })
    expect(world.marks()).toEqual(['p/b'])

    world.config = { ...world.config, ledgerRecovery: 'day' }
    for (let n = 0; n < 5; n++) {
      world.time.advance(MINUTE)
      world.ok('b', { purpose: 'probe' })
    }
    expect(world.health.failed()).toMatchObject([{ model: 'b', clears: 'day' }])
  })
})

describe('local outage', () => {
  it('27 two endpoints in 10 s = local outage', () => {
    const world = new HealthWorld()
    world.fail('a/m', 'transport')
    world.time.advance(10 * SECOND)
    world.fail('b/m', 'transport')
    expect(world.health.status().outage).toEqual({ active: true, since: world.time.now() })
    for (let n = 0; n < 5; n++) for (const text of ['a/m', 'b/m', 'c/m']) world.fail(text, 'timeout', { escaped: true })
    expect(world.marks()).toEqual([])
    for (const text of ['a/m', 'b/m', 'c/m']) expect(world.soft(text).tier).toBe(0)
    world.ok('c/m')
    expect(world.health.status().outage).toEqual({ active: false, since: null })
    world.fail('c/m', 'timeout')
    expect(world.marks()).toEqual(['c/m'])

    const slow = new HealthWorld()
    slow.fail('a/m', 'transport')
    slow.time.advance(10 * SECOND + 1)
    slow.fail('b/m', 'transport')
    expect(slow.health.status().outage.active).toBe(false)
  })

  it('28 one endpoint is still blamed', () => {
    const world = new HealthWorld()
    for (const model of ['a', 'b', 'c', 'd']) world.fail(model, 'transport')
    expect(world.health.status().outage.active).toBe(false)
    expect(world.marks()).toHaveLength(4)
    expect(world.endpoint('p', null)).toBe('quarantined')
  })

  it('33 outage evidence refunded', () => {
    const world = new HealthWorld()
    for (let n = 0; n < 4; n++) world.fail('a/m', 'transport', { escaped: true })
    open(world, 'a/n', 'transport')
    expect(world.soft('a/m').tier).toBe(4)
    expect(world.soft('a/x').tier).toBe(4)
    expect(world.endpoint('a', null)).toBe('quarantined')
    expect(world.marks()).toEqual(['a/m'])
    world.fail('b/m', 'transport')
    for (const text of ['a/m', 'a/n', 'a/x', 'b/m']) {
      expect(world.hard(text)).toBeNull()
      expect(world.soft(text).tier).toBe(0)
    }
    expect(world.marks()).toEqual([])
    world.ok('b/m')
    world.time.advance(SECOND)
    for (let n = 0; n < 2; n++) world.fail('a/m', 'server', { final: false })
    expect(world.soft('a/m').tier).toBe(0)
    world.fail('a/m', 'transport')
    expect(world.endpoint('a', null)).toBe('healthy')
  })
})

describe('the pick', () => {
  it('29 all open → the earliest, once', () => {
    const world = new HealthWorld({ config: { platformCircuitThreshold: 100 } })
    open(world, 'b')
    world.time.advance(SECOND)
    open(world, 'a')
    const ask = picker(world, 'a', 'b')
    expect(ask()).toMatchObject({ model: 'b', tier: 4, permit: { route: route('b') } })
    expect(ask()).toMatchObject({ model: 'a', tier: 4, permit: { route: route('a') } })
    expect(ask()).toBeNull()
  })

  it('30 hard-held never picked', async () => {
    const world = new HealthWorld()
    world.fail('a', 'server')
    world.fail('b', 'rate_limit', { reset: world.time.now() + HOUR_MS })
    for (let n = 0; n < 4; n++) world.fail('c', 'model_not_found', { final: false })
    await world.health.markManual(route('d'))
    world.fail('q/e', 'auth', { final: false })
    world.fail('r/f', 'local')
    expect(picker(world, 'a', 'b', 'c', 'd', 'q/e', 'r/f')()).toBeNull()
    expect(world.health.earliestReturn(['a', 'b', 'c', 'd', 'q/e', 'r/f', 'fine'].map(route)))
      .toEqual({ route: route('q/e'), until: world.time.now() + 5 * MINUTE, why: 'held', class: 'auth' })
  })

  it('31 suspect only if nothing better', () => {
    const world = new HealthWorld()
    world.fail('a', 'model_not_found', { endOfLife: true, final: false })
    const ask = picker(world, 'a', 'b')
    expect(ask()).toMatchObject({ model: 'b', tier: 0 })
    expect(ask(['b'])).toMatchObject({ model: 'a', tier: 1, permit: null })
    world.time.advance(15 * MINUTE)
    expect(ask()).toMatchObject({ model: 'a', tier: 0 })
  })

  it('32 visited never repeated', () => {
    const world = new HealthWorld()
    const ask = picker(world, 'a', 'b', 'c')
    const visited: string[] = []
    for (let choice = ask(visited); choice; choice = ask(visited)) {
      expect(visited).not.toContain(choice.model)
      visited.push(choice.model)
      expect(visited.length).toBeLessThanOrEqual(3)
    }
    expect(visited).toEqual(['a', 'b', 'c'])
  })
})
