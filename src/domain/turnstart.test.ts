import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MoveKind, Override, SessionRecord } from '../contract/group.ts'
import type { EffortRoute } from '../contract/route.ts'
import { at, bound, entry, FakeHealth, group, HOUR, NOON, record, scene } from '../../tests/support/routing.ts'
import type { Scene } from './scene.ts'
import { homeOf, startOn, turnStart, type Home, type TurnStart } from './turnstart.ts'

const abc = group('g', [entry('a', 1), entry('b', 2), entry('c', 3)])
const own = (text: string): Home => ({ route: at(text), inherited: false })
const override = (to: string, kind: MoveKind = 'failure', more: Partial<Override> = {}): Override => ({ ...at(to), kind, class: null, from: at('a'), at: NOON - HOUR, until: null, ...more })
const movedTo = (to: string, kind: MoveKind = 'failure', more: Partial<SessionRecord> = {}): SessionRecord => record({ groupId: 'g', home: at('a'), override: override(to, kind), ...more })
const inGroup = (more: Parameters<typeof scene>[0] = {}): Scene => scene({ groups: [abc], binding: bound('g'), ...more })
const short = (start: TurnStart): string => `${start.change} ${start.route?.model ?? '-'} ${start.why}`

describe('at home', () => {
  it('stays while home serves, whatever would go first in the group', () => {
    expect(short(turnStart(inGroup(), own('c')))).toBe('none c home')
    expect(short(turnStart(inGroup({ health: new FakeHealth().put('c', 1) }), own('c')))).toBe('none c home')
  })

  it.each([
    ['failed today', new FakeHealth().bar('a', 'failed', NOON + HOUR), 'failure', NOON + HOUR],
    ['held', new FakeHealth().bar('a', 'held', NOON + HOUR), 'failure', NOON + HOUR],
    ['quarantined', new FakeHealth().bar('a', 'quarantined'), 'failure', null],
    ['open', new FakeHealth().put('a', 4, NOON + HOUR), 'failure', NOON + HOUR],
    ['resting', new FakeHealth().put('a', 3, NOON + HOUR), 'capacity', NOON + HOUR],
  ])('moves before sending when home is %s', (_title, health, moveKind, until) => {
    expect(turnStart(inGroup({ health }), own('a'))).toMatchObject({ change: 'move', to: at('b'), from: at('a'), moveKind, until, at: NOON, groupId: 'g' })
  })

  it.each([
    ['disabled', { disabled: true }, null],
    ['outside its hours', { windows: [{ from: 20, to: 21 }] }, Date.UTC(2025, 2, 3, 12)],
    ['past its last day', { until: '2025-03-02' }, null],
  ])('moves before sending when home is %s', (_title, more, until) => {
    const groups = [group('g', [entry('a', 1, more), entry('b', 2)])]
    expect(turnStart(inGroup({ groups }), own('a'))).toMatchObject({ change: 'move', to: at('b'), moveKind: 'unroutable', until })
  })

  it('moves when the host does not know the model any more', () => {
    expect(turnStart(inGroup({ facts: ({ model }) => (model === 'a' ? null : undefined) }), own('a'))).toMatchObject({ change: 'move', to: at('b'), moveKind: 'unroutable', why: 'unknown-model' })
  })

  it('leaves a model alone that is not in the group', () => {
    expect(short(turnStart(inGroup({ health: new FakeHealth().bar('x') }), own('x')))).toBe('none x not-in-group')
  })

  it('stays when nothing is better', () => {
    expect(short(turnStart(inGroup({ health: new FakeHealth().bar('a').bar('b').bar('c') }), own('a')))).toBe('none a no-candidate')
    expect(short(turnStart(inGroup({ health: new FakeHealth().put('a', 3).put('b', 3).put('c', 4) }), own('a')))).toBe('none a home')
  })

  it('half-open: waits elsewhere for the probe, or tries it out where no probe runs', () => {
    const health = new FakeHealth().put('a', 2)
    expect(short(turnStart(inGroup({ health }), own('a')))).toBe('move b open')
    const trial = turnStart(inGroup({ health, lease: health.lease, rules: { probesOn: false, stripReasoningEffort: true, capacitySwitchRevertMs: 0 } }), own('a'))
    expect([short(trial), trial.permit?.route.model]).toEqual(['none a home', 'a'])
    expect(short(turnStart(inGroup({ health, lease: health.lease }), own('a')))).toBe('move b trial')
  })

  it('without a group: a better candidate of the groups that hold the model, then a fallback', () => {
    const health = new FakeHealth().put('a', 4, NOON + HOUR)
    expect(short(turnStart(scene({ groups: [abc], health }), own('a')))).toBe('move b open')
    expect(short(turnStart(scene({ fallbacks: [at('f')], health }), own('a')))).toBe('move f open')
    expect(short(turnStart(scene({ health }), own('a')))).toBe('none a home')
  })

  it('an auxiliary call starts on the alternate of its own route', () => {
    expect(short(startOn(inGroup({ health: new FakeHealth().bar('b') }), at('b')))).toBe('move a failed')
    expect(short(startOn(inGroup({ binding: bound('g', { pin: true }), health: new FakeHealth().bar('b') }), at('b')))).toBe('none b pinned')
  })
})

