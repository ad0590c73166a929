import { describe, expect, it } from 'vitest'
import { at, bound, entry, FakeHealth, group, HOUR, NOON, record, scene } from '../../tests/support/routing.ts'
import { Plans } from './plans.ts'
import { previewGroup, sessionCandidates } from './preview.ts'

const world = (health: FakeHealth) => ({ health, now: NOON, probesOn: true, facts: () => undefined })

describe('the preview of a group', () => {
  const models = [
    entry('off', 1, { disabled: true }), entry('night', 2, { windows: [{ from: 22, to: 6 }] }), entry('over', 3, { until: '2025-03-02' }),
    entry('failed', 4), entry('paid', 5, { ask: true }), entry('late', 6), entry('soon', 7), entry('rests', 8), entry('half', 9), entry('suspect', 10), entry('fine', 11, { effort: 'low' }),
  ]
  const health = new FakeHealth().bar('failed', 'failed', NOON + 20 * HOUR).put('late', 4, NOON + 2 * HOUR).put('soon', 4, NOON + HOUR)
    .put('rests', 3, NOON + 1000).put('half', 2).put('suspect', 1, NOON + 900_000)
  const verdicts = previewGroup(new Plans([group('g', models)]).group('g')!, world(health))

  it('lists every entry in the order in which it would be tried, then those that would not', () => {
    expect(verdicts.map(({ route }) => route.model)).toEqual(['fine', 'suspect', 'half', 'rests', 'soon', 'late', 'paid', 'off', 'night', 'over', 'failed'])
  })

  it('gives each its reason, and the end of that reason', () => {
    const told = Object.fromEntries(verdicts.map(({ route, routable, why, until, tier }) => [route.model, [routable, why, until === null ? null : until - NOON, tier]]))
    expect(told).toEqual({
      fine: [true, null, null, 0], suspect: [true, 'suspect', 900_000, 1], half: [true, 'open', null, 2], rests: [true, 'resting', 1000, 3],
      soon: [true, 'open', HOUR, 4], late: [true, 'open', 2 * HOUR, 4], paid: [false, 'ask', null, null], off: [false, 'disabled', null, null],
      night: [false, 'window', 10 * HOUR, null], over: [false, 'expired', null, null], failed: [false, 'failed', 20 * HOUR, null],
    })
  })

  it('carries effort, priority and the class behind a hold', () => {
    expect(verdicts[0]).toMatchObject({ route: { ...at('fine'), effort: 'low' }, priority: 11, class: null })
    expect(verdicts.at(-1)).toMatchObject({ class: 'quota', priority: 4 })
  })

  it('says which entries stand behind for lack of compression, and which the host does not know', () => {
    const plan = new Plans([group('g', [entry('q/a', 1), entry('b', 2), entry('gone', 3)])]).group('g')!
    const told = previewGroup(plan, { ...world(new FakeHealth()), uncompressed: ({ provider }) => provider === 'q', facts: ({ model }) => (model === 'gone' ? null : undefined) })
    expect(told.map(({ route, why, routable }) => [route.model, why, routable])).toEqual([['b', null, true], ['a', 'uncompressed', true], ['gone', 'unknown-model', false]])
  })

  it('skips a route whose trial is under way, until the permit is back', () => {
    const busy = new FakeHealth().put('a', 2, NOON + 90_000)
    busy.lease(at('a'))
    expect(previewGroup(new Plans([group('g', [entry('a')])]).group('g')!, world(busy))).toMatchObject([{ routable: false, why: 'trial', until: NOON + 90_000 }])
  })
})

describe('the candidates of a session', () => {
  const groups = [group('g', [entry('a', 1), entry('paid', 2, { ask: true }), entry('b', 1)]), group('h', [entry('b', 1), entry('c', 9), entry('a', 9)])]

  it('puts its own route first among equals', () => {
    const { verdicts } = sessionCandidates(scene({ groups, binding: bound('g') }), at('b'))
    expect(verdicts.map(({ route }) => route.model)).toEqual(['b', 'a', 'paid'])
  })

  it('names a refusal of this session', () => {
    const rejections = [{ ...at('a'), class: 'content_filter' as const, tokens: null, at: 0 }]
    const { verdicts } = sessionCandidates(scene({ groups, binding: bound('g'), record: record({ rejections }) }), at('b'))
    expect(verdicts.at(-1)).toMatchObject({ route: at('a'), why: 'rejected', class: 'content_filter' })
  })

  it('without a group tells a route of several groups once, at its best', () => {
    const { verdicts } = sessionCandidates(scene({ groups }), at('b'))
    expect(verdicts.map(({ route, priority }) => [route.model, priority])).toEqual([['a', 1], ['c', 9], ['paid', 2]])
    expect(sessionCandidates(scene({ groups }), null)).toEqual({ verdicts: [], offer: [] })
  })
})

