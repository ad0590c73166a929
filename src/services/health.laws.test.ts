import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { FailureClass } from '../contract/failure.ts'
import { failureClassSchema } from '../contract/failure.ts'
import { routeKey, type Route } from '../contract/route.ts'
import { DAY_MS, HOUR_MS } from '../domain/beijing.ts'
import { pick } from '../domain/pick.ts'
import { Plans } from '../domain/plans.ts'
import type { HardHold, Permit, SoftState } from '../domain/view.ts'
import { HealthWorld, route } from '../../tests/support/health.ts'

/** Steps of all walks of one law together; a long run sets it to 100,000 and more. */
const STEPS = Number(process.env['MODEL_FAILOVER_STEPS'] ?? 6000)
const WALK = 120
vi.setConfig({ testTimeout: Math.max(20_000, 4 * STEPS) })
const RUNS = { numRuns: Math.max(10, Math.ceil(STEPS / (WALK / 2))) }

const ROUTES = ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c/1']
const group = { id: 'g', rev: 1, name: 'g', enabled: true, models: ROUTES.map((text, index) => ({ ...route(text), priority: 1 + (index % 3) })) }

type Step =
  | { readonly do: 'fail'; readonly on: string; readonly class: FailureClass; readonly escaped: boolean; readonly final: boolean; readonly took: number; readonly reset: number | null; readonly gone: boolean; readonly whole: boolean }
  | { readonly do: 'ok' | 'probe-ok'; readonly on: string; readonly took: number }
  | { readonly do: 'probe-fail'; readonly on: string; readonly class: FailureClass }
  | { readonly do: 'lease' | 'manual' | 'restore' | 'rest'; readonly on: string }
  | { readonly do: 'settle'; readonly nth: number; readonly how: 'ok' | 'fail' | 'return' }
  | { readonly do: 'advance' | 'sleep' | 'set-clock'; readonly ms: number }
  | { readonly do: 'restart'; readonly down: number }
  | { readonly do: 'credentials' | 'registry' | 'restore-all' }

const on = fc.constantFrom(...ROUTES)
const failure = fc.constantFrom<FailureClass>(...failureClassSchema.options, 'server', 'transport', 'model_not_found', 'timeout')
const took = fc.constantFrom(0, 0, 10, 1000, 8000, 61_000, 600_000)
const pause = fc.constantFrom(1, 500, 1000, 4000, 9000, 11_000, 60_000, 120_000, 901_000, 3 * HOUR_MS, 7 * HOUR_MS)
const quiet: fc.Arbitrary<Step> = fc.record({ do: fc.constant('advance' as const), ms: pause })
const failing: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('fail' as const), on, class: failure, escaped: fc.boolean(), final: fc.boolean(), took,
  reset: fc.constantFrom<number | null>(null, null, 1, 30_000, HOUR_MS, 30 * HOUR_MS), gone: fc.boolean(), whole: fc.boolean(),
})
const usual = fc.oneof(
  { arbitrary: failing, weight: 6 },
  { arbitrary: quiet, weight: 4 },
  { arbitrary: fc.record({ do: fc.constantFrom('ok' as const, 'probe-ok' as const), on, took }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('probe-fail' as const), on, class: failure }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constantFrom('lease' as const, 'manual' as const, 'restore' as const, 'rest' as const), on }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('settle' as const), nth: fc.nat(5), how: fc.constantFrom('ok' as const, 'fail' as const, 'return' as const) }), weight: 3 },
)
const rare = fc.oneof(
  fc.record({ do: fc.constant('sleep' as const), ms: fc.constantFrom(10_000, 31_000, HOUR_MS, 26 * HOUR_MS) }),
  fc.record({ do: fc.constant('set-clock' as const), ms: fc.constantFrom(-DAY_MS, -HOUR_MS, -20_000, -2000, 2000, 20_000, HOUR_MS) }),
  fc.record({ do: fc.constant('restart' as const), down: fc.constantFrom(0, 60_000, 7 * HOUR_MS) }),
  fc.record({ do: fc.constantFrom('credentials' as const, 'registry' as const, 'restore-all' as const) }),
)
const everything = fc.oneof({ arbitrary: usual, weight: 12 }, { arbitrary: rare, weight: 1 })
const chance = fc.constantFrom(0, 0.5, 0.999_999)

class Walk {
  readonly world: HealthWorld
  readonly permits: Permit[] = []
  /** A plan trusts the versions of one health service only. */
  plan = new Plans([group]).group('g')!

