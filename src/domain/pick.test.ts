import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry, Route } from '../contract/route.ts'
import { at, entry, FakeHealth, group, HOUR, NOON } from '../../tests/support/routing.ts'
import { pick, type Asker } from './pick.ts'
import type { Plan } from './plan.ts'
import { Plans } from './plans.ts'
import { survey } from './verdict.ts'
import type { HealthView } from './view.ts'

const ask = (more: Partial<Asker> = {}): Asker => ({ automatic: true, probesOn: true, ...more })
const planOf = (entries: readonly Entry[]): Plan => new Plans([group('g', entries)]).group('g')!
const picked = (plan: Plan, health: HealthView, asker = ask(), now = NOON): string | null => {
  const choice = pick(plan, health, now, asker)
  return choice && (choice.option.entry.provider === 'p' ? choice.option.entry.model : `${choice.option.entry.provider}/${choice.option.entry.model}`)
}
const visited = (...texts: string[]): NonNullable<Asker['exclude']> => ({ entry: { provider, model } }) => (
  texts.some((text) => at(text).provider === provider && at(text).model === model) ? { why: 'visited', class: null, until: null } : null
)

describe('pick', () => {
  it('takes the lowest priority number, and of equals the one registered first', () => {
    expect(picked(planOf([entry('a', 5), entry('b', 2), entry('c', 2)]), new FakeHealth())).toBe('b')
  })

  it('keeps the own route of a session among equals, for its prompt cache', () => {
    const plan = planOf([entry('a', 1), entry('b', 1), entry('c', 2)])
    expect(picked(plan, new FakeHealth(), ask({ own: at('b') }))).toBe('b')
    expect(picked(plan, new FakeHealth(), ask({ own: at('c') }))).toBe('a')
    expect(picked(plan, new FakeHealth().put('b', 1), ask({ own: at('b') }))).toBe('a')
  })

  it('prefers a worse priority that works to a better one that does not', () => {
    const plan = planOf([entry('open', 1), entry('rests', 2), entry('half', 3), entry('suspect', 4), entry('fine', 5)])
    const health = new FakeHealth().put('open', 4, NOON + HOUR).put('rests', 3, NOON + HOUR).put('half', 2).put('suspect', 1)
    const order: (string | null)[] = []
    for (let round = 0; round < 6; round++) order.push(picked(plan, health, ask({ exclude: visited(...order.filter((text) => text !== null)) })))
    expect(order).toEqual(['fine', 'suspect', 'half', 'rests', 'open', null])
  })

  it.each(['failed', 'held', 'quarantined'] as const)('never takes a route that is %s', (why) => {
    expect(picked(planOf([entry('a')]), new FakeHealth().bar('a', why))).toBeNull()
  })

  it('never takes an entry that is disabled, outside its hours or past its last day', () => {
    const plan = planOf([entry('a', 1, { disabled: true }), entry('b', 1, { windows: [{ from: 13, to: 11 }] }), entry('c', 1, { until: '2025-03-02' }), entry('d', 2)])
    expect(picked(plan, new FakeHealth())).toBe('d')
    expect(picked(plan, new FakeHealth(), ask(), NOON + HOUR)).toBe('b')
  })

  it('asks before it takes an entry marked so, unless a person asked for it', () => {
    const plan = planOf([entry('a', 1, { ask: true }), entry('b', 2)])
    expect(picked(plan, new FakeHealth())).toBe('b')
    expect(picked(plan, new FakeHealth(), ask({ consented: (route: Route) => route.model === 'a' }))).toBe('a')
    expect(picked(plan, new FakeHealth(), ask({ automatic: false }))).toBe('a')
  })

  it('takes a half-open route in its own place when no probe would close its breaker', () => {
    const plan = planOf([entry('half', 1), entry('fine', 2)])
    const health = new FakeHealth().put('half', 2)
    expect(picked(plan, health, ask({ probesOn: true }))).toBe('fine')
    expect(picked(plan, health, ask({ probesOn: false }))).toBe('half')
  })

  it('gives one permit, and lets the others go elsewhere', () => {
    const plan = planOf([entry('half', 1), entry('rests', 2)])
    const health = new FakeHealth().put('half', 2).put('rests', 3)
    const asker = ask({ lease: health.lease })
    const first = pick(plan, health, NOON, asker)
    expect([first?.option.entry.model, first?.permit?.route.model, first?.tier]).toEqual(['half', 'half', 2])
    expect([picked(plan, health, asker), health.leases]).toEqual(['rests', 1])
  })

  it('all open: the one that ends first, once', () => {
    const plan = planOf([entry('a', 1), entry('b', 2), entry('c', 3)])
    const health = new FakeHealth().put('a', 4, NOON + 3 * HOUR).put('b', 4, NOON + HOUR).put('c', 4, NOON + 2 * HOUR)
    const asker = ask({ lease: health.lease })
    expect([picked(plan, health, asker), picked(plan, health, asker), picked(plan, health, asker), picked(plan, health, asker)]).toEqual(['b', 'c', 'a', null])
  })

  it('all open: an end that comes sooner beats the own route', () => {
    const plan = planOf([entry('a', 1), entry('own', 1)])
    expect(picked(plan, new FakeHealth().put('a', 4, NOON + HOUR).put('own', 4, NOON + 2 * HOUR), ask({ own: at('own') }))).toBe('a')
    expect(picked(plan, new FakeHealth().put('a', 4, NOON + HOUR).put('own', 4, NOON + HOUR), ask({ own: at('own') }))).toBe('own')
  })

  it('is right again when the clock is set back', () => {
    const plan = planOf([entry('a', 1), entry('b', 2), entry('c', 3)])
    const health = new FakeHealth().bar('b', 'failed', NOON + HOUR)
    expect(picked(plan, health)).toBe('a')
    expect(picked(plan, health, ask({ exclude: visited('a') }), NOON + 2 * HOUR)).toBe('b')
    expect(picked(plan, health, ask({ exclude: visited('a') }), NOON)).toBe('c')
  })

  it('puts what stands behind after everything that works, but before what rests', () => {
    const plan = planOf([entry('q/x', 1), entry('a', 2), entry('b', 3)])
    const behind: Asker['behind'] = ({ entry: { provider } }) => (provider === 'q' ? 'uncompressed' : null)
    expect(picked(plan, new FakeHealth(), ask({ behind }))).toBe('a')
    expect(picked(plan, new FakeHealth().bar('a').put('b', 2), ask({ behind }))).toBe('b')
    expect(picked(plan, new FakeHealth().bar('a').put('b', 3), ask({ behind }))).toBe('q/x')
    expect(picked(plan, new FakeHealth().bar('a').bar('b').put('q/x', 4), ask({ behind }))).toBe('q/x')
  })

  it('takes only what is better than a given place', () => {
    const plan = planOf([entry('a', 1), entry('b', 2)])
    const better = { tier: 3, behind: false, until: null } as const
    expect(picked(plan, new FakeHealth().put('a', 3).put('b', 4), ask({ better }))).toBeNull()
    expect(picked(plan, new FakeHealth().put('a', 3).put('b', 2), ask({ better }))).toBe('b')
    const open = { tier: 4, behind: false, until: NOON + 2 * HOUR } as const
    expect(picked(plan, new FakeHealth().put('a', 4, NOON + 2 * HOUR).put('b', 4, NOON + HOUR), ask({ better: open }))).toBe('b')
    expect(picked(plan, new FakeHealth().put('a', 4, NOON + 2 * HOUR).put('b', 4, NOON + 3 * HOUR), ask({ better: open }))).toBeNull()
  })

  it('asks health only about as many entries as it needs, and not again while nothing changes', () => {
    const plan = planOf(Array.from({ length: 200 }, (_, n) => entry(`m${n}`, n + 1)))
    const health = new FakeHealth().bar('m0')
    picked(plan, health)
    expect(health.asked).toBe(2)
    for (let n = 0; n < 50; n++) picked(plan, health, ask(), NOON + n)
    expect(health.asked).toBe(2)
  })
})

