import { describe, expect, it } from 'vitest'
import { failedDocument, healthDocument, healthStatus } from '../contract/health.ts'
import { HOUR_MS } from '../domain/beijing.ts'
import { HealthWorld, quiet, route } from '../../tests/support/health.ts'
import { settle } from '../../tests/support/manual-time.ts'
import { createHealth } from './health.ts'

const SECOND = 1000
const MINUTE = 60_000

describe('sleep and set clocks', () => {
  it('counts no call that ran across a sleep, neither for nor against its route', () => {
    const world = new HealthWorld()
    world.time.advance(MINUTE)
    world.fail('b', 'server')
    const began = { startedAt: world.time.now(), startedMono: world.time.mono() }
    world.time.sleep(HOUR_MS)
    for (const text of ['a', 'b']) {
      const ended = { ...world.outcome(text, null, {}), ...began }
      for (let n = 0; n < 5; n++) {
        world.health.observe({ ...ended, failure: { class: 'transport', scope: 'endpoint', reset: null, rule: 'r', endOfLife: false, code: null, message: null } })
        world.health.observe(ended)
      }
    }
    expect(world.marks()).toEqual(['p/b'])
    expect(world.soft('a').tier).toBe(0)
  })

  it('returns the permit of a trial that ran across a sleep', () => {
    const world = new HealthWorld()
    for (let n = 0; n < 2; n++) world.fail('a', 'server', { escaped: true, final: false })
    world.time.advance(MINUTE)
    const permit = world.health.lease(route('a'))
    const ended = world.outcome('a', null, { permit })
    world.time.sleep(HOUR_MS)
    world.health.observe({ ...ended, endedAt: world.time.now() })
    expect(world.breaker('a')).toMatchObject({ state: 'half-open' })
  })

  it('blames nobody for 15 s after waking, except for what an upstream states', () => {
    const world = new HealthWorld()
    world.time.sleep(HOUR_MS)
    for (let n = 0; n < 3; n++) world.fail('a', 'transport')
    world.fail('b', 'auth')
    world.fail('c', 'rate_limit', { reset: world.time.now() + HOUR_MS })
    expect([world.soft('a').tier, world.hard('a'), world.hard('b')]).toEqual([0, null, null])
    expect(world.hard('c')).not.toBeNull()
    world.time.advance(15 * SECOND)
    world.fail('b', 'auth')
    expect(world.hard('b')).toMatchObject({ class: 'auth' })
  })

  it('lets wall-clock holds keep their ends and steady ones their length', () => {
    const world = new HealthWorld()
    const end = world.time.now() + 2 * HOUR_MS
    world.fail('a', 'quota', { reset: end })
    world.fail('b', 'capacity')
    world.time.sleep(HOUR_MS)
    expect(world.hard('a')?.until).toBe(end)
    expect(world.softLeft('b')).toBe(30 * SECOND)
    world.time.sleep(HOUR_MS)
    expect(world.hard('a')).toBeNull()
  })

  it('notices a sleep through which the steady clock ran on, by a heartbeat that comes late', () => {
    const world = new HealthWorld()
    const late = { startedAt: world.time.now(), startedMono: world.time.mono() }
    world.time.stall(HOUR_MS)
    world.health.observe({ ...world.outcome('a', null, {}), ...late, failure: { class: 'timeout', scope: 'route', reset: null, rule: 'r', endOfLife: false, code: null, message: null } })
    expect(world.marks()).toEqual([])
    world.fail('a', 'timeout')
    expect(world.marks()).toEqual([])
    world.time.advance(15 * SECOND)
    world.fail('a', 'timeout')
    expect(world.marks()).toEqual(['p/a'])
  })

  it('tells a plan of every set of the clock', () => {
    const world = new HealthWorld()
    const { version } = world.health.view()
    world.time.jumpWall(2000)
    expect(world.health.view().version).toBeGreaterThan(version)
  })
})

