import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failureClassSchema, type FailureClass } from '../contract/failure.ts'
import { routeKey, type EffortRoute } from '../contract/route.ts'
import { at, bound, entry, FakeHealth, group, HOUR, NOON, record, scene } from '../../tests/support/routing.ts'
import { decide, moveKindOf, type Decision, type FailedStep } from './decide.ts'
import type { Facts } from './fit.ts'
import type { Scene } from './scene.ts'

const failed = (text: string, failure: FailureClass = 'server', more: Partial<FailedStep> = {}): FailedStep => ({
  failed: at(text), home: null, judgement: { class: failure }, visited: new Set([routeKey(at(text))]), hopsLeft: 3, endpointOf: () => '', ...more,
})
const target = (decision: Decision): string | null => (decision.kind === 'move' ? (decision.to.provider === 'p' ? decision.to.model : routeKey(decision.to)) : null)
const facts = (table: Record<string, Partial<Facts> | null>): Scene['facts'] => (route) => {
  const known = table[route.model]
  return known === undefined ? undefined : known && { contextWindow: null, inputs: null, efforts: [], ...known }
}
const abc = group('g', [entry('a', 1), entry('b', 2), entry('c', 3)])

describe('a session bound to a group', () => {
  it('takes the next routable entry by priority', () => {
    const health = new FakeHealth().bar('a').bar('b')
    expect(decide(scene({ groups: [abc], binding: bound('g'), health }), failed('a'))).toMatchObject({ kind: 'move', to: at('c'), from: at('a'), groupId: 'g', moveKind: 'failure', class: 'server', goesHome: false })
  })

  it('takes the best entry when its own model is no member', () => {
    expect(target(decide(scene({ groups: [abc], binding: bound('g') }), failed('x')))).toBe('a')
  })

  it('does not leave its group for the fallbacks', () => {
    const health = new FakeHealth().bar('b').bar('c')
    expect(decide(scene({ groups: [abc], fallbacks: [at('f')], binding: bound('g'), health }), failed('a'))).toMatchObject({ kind: 'stay', why: 'no-candidate' })
  })

  it('never repeats a route of this step', () => {
    const visited = new Set(['p/a', 'p/b'])
    expect(target(decide(scene({ groups: [abc], binding: bound('g') }), failed('b', 'server', { visited })))).toBe('c')
  })

  it('stays when it is pinned, out of hops, or the user cancelled, and says so', () => {
    const here = scene({ groups: [abc], binding: bound('g') })
    expect(decide({ ...here, binding: bound('g', { pin: true }) }, failed('a'))).toMatchObject({ kind: 'stay', why: 'pinned' })
    expect(decide(here, failed('a', 'server', { hopsLeft: 0 }))).toMatchObject({ kind: 'stay', why: 'hops' })
    expect(decide(here, failed('a', 'cancelled'))).toMatchObject({ kind: 'stay', why: 'cancelled' })
  })

  it('whose group is switched off is like one without a group', () => {
    const groups = [group('g', abc.models, { enabled: false }), group('h', [entry('a', 1), entry('d', 2)])]
    expect(decide(scene({ groups, binding: bound('g') }), failed('a'))).toMatchObject({ to: at('d'), groupId: 'h' })
  })
})

describe('a session without a group', () => {
  it('looks at groups that hold its model, then at the fallbacks', () => {
    const here = scene({ groups: [abc], fallbacks: [at('f')], health: new FakeHealth().bar('c') })
    expect(target(decide(here, failed('b')))).toBe('a')
    expect(target(decide({ ...here, health: new FakeHealth().bar('c').bar('a') }, failed('b')))).toBe('f')
    expect(target(decide(here, failed('x')))).toBe('f')
  })

  it('stays when there is nowhere to look', () => {
    expect(decide(scene({ groups: [abc] }), failed('x'))).toMatchObject({ kind: 'stay', why: 'no-group', offer: [] })
  })

  it('names its own return when it is the first', () => {
    const health = new FakeHealth().bar('x', 'held', NOON + HOUR).bar('f', 'held', NOON + 2 * HOUR)
    expect(decide(scene({ fallbacks: [at('f')], health }), failed('x'))).toMatchObject({ kind: 'stay', earliest: { route: at('x'), until: NOON + HOUR } })
  })
})