describe('coming home', () => {
  const away = (health: FakeHealth, kind: MoveKind = 'failure', more: Parameters<typeof scene>[0] = {}): string => (
    short(turnStart(inGroup({ record: movedTo('b', kind), health, ...more }), own('a')))
  )

  it('returns as soon as home is routable, with the effort the user chose', () => {
    expect(away(new FakeHealth())).toBe('return a home-again')
    const home = { ...at('a'), effort: 'high' }
    expect(turnStart(inGroup({ record: movedTo('b') }), { route: home, inherited: false })).toMatchObject({ change: 'return', route: home, from: at('b') })
  })

  it.each([
    ['failed', new FakeHealth().bar('a')],
    ['open', new FakeHealth().put('a', 4, NOON + HOUR)],
    ['half-open under probes', new FakeHealth().put('a', 2)],
    ['resting', new FakeHealth().put('a', 3, NOON + HOUR)],
  ])('stays away while home is %s', (_title, health) => {
    expect(away(health)).toBe('none b away')
  })

  it('also from and to a home outside the group', () => {
    const here = { record: movedTo('b', 'failure', { home: at('x') }) }
    expect(short(turnStart(inGroup({ ...here, health: new FakeHealth().bar('x') }), own('x')))).toBe('none b away')
    expect(short(turnStart(inGroup(here), own('x')))).toBe('return x home-again')
  })

  it('after a capacity move: not before the least time away, and into a free slot only', () => {
    const started = (ms: number, more: Parameters<typeof scene>[0] = {}): string => (
      short(turnStart(inGroup({ record: record({ groupId: 'g', home: at('a'), override: override('b', 'capacity', { at: NOON - ms }) }), ...more }), own('a')))
    )
    expect([started(29_999), started(30_000)]).toEqual(['none b away', 'return a home-again'])
    expect(started(HOUR, { freeSlot: () => false })).toBe('none b away')
    expect(started(29_999, { health: new FakeHealth().bar('b') })).toBe('move c failed')
  })

  it('after a rejection: only when the history is smaller than what was rejected', () => {
    const rejections = [{ ...at('a'), class: 'context_too_long' as const, tokens: 5000, at: 0 }]
    const returns = (usedTokens: number | null): string => away(new FakeHealth(), 'rejected', { record: movedTo('b', 'rejected', { rejections }), usedTokens })
    expect([returns(5000), returns(null), returns(4999)]).toEqual(['none b away', 'none b away', 'return a home-again'])
  })

  it('not while the history would not fit', () => {
    expect(away(new FakeHealth(), 'failure', { usedTokens: 9000, facts: ({ model }) => (model === 'a' ? { contextWindow: 8000, inputs: null, efforts: [] } : undefined) })).toBe('none b away')
  })
})

describe('away', () => {
  it('keeps its route though a better one of the group works again', () => {
    expect(short(turnStart(inGroup({ record: movedTo('c'), health: new FakeHealth().bar('a') }), own('a')))).toBe('none c away')
  })

  it('moves on when its route fails, and remembers why and since when it left home', () => {
    const start = turnStart(inGroup({ record: movedTo('b', 'rejected'), health: new FakeHealth().bar('a').bar('b') }), own('a'))
    expect(start).toMatchObject({ change: 'move', to: at('c'), from: at('b'), moveKind: 'rejected', at: NOON - HOUR })
  })

  it('goes home rather than on against the user\'s rules, even to a home that fails', () => {
    const health = (): FakeHealth => new FakeHealth().bar('a').bar('c')
    expect(short(turnStart(inGroup({ record: movedTo('x'), health: health().bar('b') }), own('a')))).toBe('return a not-in-group')
    const paid = [group('g', [entry('a', 1), entry('b', 2, { ask: true }), entry('c', 3)])]
    expect(short(turnStart(inGroup({ groups: paid, record: movedTo('b'), health: health() }), own('a')))).toBe('return a ask')
    expect(short(turnStart(inGroup({ groups: paid, record: movedTo('b', 'failure', { consents: [at('b')] }), health: health() }), own('a')))).toBe('none b away')
  })

  it('stays when neither its route nor anything else works', () => {
    expect(short(turnStart(inGroup({ record: movedTo('b'), health: new FakeHealth().bar('a').bar('b').bar('c') }), own('a')))).toBe('none b no-candidate')
  })

  it('takes a resting home before an open route', () => {
    expect(short(turnStart(inGroup({ record: movedTo('b'), health: new FakeHealth().put('a', 3).put('b', 4).put('c', 4) }), own('a')))).toBe('return a open')
  })
})

