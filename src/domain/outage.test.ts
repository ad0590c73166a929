import { describe, expect, it } from 'vitest'
import { callSucceeded, NO_OUTAGE, outageProbeMs, transportFailed, type Evidence, type Outage } from './outage.ts'

const failure = (endpoint: string, at: number, moved = true): Evidence => ({ id: at, at, endpoint, moved, route: { provider: endpoint, model: 'm' }, markBefore: null, markAfter: null })
const play = (from: Outage, ...list: [string, number][]): Outage => list.reduce((outage, [endpoint, at]) => transportFailed(outage, failure(endpoint, at), at), from)

describe('local outage', () => {
  it('needs two endpoints within ten seconds', () => {
    expect(play(NO_OUTAGE, ['a', 0], ['a', 1], ['a', 2]).active).toBeNull()
    expect(play(NO_OUTAGE, ['a', 0], ['b', 10_001]).active).toBeNull()
    expect(play(NO_OUTAGE, ['a', 0], ['a', 5000], ['b', 10_000]).active?.evidence.map(({ id }) => id)).toEqual([0, 5000, 10_000])
  })

  it('ends by any success', () => {
    const down = play(NO_OUTAGE, ['a', 0], ['b', 1])
    expect(callSucceeded(down, { endpoint: 'a', startedAt: 60_000 })).toEqual(NO_OUTAGE)
    expect(callSucceeded(NO_OUTAGE, { endpoint: 'a', startedAt: 0 })).toBe(NO_OUTAGE)
  })

  it('does not let two dead endpoints shield each other for ever', () => {
    const alarm = callSucceeded(play(NO_OUTAGE, ['a', 0], ['b', 100]), { endpoint: 'c', startedAt: 200 })
    expect(play(alarm, ['a', 60_000], ['b', 60_100]).active).toBeNull()
    expect(play(alarm, ['a', 60_000], ['c', 60_100]).active).toBeNull()
    expect(play(alarm, ['c', 60_000], ['d', 60_100]).active).not.toBeNull()
    const served = callSucceeded(alarm, { endpoint: 'a', startedAt: 30_000 })
    expect(play(served, ['a', 60_000], ['c', 60_100]).active).not.toBeNull()
    expect(play(alarm, ['a', 4e6], ['b', 4e6 + 1]).active).not.toBeNull()
  })

  it('counts failures that moved nothing as evidence, without keeping them', () => {
    const idle = ['a', 'a', 'b'].reduce((outage, endpoint, at) => transportFailed(outage, failure(endpoint, at, false), at), NO_OUTAGE)
    expect(idle.active).toMatchObject({ evidence: [], endpoints: ['a', 'b'] })
  })

  it('keeps no more evidence than a storm needs', () => {
    const storm = Array.from({ length: 5000 }, (_, at): [string, number] => ['a', at])
    expect(play(NO_OUTAGE, ...storm).recent.length).toBeLessThanOrEqual(64)
  })

  it('asks at growing distances, from 5 s to 30 s', () => {
    expect([0, 1, 2, 3, 9].map(outageProbeMs)).toEqual([5000, 10_000, 20_000, 30_000, 30_000])
  })
})