describe('who may mark', () => {
  it('marks by the end of a chat call only, and not before its last retry', () => {
    const world = new HealthWorld()
    for (const purpose of ['title', 'compaction', 'other', 'speedtest'] as const) world.fail('a', 'server', { purpose })
    world.fail('b', 'server', { final: false })
    expect(world.marks()).toEqual([])
  })

  it('marks a rate limit only when retries were used up for it and it named no end', () => {
    const world = new HealthWorld()
    world.fail('a', 'rate_limit')
    world.fail('b', 'rate_limit', { escaped: true })
    world.fail('c', 'rate_limit', { escaped: true, reset: world.time.now() + MINUTE })
    expect(world.marks()).toEqual(['p/b'])
  })

  it('remembers class, code, reason and how often', () => {
    const world = new HealthWorld()
    world.fail('a', 'server', { code: 'SERVER', message: 'x'.repeat(3000) })
    world.time.advance(SECOND)
    world.fail('a', 'timeout', { code: 'TIMEOUT', message: 'no answer' })
    expect(world.health.failed()).toEqual([{
      provider: 'p', model: 'a', class: 'timeout', code: 'TIMEOUT', reason: 'no answer', count: 2, at: world.time.now(), manual: false,
      clears: 'evidence', until: world.health.usageDay().endsAt,
    }])
  })

  it('never turns a manual mark into one that clears itself', async () => {
    const world = new HealthWorld()
    world.fail('a', 'server')
    await world.health.markManual(route('a'))
    world.time.advance(SECOND)
    world.fail('a', 'server')
    world.ok('a')
    expect(world.health.failed()).toMatchObject([{ manual: true, code: 'MANUAL', count: 2, clears: 'day' }])
  })

  it('ends auth holds and auth marks of a provider with new credentials, and nothing else', () => {
    const world = new HealthWorld()
    world.fail('a', 'auth')
    world.fail('q/a', 'auth')
    world.fail('b', 'server')
    world.fail('c', 'quota', { reset: world.time.now() + HOUR_MS })
    world.health.credentialChanged('p')
    expect(world.hard('a')).toBeNull()
    expect(world.marks()).toEqual(['p/b', 'q/a'])
    expect([world.hard('c'), world.hard('q/x')].every((hold) => hold?.why === 'held')).toBe(true)
  })

  it('ends local holds with the next change of the registry', () => {
    const world = new HealthWorld()
    world.fail('a', 'local')
    expect(world.hard('a')).toMatchObject({ class: 'local' })
    world.health.registryChanged()
    expect(world.hard('a')).toBeNull()
  })
})

describe('what is written', () => {
  it('follows a decision at once, in the documents of the contract', async () => {
    const world = new HealthWorld({ endpoints: { p: 'h' } })
    for (let n = 0; n < 4; n++) world.fail('a', 'model_not_found', { message: 'gone' })
    world.fail('b', 'quota', { reset: world.time.now() + HOUR_MS, scope: 'provider' })
    world.fail('c', 'transport')
    world.fail('c', 'transport')
    await settle()
    expect(failedDocument.parse(world.failed.value)).toEqual(world.failed.value)
    expect(healthDocument.parse(world.stored.value)).toEqual(world.stored.value)
    expect(world.failed.value).toMatchObject({ day: '2025-03-03', marks: [{ model: 'a', count: 4 }, { model: 'c' }] })
    expect(world.stored.value.endpoints).toMatchObject([
      { scope: 'endpoint', endpoint: 'h', model: null, state: 'suspect', lastModel: 'c' },
      { scope: 'route', model: 'a', state: 'quarantined', class: 'model_not_found', reason: 'gone' },
    ])
    expect(() => healthStatus.parse(world.health.status())).not.toThrow()
  })

  it('is written once for a burst', async () => {
    const world = new HealthWorld()
    for (let n = 0; n < 100; n++) world.fail(`m${n}`, 'server')
    await settle()
    expect(world.failed.writes).toBe(1)
  })

  it('refuses a manual mark or a restore that cannot be written, and changes nothing', async () => {
    const world = new HealthWorld()
    world.fail('a', 'server')
    world.failed.fail = true
    await expect(world.health.markManual(route('b'))).rejects.toThrow('the disk is full')
    await expect(world.health.restore(null)).rejects.toThrow('the disk is full')
    expect(world.marks()).toEqual(['p/a'])
  })

  it('does not restore a route that fails while the file is being written', async () => {
    const world = new HealthWorld()
    world.fail('a', 'server')
    const restoring = world.health.restore(null)
    world.fail('a', 'server')
    await restoring
    await settle()
    expect(world.marks()).toEqual(['p/a'])
    expect(world.failed.value.marks).toHaveLength(1)
  })

  it('forgets on a restart what belongs to another usage day', async () => {
    const world = new HealthWorld()
    world.fail('a', 'server')
    await world.restart(20 * HOUR_MS)
    expect(world.marks()).toEqual([])
  })

  it('keeps a quarantine over a long stop, and the 6 h of its judgement begin anew', async () => {
    const world = new HealthWorld()
    for (let n = 0; n < 4; n++) world.fail('a', 'model_not_found', { final: false })
    await world.restart(40 * HOUR_MS)
    expect(world.hard('a')).toMatchObject({ why: 'quarantined' })
    world.time.advance(6 * HOUR_MS)
    expect(world.hard('a')).toBeNull()
  })

  it('holds nothing longer after a restart than before it, though the clock was set back', async () => {
    const world = new HealthWorld()
    world.fail('a', 'quota', { reset: world.time.now() + HOUR_MS })
    await world.health.close()
    world.time.jumpWall(-48 * HOUR_MS)
    await world.restart()
    expect((world.hard('a')?.until ?? Number.POSITIVE_INFINITY) - world.time.now()).toBeLessThanOrEqual(HOUR_MS)
    world.time.advance(HOUR_MS)
    expect(world.hard('a')).toBeNull()
  })

  it('keeps endpoint records unused while endpoint health is switched off, and heeds them again later', async () => {
    const world = new HealthWorld()
    for (let n = 0; n < 4; n++) world.fail('a', 'model_not_found', { final: false })
    await settle()
    const off = new HealthWorld({ endpointHealthDisabled: true })
    off.stored.value = world.stored.value
    await off.restart()
    expect(off.hard('a')).toBeNull()
    for (let n = 0; n < 4; n++) off.fail('b', 'model_not_found', { final: false })
    off.fail('c', 'forbidden')
    await settle()
    expect(off.hard('b')).toBeNull()
    expect(off.stored.value.endpoints).toEqual(world.stored.value.endpoints)
    expect(off.stored.value.holds).toHaveLength(1)
  })

  it('reads records of a provider whose base URL is not known yet, and drops them when it turns out another', async () => {
    const world = new HealthWorld({ endpoints: { p: 'h1' } })
    for (let n = 0; n < 4; n++) world.fail('a', 'model_not_found', { final: false })
    world.endpoints['p'] = ''
    await world.restart()
    world.endpoints['p'] = 'h1'
    world.health.registryChanged()
    expect(world.hard('a')).not.toBeNull()
    world.endpoints['p'] = 'h2'
    world.health.registryChanged()
    expect(world.hard('a')).toBeNull()
  })
})