describe('the plugin stops at once', () => {
  it.each([
    ['pinned', inGroup({ record: movedTo('b'), binding: bound('g', { pin: true }) })],
    ['group-gone', inGroup({ record: movedTo('b'), groups: [group('g', abc.models, { enabled: false })] })],
    ['group-gone', inGroup({ record: movedTo('b'), groups: [] })],
  ])('%s: the override ends and the host decides', (why, here) => {
    expect(short(turnStart(here, own('a')))).toBe(`release - ${why}`)
  })

  it('pinned at home: never moved', () => {
    expect(short(turnStart(inGroup({ binding: bound('g', { pin: true }), health: new FakeHealth().bar('a') }), own('a')))).toBe('none a pinned')
  })
})

describe('route mode', () => {
  const route = (more: Parameters<typeof scene>[0] = {}): Scene => inGroup({ binding: bound('g', { mode: 'route' }), ...more })

  it('takes the first routable entry as home, and keeps a routable one', () => {
    expect(short(turnStart(route(), own('x')))).toBe('adopt a route-mode')
    expect(short(turnStart(route({ health: new FakeHealth().bar('a') }), { route: null, inherited: false }))).toBe('adopt b route-mode')
    expect(short(turnStart(route(), own('c')))).toBe('none c home')
  })

  it('moves off an entry that is not routable, for a while', () => {
    expect(short(turnStart(route({ health: new FakeHealth().bar('c') }), own('c')))).toBe('move a failed')
  })

  it('keeps the route it runs on when that is in the group', () => {
    expect(short(turnStart(route({ record: movedTo('b', 'failure', { home: at('x') }) }), own('x')))).toBe('adopt b route-mode')
  })

  it('stays where it is when the group has nothing to offer', () => {
    expect(short(turnStart(route({ health: new FakeHealth().bar('a').bar('b').bar('c') }), own('x')))).toBe('none x no-candidate')
  })

  it('sends the effort of the entry', () => {
    const groups = [group('g', [entry('a', 1, { effort: 'low' })])]
    expect(turnStart(route({ groups }), { route: { ...at('x'), effort: 'high' }, inherited: false }).route).toEqual({ ...at('a'), effort: 'low' })
  })
})

describe('subagents', () => {
  const child = (record: SessionRecord | null, parentRoute: EffortRoute | null): Home => homeOf({ record, hostRoute: at('a'), parentRoute })

  it('follow the route their parent runs on now', () => {
    const home = child(null, at('b'))
    expect(short(turnStart(inGroup({ binding: bound('g', { inheritedFrom: 'root' }) }), home))).toBe('none b follows-parent')
    expect(short(turnStart(inGroup({ binding: bound('g', { inheritedFrom: 'root' }), health: new FakeHealth().bar('b') }), home))).toBe('move a failed')
    expect(short(turnStart(inGroup({ binding: bound('g', { mode: 'route', inheritedFrom: 'root' }) }), child(null, at('x'))))).toBe('none x not-in-group')
  })

  it('keep a choice of their own', () => {
    expect(child(record({ home: at('c') }), at('b'))).toEqual({ route: at('c'), inherited: false })
    expect(short(turnStart(inGroup({ binding: bound('g', { mode: 'route' }) }), child(null, at('x'))))).toBe('adopt a route-mode')
  })

  it('do not take a copied route for a move', () => {
    expect(short(turnStart(inGroup({ record: record({ override: override('c', 'inherited') }) }), child(null, at('b'))))).toBe('none b follows-parent')
  })

  it('and roots fall back on what the host says, never on the echo of a move', () => {
    expect(homeOf({ record: null, hostRoute: at('x'), parentRoute: null }).route).toEqual(at('x'))
    expect(homeOf({ record: record({ override: override('b') }), hostRoute: at('b'), parentRoute: null }).route).toEqual(at('a'))
  })
})

/** The record after a turn start was acted on. */
function after(start: TurnStart, before: SessionRecord, home: EffortRoute | null): SessionRecord {
  switch (start.change) {
    case 'none': return before
    case 'return': case 'release': return { ...before, override: null }
    case 'adopt': return { ...before, home: start.route, override: null }
    case 'move': return { ...before, home: before.home ?? home, override: { ...start.to, kind: start.moveKind, class: start.class, from: start.from, at: start.at, until: start.until } }
  }
}