describe('a fallback, which is no member of a group', () => {
  const plan = (): Plan => new Plans([], [at('a'), at('b')]).loose(at('x'))

  it('is the last resort after a day mark, which needs no permit', () => {
    const health = new FakeHealth().bar('a', 'failed', NOON + HOUR)
    expect(picked(plan(), health)).toBe('b')
    const choice = pick(plan(), health, NOON, ask({ exclude: visited('b'), lease: () => null }))
    expect([choice?.option.entry.model, choice?.tier]).toEqual(['a', 4])
  })

  it('is barred by everything else', () => {
    expect(picked(plan(), new FakeHealth().bar('a', 'held').bar('b', 'quarantined'))).toBeNull()
    expect(picked(plan(), new FakeHealth().bar('a', 'failed').bar('a', 'held').bar('b', 'held'))).toBeNull()
  })
})

/* ---- laws ---- */

type Verb =
  | { readonly do: 'bar'; readonly model: number; readonly why: 'failed' | 'held' | 'quarantined'; readonly forMs: number | null }
  | { readonly do: 'put'; readonly model: number; readonly tier: 0 | 1 | 2 | 3 | 4; readonly forMs: number | null }
  | { readonly do: 'heal'; readonly model: number }
  | { readonly do: 'wait'; readonly ms: number }