describe('what the request asks of the next model', () => {
  const big = group('g', [entry('a', 1), entry('same', 2), entry('small', 3), entry('large', 4)])

  it('a larger window after an overflow', () => {
    const here = scene({ groups: [big], binding: bound('g'), facts: facts({ a: { contextWindow: 8000 }, same: { contextWindow: 8000 }, small: { contextWindow: 4000 }, large: { contextWindow: 9000 } }) })
    expect(decide(here, failed('a', 'context_too_long'))).toMatchObject({ to: at('large'), moveKind: 'rejected', until: null })
    expect(target(decide(here, failed('a')))).toBe('same')
  })

  it('room for the history, and eyes for its images', () => {
    const here = scene({ groups: [big], binding: bound('g'), usedTokens: 5000, images: true, facts: facts({ same: { inputs: ['text'] }, small: { contextWindow: 4000 }, large: null }) })
    const decision = decide(here, failed('a'))
    expect(decision.candidates().map(({ route, why }) => [route.model, why])).toEqual([['a', 'visited'], ['same', 'no-images'], ['small', 'too-small'], ['large', 'unknown-model']])
  })

  it('no route that refused this history before', () => {
    const rejections = [{ ...at('same'), class: 'invalid_request' as const, tokens: 100, at: 0 }]
    const here = scene({ groups: [big], binding: bound('g'), record: record({ rejections }), usedTokens: 100 })
    expect(target(decide(here, failed('a')))).toBe('small')
    expect(target(decide({ ...here, usedTokens: 99 }, failed('a')))).toBe('same')
  })

  it('the effort of the entry, else none, else the one carried over', () => {
    const groups = [group('g', [entry('a', 1), entry('own', 2, { effort: 'max' }), entry('none', 3)])]
    const here = scene({ groups, binding: bound('g'), facts: facts({ none: { efforts: ['high'] } }) })
    const step = failed('a', 'server', { failed: { ...at('a'), effort: 'high' } })
    const moved = (from: Scene): EffortRoute | null => { const decision = decide(from, step); return decision.kind === 'move' ? decision.to : null }
    expect(moved(here)).toEqual({ ...at('own'), effort: 'max' })
    const next = { ...here, health: new FakeHealth().bar('own') }
    expect(moved(next)).toEqual(at('none'))
    expect(moved({ ...next, rules: { ...here.rules, stripReasoningEffort: false } })).toEqual({ ...at('none'), effort: 'high' })
  })
})

describe('the kind of failure', () => {
  it('after a transport failure another endpoint goes first, the same one last', () => {
    const groups = [group('g', [entry('a', 1), entry('b', 2), entry('twin/b', 3), entry('q/c', 4)])]
    const endpointOf = (provider: string): string => (provider === 'q' ? 'other' : 'same')
    const here = scene({ groups, binding: bound('g') })
    expect(target(decide(here, failed('a', 'transport', { endpointOf })))).toBe('q/c')
    expect(target(decide(here, failed('a', 'server', { endpointOf })))).toBe('b')
    expect(target(decide({ ...here, health: new FakeHealth().put('q/c', 3) }, failed('a', 'transport', { endpointOf })))).toBe('b')
  })

  it('decides what brings the session home', () => {
    expect(['capacity', 'context_too_long', 'content_filter', 'server', 'quota'].map((each) => moveKindOf(each as FailureClass))).toEqual(['capacity', 'rejected', 'rejected', 'failure', 'failure'])
  })

  it('capacity: not before the least time away and the end of the rest', () => {
    const until = (health: FakeHealth): unknown => (decide(scene({ groups: [abc], binding: bound('g'), health }), failed('a', 'capacity')) as { until?: number }).until
    expect([until(new FakeHealth()), until(new FakeHealth().put('a', 3, NOON + HOUR))]).toEqual([NOON + 30_000, NOON + HOUR])
  })

  it('uncompressed providers are taken only when nothing else works', () => {
    const groups = [group('g', [entry('a', 1), entry('qoder/x', 2), entry('b', 3)])]
    const here = scene({ groups, binding: bound('g'), uncompressed: ({ provider }) => provider === 'qoder' })
    expect(target(decide(here, failed('a')))).toBe('b')
    expect(target(decide({ ...here, health: new FakeHealth().bar('b') }, failed('a')))).toBe('qoder/x')
  })
})

