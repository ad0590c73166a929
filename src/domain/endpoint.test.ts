import { describe, expect, it } from 'vitest'
import { endpointFailed, endpointProbed, endpointProbeFailed, endpointServed, endpointState, firstProbeMs, HEALTHY, refundEndpoint, SUSPECT_MS, UNPROBED_MS, type Endpoint, type StructuralBlow } from './endpoint.ts'

const RULE = { suspect: 2, quarantine: 4 }
const blow = (id: number, more: Partial<StructuralBlow> = {}): StructuralBlow => ({ id, count: 1, class: 'transport', reason: null, model: 'm', startedAt: id, u: 0, ...more })
const after = (count: number, rule = RULE): Endpoint => Array.from({ length: count }, (_, n) => n + 1).reduce<Endpoint>((state, id) => endpointFailed(state, blow(id), rule, id), HEALTHY)

describe('endpoint health', () => {
  it('is suspect by two failures in ten minutes and quarantined by four', () => {
    expect([0, 1, 2, 3, 4].map((count) => endpointState(after(count), 5))).toEqual(['healthy', 'healthy', 'suspect', 'suspect', 'quarantined'])
    const spread = endpointFailed(endpointFailed(HEALTHY, blow(1), RULE, 1), blow(2), RULE, 600_001)
    expect(endpointState(spread, 600_001)).toBe('healthy')
    expect(endpointState(endpointFailed(after(1), blow(2), RULE, 600_000), 600_000)).toBe('suspect')
  })

  it('follows the configured thresholds, also where both are 1', () => {
    expect(endpointState(after(1, { suspect: 1, quarantine: 1 }), 2)).toBe('quarantined')
    expect(endpointState(after(5, { suspect: 5, quarantine: 6 }), 9)).toBe('suspect')
  })

  it('is quarantined by four failures in ten minutes also where successes lie between them', () => {
    const rule = { suspect: 4, quarantine: 4 }
    const mixed = [1, 2, 3].reduce<Endpoint>((state, id) => endpointServed(endpointFailed(state, blow(id), rule, id), id, id), HEALTHY)
    expect(mixed).toMatchObject({ at: 'healthy', run: 0 })
    expect(endpointState(endpointFailed(mixed, blow(4), rule, 4), 4)).toBe('quarantined')
  })

  it('ends a suspicion 15 quiet minutes after the last structural failure, but goes on counting', () => {
    const twice = after(2)
    expect(endpointState(twice, 2 + SUSPECT_MS - 1)).toBe('suspect')
    expect(endpointState(twice, 2 + SUSPECT_MS)).toBe('healthy')
    const third = endpointFailed(twice, blow(3, { startedAt: 3e6 }), RULE, 3e6)
    expect(endpointState(third, 3e6)).toBe('healthy')
    expect(endpointState(endpointFailed(third, blow(4, { startedAt: 6e6 }), RULE, 6e6), 6e6)).toBe('quarantined')
  })

  it('hears no call that began before its state', () => {
    const suspect = after(2)
    expect(endpointFailed(suspect, blow(9, { startedAt: 1 }), RULE, 9)).toBe(suspect)
    expect(endpointServed(suspect, 1, 9)).toBe(suspect)
    expect(endpointServed(suspect, 2, 9)).toMatchObject({ at: 'healthy', since: 9, run: 0 })
    expect(endpointProbed(after(4), 3, 9)).toEqual(after(4))
  })

  it('leaves quarantine by evidence, or reads as suspect after six hours without any', () => {
    const ill = after(4)
    expect(endpointState(ill, 4 + UNPROBED_MS - 1)).toBe('quarantined')
    expect(endpointState(ill, 4 + UNPROBED_MS)).toBe('suspect')
    const vague = endpointProbeFailed(ill, false, 1e6)
    expect(endpointState(vague, 4 + UNPROBED_MS)).toBe('suspect')
    const judged = endpointProbeFailed(ill, true, 1e6)
    expect(endpointState(judged, 1e6 + UNPROBED_MS - 1)).toBe('quarantined')
    expect(judged).toMatchObject({ probes: 1, lastConclusive: 1e6 })
    const probed = endpointProbed(ill, 5, 1e6)
    expect(probed).toMatchObject({ at: 'suspect', since: 1e6, recent: [], run: 0 })
    expect(endpointState(probed, 1e6 + SUSPECT_MS - 1)).toBe('suspect')
    expect(endpointState(probed, 1e6 + SUSPECT_MS)).toBe('healthy')
  })

  it('breaks the run by any success, but keeps what is in the window', () => {
    const served = endpointServed(after(1), 1, 2)
    expect(served).toMatchObject({ at: 'healthy', run: 0, recent: [{ id: 1 }] })
    expect(endpointState(endpointFailed(served, blow(3), RULE, 3), 3)).toBe('suspect')
    expect(endpointProbed(after(1), 1, 2)).toMatchObject({ run: 0 })
  })

  it('names the model that failed last', () => {
    const state = endpointFailed(after(4), blow(7, { model: 'other', class: 'model_not_found' }), RULE, 7)
    expect(state).toMatchObject({ at: 'quarantined', model: 'other', class: 'model_not_found', lastConclusive: 7 })
  })

  it('waits 15 to 45 s for its first probe', () => {
    expect([0, 0.5, 1].map(firstProbeMs)).toEqual([15_000, 30_000, 45_000])
  })

  it('is as it was when failures are taken back, through any number of states', () => {
    expect(refundEndpoint(after(4), new Set([1, 2, 3, 4]))).toMatchObject({ at: 'healthy', recent: [], run: 0 })
    expect(refundEndpoint(after(4), new Set([4]))).toMatchObject({ at: 'suspect', run: 3 })
    expect(refundEndpoint(after(3), new Set([3]))).toMatchObject({ at: 'suspect', run: 2 })
    expect(refundEndpoint(after(2), new Set([2]))).toMatchObject({ at: 'healthy', recent: [{ id: 1 }], run: 1 })
    expect(refundEndpoint(after(2), new Set([9]))).toEqual(after(2))
  })
})