const model = fc.integer({ min: 0, max: 7 })
const forMs = fc.option(fc.integer({ min: 1, max: 30 * HOUR }))
const verb: fc.Arbitrary<Verb> = fc.oneof(
  fc.record({ do: fc.constant('bar' as const), model, why: fc.constantFrom('failed' as const, 'held' as const, 'quarantined' as const), forMs }),
  fc.record({ do: fc.constant('put' as const), model, tier: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const, 4 as const), forMs }),
  fc.record({ do: fc.constant('heal' as const), model }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: -2 * HOUR, max: 12 * HOUR }) }),
)
const hour = fc.integer({ min: 0, max: 23 })
const entries = fc.array(fc.record({
  priority: fc.integer({ min: 1, max: 4 }),
  windows: fc.option(fc.array(fc.record({ from: hour, to: hour }), { maxLength: 2 }), { nil: undefined }),
  until: fc.option(fc.constantFrom('2025-03-02', '2025-03-03', '2025-03-04'), { nil: undefined }),
  disabled: fc.boolean(), ask: fc.boolean(),
}), { minLength: 1, maxLength: 8 }).map((list) => list.map(({ priority, windows, until, disabled, ask: asks }, n) => entry(`m${n}`, priority, {
  ...(windows ? { windows } : {}), ...(until ? { until } : {}), ...(n % 3 === 0 && disabled ? { disabled } : {}), ...(asks ? { ask: asks } : {}),
})))
const askers = fc.record({ probesOn: fc.boolean(), automatic: fc.boolean(), own: fc.option(model), consent: fc.nat(255), out: fc.nat(255), back: fc.nat(255) })

function askerFrom({ probesOn, automatic, own, consent, out, back }: typeof askers extends fc.Arbitrary<infer T> ? T : never): Asker {
  const bit = (mask: number, { model: name }: Route): boolean => ((mask >> Number(name.slice(1))) & 1) === 1
  return {
    probesOn, automatic, own: own === null ? null : at(`m${own}`),
    consented: (route) => bit(consent, route),
    exclude: (option) => (bit(out, option.entry) ? { why: 'visited', class: null, until: null } : null),
    behind: (option) => (bit(back, option.entry) ? 'uncompressed' : null),
  }
}

function play(health: FakeHealth, step: Verb, now: number): number {
  switch (step.do) {
    case 'bar': health.bar(`m${step.model}`, step.why, step.forMs === null ? null : now + step.forMs); return now
    case 'put': health.put(`m${step.model}`, step.tier, step.forMs === null ? null : now + step.forMs); return now
    case 'heal': health.heal(`m${step.model}`); return now
    case 'wait': return now + step.ms
  }
}

describe('laws of the pick', () => {
  it('a plan that was asked before answers like a fresh one, and like the list that explains it', () => {
    fc.assert(fc.property(entries, fc.array(fc.tuple(verb, askers), { maxLength: 40 }), (list, script) => {
      const plan = planOf(list)
      const health = new FakeHealth()
      let now = NOON
      for (const [step, who] of script) {
        now = play(health, step, now)
        const asker = askerFrom(who)
        const answer = picked(plan, health, asker, now)
        expect(answer).toBe(picked(planOf(list), health, asker, now))
        const first = survey(plan, health, now, asker)[0]
        expect(answer).toBe(first?.verdict.routable ? first.verdict.route.model : null)
      }
    }), { numRuns: 300 })
  })

  it('never picks what is barred, excluded or not consented to', () => {
    fc.assert(fc.property(entries, fc.array(verb, { maxLength: 20 }), askers, (list, script, who) => {
      const health = new FakeHealth()
      const now = script.reduce((instant, step) => play(health, step, instant), NOON)
      const asker = askerFrom(who)
      const plan = planOf(list)
      const choice = pick(plan, health, now, asker)
      if (!choice) return
      const { entry: chosen } = choice.option
      expect(chosen.disabled).not.toBe(true)
      expect(health.hard(chosen, now)).toBeNull()
      expect(plan.standing(plan.places(chosen)[0]!, health, now).barred).toBeNull()
      expect(asker.exclude?.(choice.option)).toBeNull()
      if (asker.automatic && chosen.ask) expect(asker.consented?.(chosen)).toBe(true)
    }))
  })

  it('never returns a suspect or worse while something better may be used', () => {
    fc.assert(fc.property(entries, fc.array(verb, { maxLength: 20 }), askers, (list, script, who) => {
      const health = new FakeHealth()
      const now = script.reduce((instant, step) => play(health, step, instant), NOON)
      const asker = { ...askerFrom(who), probesOn: true, behind: () => null }
      const plan = planOf(list)
      const rows = survey(plan, health, now, asker).filter((row) => row.verdict.routable)
      const best = Math.min(...rows.map((row) => row.verdict.tier ?? 9))
      expect(pick(plan, health, now, asker)?.tier ?? Infinity).toBe(best)
    }))
  })

  it('leases at most one permit per route, whoever asks', () => {
    fc.assert(fc.property(entries, fc.array(fc.tuple(model, fc.constantFrom(2 as const, 4 as const)), { maxLength: 8 }), fc.integer({ min: 1, max: 12 }), (list, states, askedTimes) => {
      const health = new FakeHealth()
      for (const [which, tier] of states) health.put(`m${which}`, tier, NOON + HOUR)
      const plan = planOf(list)
      const held: string[] = []
      for (let n = 0; n < askedTimes; n++) {
        const permit = pick(plan, health, NOON, ask({ lease: health.lease }))?.permit
        if (permit) held.push(permit.route.model)
      }
      expect(new Set(held).size).toBe(held.length)
    }))
  })
})