describe('the offer to a session', () => {
  const groups = [group('g', [entry('a', 1), entry('b', 2), entry('paid', 3, { ask: true }), entry('dear', 4, { ask: true })])]
  const world = (more: Parameters<typeof scene>[0] = {}) => scene({ groups, binding: bound('g'), ...more })
  const offer = (here: ReturnType<typeof scene>, running: string | null, tried: readonly string[] = []): string[] =>
    sessionCandidates(here, running === null ? null : at(running), new Set(tried)).offer.map(({ model }) => model)
  const spent = () => new FakeHealth().bar('a').bar('b')

  it('is empty while the session can stay where it is', () => {
    expect(offer(world(), 'a')).toEqual([])
    expect(offer(world({ health: new FakeHealth().bar('b') }), 'a')).toEqual([])
    expect(offer(world({ health: spent() }), 'outside')).toEqual([])
    expect(offer(world({ health: spent().put('outside', 1) }), 'outside')).toEqual([])
  })

  it('is empty while another candidate would go on, be it as a last resort', () => {
    expect(offer(world({ health: new FakeHealth().bar('a') }), 'a')).toEqual([])
    expect(offer(world({ health: new FakeHealth().bar('a').put('b', 4, NOON + HOUR) }), 'a')).toEqual([])
    expect(offer(world({ health: new FakeHealth().bar('b') }), null)).toEqual([])
  })

  it('is empty while home would take the session back, also from outside of the group', () => {
    const away = record({ home: at('home'), override: { ...at('a'), kind: 'failure', class: 'quota', from: at('home'), at: 0, until: null } })
    expect(offer(world({ health: spent(), record: away }), 'a')).toEqual([])
    expect(offer(world({ health: spent().bar('home'), record: away }), 'a')).toEqual(['paid', 'dear'])
  })

  it('names the entries that alone are left, best first, without those that could not serve either', () => {
    expect(offer(world({ health: spent() }), 'a')).toEqual(['paid', 'dear'])
    expect(offer(world({ health: spent().bar('paid') }), 'a')).toEqual(['dear'])
    expect(offer(world({ health: spent() }), null)).toEqual(['paid', 'dear'])
    expect(offer(world({ health: spent().put('x', 4) }), 'x')).toEqual(['paid', 'dear'])
    expect(offer(world({ health: spent(), record: record({ rejections: [{ ...at('x'), class: 'content_filter', tokens: null, at: 0 }] }) }), 'x')).toEqual(['paid', 'dear'])
  })

  it('holds on to the failure that has just ended the turn, though health has forgotten it', () => {
    expect(offer(world({ health: new FakeHealth().bar('b') }), 'a', ['p/a'])).toEqual(['paid', 'dear'])
    expect(offer(world(), 'a', ['p/a'])).toEqual([])
    expect(offer(world(), 'a', ['p/a', 'p/b', 'p/paid'])).toEqual(['dear'])
  })

  it('is empty after consent, and for a session that nothing moves', () => {
    expect(offer(world({ health: spent(), record: record({ consents: [at('dear')] }) }), 'a')).toEqual([])
    expect(offer(world({ health: spent(), binding: bound('g', { pin: true }) }), 'a')).toEqual([])
  })

  it('asks anew for the entry the session was moved to once its consent is used up, not for one picked by hand', () => {
    const moved = record({ home: at('a'), override: { ...at('paid'), kind: 'failure', class: 'quota', from: at('a'), at: 0, until: null } })
    expect(offer(world({ health: spent(), record: moved }), 'paid')).toEqual(['paid', 'dear'])
    expect(offer(world({ health: spent(), record: record({ home: at('paid') }) }), 'paid')).toEqual([])
  })

  it('names an entry of several groups once', () => {
    const twice = [group('g', [entry('a', 1), entry('paid', 2, { ask: true })]), group('h', [entry('a', 1), entry('paid', 3, { ask: true })])]
    expect(offer(scene({ groups: twice, health: new FakeHealth().bar('a') }), 'a')).toEqual(['paid'])
  })
})
