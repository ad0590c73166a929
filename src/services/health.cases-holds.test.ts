import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../domain/beijing.ts'
import { HealthWorld, openBreaker, picker, route } from '../../tests/support/health.ts'

const SECOND = 1000
const MINUTE = 60_000

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

  it('answers the same list of failures until something in it changes', () => {
    const world = new HealthWorld()
    world.fail('a', 'quota')
    const first = world.health.failed()
    expect(first).toHaveLength(1)
    world.time.advance(MINUTE)
    expect(world.health.failed()).toBe(first)
    world.fail('b', 'quota')
    expect(world.health.failed()).toHaveLength(2)
    world.ok('b')
    expect(world.health.failed()).toEqual(first)
    world.time.advance(24 * HOUR_MS)
    expect(world.health.failed()).toEqual([])
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
    openBreaker(world, 'b')
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
    openBreaker(world, 'a/m')
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
    openBreaker(world, 'a/n', 'transport')
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
    openBreaker(world, 'b')
    world.time.advance(SECOND)
    openBreaker(world, 'a')
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
    world.time.advance(15 * MINUTE - 1)
    expect(ask()).toMatchObject({ model: 'b' })
    world.time.advance(1)
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