describe('laws', () => {
  const models = ['a', 'b', 'c', 'd', 'x']
  const modelName = fc.constantFrom(...models)
  const state = fc.oneof(fc.constant('fine' as const), fc.constantFrom('failed' as const, 'held' as const, 'quarantined' as const), fc.constantFrom(1 as const, 2 as const, 3 as const, 4 as const))
  const world = fc.record({
    states: fc.tuple(state, state, state, state, state), priorities: fc.tuple(...models.map(() => fc.integer({ min: 1, max: 3 }))),
    members: fc.nat(31), asks: fc.nat(31), disabled: fc.nat(7), home: modelName, moved: fc.option(fc.tuple(modelName, fc.constantFrom<MoveKind>('failure', 'capacity', 'rejected', 'unroutable'))),
    mode: fc.constantFrom('route' as const, 'failover' as const), isBound: fc.boolean(), probesOn: fc.boolean(), refused: fc.boolean(), ago: fc.integer({ min: 0, max: 60_000 }),
  })

  function build(w: typeof world extends fc.Arbitrary<infer T> ? T : never): { here: Scene; health: FakeHealth; entries: ReturnType<typeof entry>[] } {
    const health = new FakeHealth()
    models.forEach((model, n) => {
      const is = w.states[n]!
      if (typeof is === 'number') health.put(model, is, is === 1 ? null : NOON + HOUR)
      else if (is !== 'fine') health.bar(model, is)
    })
    const entries = models.filter((_, n) => (w.members >> n) & 1).map((model) => {
      const n = models.indexOf(model)
      return entry(model, w.priorities[n], { ...((w.asks >> n) & 1 ? { ask: true } : {}), ...((w.disabled >> n) & 1 ? { disabled: true } : {}) })
    })
    const moved = w.moved && w.moved[0] !== w.home ? w.moved : null
    const here = scene({
      groups: [group('g', entries)], fallbacks: [at('d')], health,
      binding: w.isBound ? bound('g', { mode: w.mode }) : bound('g', { groupId: null }),
      rules: { probesOn: w.probesOn, stripReasoningEffort: true, capacitySwitchRevertMs: 30_000 },
      record: record({
        groupId: w.isBound ? 'g' : null, mode: w.mode, home: at(w.home),
        override: moved && override(moved[0], moved[1], { from: at(w.home), at: NOON - w.ago }),
        rejections: w.refused ? [{ ...at(w.home), class: 'context_too_long', tokens: null, at: 0 }] : [],
      }),
    })
    return { here, health, entries }
  }

  it('asking again after acting changes nothing', () => {
    fc.assert(fc.property(world, (w) => {
      const { here } = build(w)
      const first = turnStart(here, { route: here.record!.home, inherited: false })
      const then = { ...here, record: after(first, here.record!, at(w.home)) }
      const again = turnStart(then, homeOf({ record: then.record, hostRoute: first.route, parentRoute: null }))
      expect(again.change).toBe('none')
      if (first.change !== 'release') expect(again.route).toEqual(first.route)
    }), { numRuns: 2000 })
  })

  it('moves only to what may be picked, and never to an entry that asks', () => {
    fc.assert(fc.property(world, (w) => {
      const { here, health, entries } = build(w)
      const start = turnStart(here, { route: here.record!.home, inherited: false })
      if (start.change !== 'move' && start.change !== 'adopt') return
      const chosen = entries.find(({ model }) => model === start.route.model)
      if (start.groupId !== null) {
        expect(health.hard(start.route, NOON)).toBeNull()
        expect([chosen?.disabled, chosen?.ask]).toEqual([undefined, undefined])
      }
      if (start.change === 'move') expect(start.route).not.toEqual(start.from)
      expect(start.candidates().length).toBeGreaterThan(0)
    }), { numRuns: 1000 })
  })

  it('a home that serves is where the session is, unless it was moved for a reason that still stands', () => {
    fc.assert(fc.property(world, (w) => {
      const { here, entries } = build(w)
      const home = entries.find(({ model }) => model === w.home)
      const fine = ['fine', 1].includes(w.states[models.indexOf(w.home)]!) && !home?.disabled && !w.refused
      if (!fine || here.record!.override?.kind === 'capacity') return
      if (w.isBound && w.mode === 'route' && !home) return
      expect(turnStart(here, { route: here.record!.home, inherited: false }).route).toEqual(at(w.home))
    }), { numRuns: 1000 })
  })
})