describe('in general', () => {
  it('moves nothing while the plugin is switched off, but takes permits back', () => {
    const world = new HealthWorld()
    for (let n = 0; n < 2; n++) world.fail('a', 'server', { escaped: true, final: false })
    const permit = world.health.lease(route('a'))
    world.config = { ...world.config, enabled: false }
    world.fail('a', 'server', { permit })
    world.fail('b', 'server')
    expect(world.marks()).toEqual([])
    expect(world.health.lease(route('a'))).not.toBeNull()
  })

  it('tells its listeners of changes and survives one of the host that throws', () => {
    const world = new HealthWorld()
    let told = 0
    const stop = world.health.subscribe(() => { told += 1 })
    world.ok('a')
    expect(told).toBe(0)
    world.fail('a', 'server')
    expect(told).toBe(1)
    stop()
    world.fail('b', 'server')
    expect(told).toBe(1)
  })

  it('lets no fault of its surroundings out to the request', () => {
    const world = new HealthWorld()
    const broken = createHealth({
      time: world.time, random: () => 0, log: quiet, config: () => world.config, documents: { failed: world.failed, health: world.stored },
      endpointOf: () => { throw new Error('no settings') }, emit: () => { throw new Error('a bad listener') },
    })
    broken.subscribe(() => { throw new Error('another') })
    const permit = broken.lease(route('a'))
    const failure = { class: 'server' as const, scope: 'route' as const, reset: null, rule: 'r', endOfLife: false, code: null, message: null }
    for (let n = 0; n < 3; n++) broken.observe(world.outcome('a', failure, { escaped: true, permit }))
    expect(broken.failed()).toHaveLength(1)
    expect(broken.lease(route('a'))).not.toBeNull()
  })

  it('announces the end of a provider opening that time has ended', () => {
    const world = new HealthWorld()
    for (const text of ['a', 'b']) for (let n = 0; n < 2; n++) world.fail(text, 'server', { escaped: true, final: false })
    world.time.advance(3 * MINUTE)
    expect(world.events.at(-1)).toMatch(/^circuit-closed p .* platform$/)
  })

  it('is quiet after closing', async () => {
    const world = new HealthWorld()
    world.fail('a', 'server')
    await world.health.close()
    expect(world.failed.value.marks).toHaveLength(1)
    expect(world.time.pending).toBe(0)
  })
})
