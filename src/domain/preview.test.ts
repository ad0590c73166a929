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

  it('puts its own route first among equals and offers what consent would admit', () => {
    const { verdicts, offer } = sessionCandidates(scene({ groups, binding: bound('g') }), at('b'))
    expect(verdicts.map(({ route }) => route.model)).toEqual(['b', 'a', 'paid'])
    expect(offer).toEqual([at('paid')])
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