  constructor(u: number) {
    this.world = new HealthWorld({ u: () => u, endpoints: { a: 'h1', b: 'h2' } })
  }

  async take(step: Step): Promise<void> {
    const { world } = this
    switch (step.do) {
      case 'fail': return world.fail(step.on, step.class, {
        escaped: step.escaped, final: step.final, took: step.took, endOfLife: step.gone, scope: step.whole ? 'provider' : 'route',
        reset: step.reset === null ? null : world.time.now() + step.reset,
      })
      case 'ok': return world.ok(step.on, { took: step.took })
      case 'probe-ok': return world.ok(step.on, { took: step.took, purpose: 'probe' })
      case 'probe-fail': return world.fail(step.on, step.class, { purpose: 'probe' })
      case 'rest': return world.health.rest(route(step.on))
      case 'manual': return world.health.markManual(route(step.on))
      case 'restore': return world.health.restore(route(step.on))
      case 'restore-all': return world.health.restore(null)
      case 'lease': {
        const permit = world.health.lease(route(step.on))
        if (permit) this.permits.push(permit)
        return
      }
      case 'settle': return this.#settle(step.nth, step.how)
      case 'advance': return world.time.advance(step.ms)
      case 'sleep': return world.time.sleep(step.ms)
      case 'set-clock': return world.time.jumpWall(step.ms)
      case 'credentials': return world.health.credentialChanged('a')
      case 'registry': return world.health.registryChanged()
      case 'restart': {
        this.permits.length = 0
        this.plan = new Plans([group]).group('g')!
        return world.restart(step.down)
      }
    }
  }

  #settle(nth: number, how: 'ok' | 'fail' | 'return'): void {
    const permit = this.permits.splice(nth % Math.max(1, this.permits.length), 1)[0]
    if (!permit) return
    const text = `${permit.route.provider}/${permit.route.model}`
    if (how === 'return') this.world.health.release(permit)
    else if (how === 'ok') this.world.ok(text, { permit, took: 1 })
    else this.world.fail(text, 'server', { permit, final: false, took: 1 })
  }
}

/** Walks and checks after each step. */
async function walk(steps: readonly Step[], u: number, check: (walk: Walk, step: Step, index: number) => void | Promise<void>): Promise<Walk> {
  const one = new Walk(u)
  for (const [index, step] of steps.entries()) {
    await one.take(step)
    await check(one, step, index)
  }
  return one
}

const sorted = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted()

const law = (steps: fc.Arbitrary<Step>, run: (steps: Step[], u: number) => Promise<void>): Promise<void> =>
  fc.assert(fc.asyncProperty(fc.array(steps, { maxLength: WALK }), chance, run), RUNS)