describe('the purse guard', () => {
  const groups = [group('g', [entry('a', 1), entry('paid', 2, { ask: true }), entry('dear', 3, { ask: true })])]

  it('offers what consent would admit, when nothing else is left', () => {
    const decision = decide(scene({ groups, binding: bound('g'), health: new FakeHealth().bar('dear') }), failed('a'))
    expect(decision).toMatchObject({ kind: 'stay', why: 'no-candidate', offer: [at('paid')] })
  })

  it('takes it after consent', () => {
    expect(target(decide(scene({ groups, binding: bound('g'), record: record({ consents: [at('dear')] }) }), failed('a')))).toBe('dear')
  })
})

describe('home while away', () => {
  it('is taken when it is the best candidate, with the effort the user chose', () => {
    const home = { ...at('a'), effort: 'high' }
    expect(decide(scene({ groups: [abc], binding: bound('g') }), failed('b', 'server', { home }))).toMatchObject({ kind: 'move', to: home, goesHome: true })
  })

  it('is the last resort where it is no candidate, and costs no hop', () => {
    const here = scene({ fallbacks: [at('f')] })
    expect(decide(here, failed('f', 'server', { home: at('x'), hopsLeft: 0 }))).toMatchObject({ kind: 'move', to: at('x'), goesHome: true, groupId: null })
    expect(decide(here, failed('f', 'server', { home: at('x'), visited: new Set(['p/x', 'p/f']) }))).toMatchObject({ kind: 'stay' })
    expect(decide({ ...here, health: new FakeHealth().bar('x') }, failed('f', 'server', { home: at('x') }))).toMatchObject({ kind: 'stay' })
  })
})

describe('laws', () => {
  it('a chain of failures visits no route twice and ends within its hops', () => {
    const classes = fc.constantFrom(...failureClassSchema.options)
    fc.assert(fc.property(fc.integer({ min: 1, max: 6 }), fc.array(classes, { minLength: 8, maxLength: 8 }), fc.nat(3), (size, failures, hops) => {
      const groups = [group('g', Array.from({ length: size }, (_, n) => entry(`m${n}`, 1 + (n % 3))))]
      const visited = new Set<string>()
      let on: EffortRoute = at('m0')
      for (let n = 0; ; n++) {
        expect(visited.has(routeKey(on))).toBe(false)
        visited.add(routeKey(on))
        const failure = failures[n] ?? 'unknown'
        const decision = decide(scene({ groups, binding: bound('g') }), failed(on.model, failure, { visited, hopsLeft: hops - n }))
        expect(n).toBeLessThanOrEqual(hops)
        if (decision.kind === 'stay') break
        expect(failure).not.toBe('cancelled')
        on = decision.to
      }
    }))
  })

  it('every decision explains every candidate once', () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 }), fc.nat(63), (priorities, barred) => {
      const health = new FakeHealth()
      priorities.forEach((_, n) => { if ((barred >> n) & 1) health.bar(`m${n}`) })
      const decision = decide(scene({ groups: [group('g', priorities.map((priority, n) => entry(`m${n}`, priority)))], binding: bound('g'), health }), failed('m0'))
      expect(decision.candidates().map(({ route }) => route.model).toSorted()).toEqual(priorities.map((_, n) => `m${n}`))
      if (decision.kind === 'move') expect(decision.candidates()[0]?.route).toEqual(decision.to)
      else expect(decision.candidates().every((verdict) => !verdict.routable)).toBe(true)
    }))
  })
})

it('looks at the history only where a fact of a model asks for it', () => {
  let reads = 0
  const lazy = (base: Scene): Scene => Object.defineProperties({ ...base }, { usedTokens: { get: () => { reads++; return 1 } }, images: { get: () => { reads++; return true } } })
  const here = scene({ groups: [abc], binding: bound('g'), facts: () => ({ contextWindow: null, inputs: ['text', 'image'], efforts: [] }) })
  expect(target(decide(lazy(here), failed('a')))).toBe('b')
  expect(reads).toBe(0)
})