describe('laws under random walks', () => {
  it('a hard-held route is never picked', () => law(everything, async (steps, u) => {
    await walk(steps, u, ({ world, plan }) => {
      const now = world.time.now()
      const choice = pick(plan, world.health.view(), now, { automatic: true, probesOn: true })
      const barred = (one: Route): HardHold | null => world.health.view().hard(one, now)
      if (choice) expect(barred(choice.option.entry)).toBeNull()
      else for (const text of ROUTES) expect(barred(route(text)) ?? (world.soft(text).why === 'trial' ? 'trial' : null), text).not.toBeNull()
    })
  }))

  it('a hold never shrinks', () => law(usual, async (steps, u) => {
    const ends = new Map<string, number>()
    await walk(steps, u, ({ world }) => {
      const now = world.time.now()
      const seen = new Map(world.health.status().holds.map((hold) => [`${hold.provider}/${hold.model} ${hold.class}`, hold.until]))
      for (const [key, until] of ends) {
        if (until > now) expect(seen.get(key), key).toBeGreaterThanOrEqual(until)
      }
      for (const [key, until] of seen) {
        expect(until - now).toBeLessThanOrEqual(DAY_MS)
        ends.set(key, until)
      }
    })
  }))

  it('no hold lasts longer than its own length, wherever the clock is set', () => law(everything, async (steps, u) => {
    await walk(steps, u, ({ world }) => {
      const now = world.time.now()
      world.health.view()
      for (const hold of world.health.status().holds) expect(hold.until - now).toBeLessThanOrEqual(Math.min(DAY_MS, hold.until - hold.setAt) + 60_000)
    })
  }))

  it('a cooldown lies within [configured, 1.1 × cap]', () => law(everything, async (steps, u) => {
    const ends = new Map<string, number>()
    await walk(steps, u, ({ world }) => {
      const mono = world.time.mono()
      for (const { level, provider, model, state, until } of world.health.status().breakers) {
        if (state !== 'open' || until === null) continue
        const key = `${level} ${provider}/${model}`
        const end = mono + until - world.time.now()
        if (Math.abs((ends.get(key) ?? 0) - end) > 2) {
          expect(end - mono, key).toBeGreaterThanOrEqual(level === 'model' ? 60_000 - 1 : 120_000 - 1)
          expect(end - mono, key).toBeLessThanOrEqual(1.1 * 900_000 + 1)
        }
        ends.set(key, end)
      }
    })
  }))

  it('at most one permit per route', () => law(everything, async (steps, u) => {
    await walk(steps, u, ({ world, permits }) => {
      const live = permits.filter((permit) => permit.expiresMono > world.time.mono())
      for (const text of ROUTES) {
        const mine = live.filter((permit) => routeKey(permit.route) === text)
        expect(mine.length).toBeLessThanOrEqual(1)
        if (mine.length === 1) expect(world.health.lease(route(text))).toBeNull()
      }
    })
  }))

  it('after 25 h of silence every enabled, unexpired route is pickable', () => law(everything, async (steps, u) => {
    const { world, plan } = await walk(steps, u, () => {})
    world.time.advance(25 * HOUR_MS)
    const view = world.health.view()
    for (const text of ROUTES) {
      const choice = pick(plan, view, world.time.now(), {
        automatic: true, probesOn: true, lease: (one) => world.health.lease(one),
        exclude: ({ entry }) => (routeKey(entry) === text ? null : { why: 'visited', class: null, until: null }),
      })
      expect(choice && routeKey(choice.option.entry)).toBe(text)
    }
    expect(world.health.failed()).toEqual([])
    expect(world.health.status().holds).toEqual([])
  }))

  it('what the view said stays true until the version or the named instant changes', () => law(everything, async (steps, u) => {
    let told: { version: number; from: number; until: number; answers: [HardHold | null, SoftState][] } | null = null
    await walk(steps, u, ({ world }, step) => {
      const now = world.time.now()
      const view = world.health.view()
      if (step.do === 'restart' || told === null) told = null
      const answers = ROUTES.map((text): [HardHold | null, SoftState] => [view.hard(route(text), now), view.soft(route(text), now)])
      if (told && told.version === view.version && now >= told.from && now < told.until) {
        expect(answers.map(([hard, soft]) => [hard?.why, soft.tier, soft.why])).toEqual(told.answers.map(([hard, soft]) => [hard?.why, soft.tier, soft.why]))
      } else {
        const ends = answers.flatMap(([hard, soft]) => [hard?.until ?? null, soft.until]).filter((end) => end !== null)
        told = { version: view.version, from: now, until: Math.min(...ends) - 1, answers }
      }
    })
  }))

  it('a live success of now leaves nothing against its route but what only time or hand may end', () => law(everything, async (steps, u) => {
    const { world } = await walk(steps, u, () => {})
    world.time.advance(1)
    for (const text of ROUTES) {
      const permit = world.health.lease(route(text))
      world.ok(text, { permit })
      expect(world.breaker(text)?.state ?? 'closed', text).toBe('closed')
      expect(world.endpoint(route(text).provider, route(text).model)).toBe('healthy')
      expect(world.endpoint(route(text).provider, null)).toBe('healthy')
      expect(world.health.failed().filter((mark) => routeKey(mark) === text && !mark.manual)).toEqual([])
      expect(world.health.status().outage.active).toBe(false)
    }
  }))

  it('a restart keeps marks, stated holds and endpoint states, and drops breakers, rests and permits', () => law(usual, async (steps, u) => {
    const { world } = await walk(steps, u, () => {})
    const before = world.health.status()
    const marks = world.health.failed()
    await world.restart()
    const after = world.health.status()
    expect(sorted(world.health.failed())).toEqual(sorted(marks))
    expect(sorted(after.holds)).toEqual(sorted(before.holds.filter((hold) => hold.class !== 'local')))
    expect(sorted(after.endpoints)).toEqual(sorted(before.endpoints))
    expect([...after.breakers, ...after.rests]).toEqual([])
    for (const text of ROUTES) expect(world.health.lease(route(text))).not.toBeNull()
  }))
})
