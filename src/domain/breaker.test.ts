import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { breakerState, breakerSucceeded, CLOSED, cooldownMs, refundBreaker, strike, trialFailed, weightOf, type Blow, type Breaker } from './breaker.ts'
import { opensProvider } from './breaker-provider.ts'

const RULE = { windowMs: 300_000, cooldownMs: 60_000 }
const blow = (id: number, more: Partial<Blow> = {}): Blow => ({ id, class: 'server', weight: 1, startedAt: 0, u: 0, ...more })
const opened = (at: number): Breaker => strike(CLOSED, blow(1, { weight: 3 }), RULE, at)

describe('breaker', () => {
  it('opens after exactly as many retried failures as the threshold says', () => {
    for (let threshold = 1; threshold <= 100; threshold++) {
      let breaker: Breaker = CLOSED
      for (let n = 1; n <= threshold; n++) {
        expect(breaker.at, `${threshold} after ${n - 1}`).toBe('closed')
        breaker = strike(breaker, blow(n, { weight: 3 / threshold }), RULE, n)
      }
      expect(breaker.at, `${threshold}`).toBe('open')
    }
  })

  it('keeps no strike that has left the window, so that its size does not grow with time', () => {
    let breaker: Breaker = CLOSED
    for (let n = 0; n < 1000; n++) breaker = strike(breaker, blow(n, { weight: 0.03 }), RULE, n * 10_000)
    expect(breaker.at === 'closed' && breaker.strikes.length).toBe(30)
    expect(weightOf(breaker, RULE.windowMs, 999 * 10_000 + 300_000)).toBe(0)
  })

  it('rests at least as configured and at most a tenth over the cap', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1000, max: 86_400_000 }), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (opens, cooldown, u) => {
      const rest = cooldownMs(opens, cooldown, u)
      expect(rest).toBeGreaterThanOrEqual(cooldown)
      expect(rest).toBeLessThanOrEqual(1.1 * Math.max(900_000, cooldown))
    }))
  })

  it('takes a late failure of a call that began after the rest as a failed trial', () => {
    expect(strike(opened(0), blow(2, { startedAt: 59_999 }), RULE, 160_000)).toEqual(opened(0))
    expect(strike(opened(0), blow(2, { startedAt: 60_000 }), RULE, 160_000)).toMatchObject({ at: 'open', opens: 2, until: 280_000 })
  })

  it('never brings an end forward when an early trial fails', () => {
    const long: Breaker = { at: 'open', since: 0, until: 900_000, opens: 1, cause: 'server', by: 1, before: null }
    expect(trialFailed(long, blow(2), RULE, 10)).toMatchObject({ until: 900_000, opens: 2 })
  })

  it('learns nothing from a failure without weight', () => {
    expect(strike(CLOSED, blow(1, { weight: 0 }), RULE, 1)).toBe(CLOSED)
    const open = opened(0)
    expect(trialFailed(open, blow(2, { weight: 0 }), RULE, 70_000)).toBe(open)
  })

  it('forgets its openings by a live success, even a later one', () => {
    const byProbe = breakerSucceeded(opened(0), { startedAt: 60_000, live: false, holder: true }, 60_100)
    expect(byProbe).toEqual({ at: 'closed', since: 60_100, strikes: [], opens: 1 })
    expect(breakerSucceeded(byProbe, { startedAt: 60_000, live: true, holder: false }, 60_200)).toBe(byProbe)
    expect(breakerSucceeded(byProbe, { startedAt: 60_100, live: true, holder: false }, 60_200)).toMatchObject({ opens: 0 })
    expect(breakerSucceeded(opened(0), { startedAt: 60_000, live: true, holder: true }, 60_100)).toMatchObject({ at: 'closed', opens: 0 })
  })

  it('is not closed by a probe that holds no permit', () => {
    const open = opened(0)
    expect(breakerSucceeded(open, { startedAt: 10, live: false, holder: false }, 20)).toBe(open)
  })

  it('is as it was when the failure that opened it is taken back', () => {
    const two = [1, 2].reduce<Breaker>((breaker, id) => strike(breaker, blow(id), RULE, id), CLOSED)
    const open = strike(two, blow(3), RULE, 3)
    expect(open.at).toBe('open')
    expect(refundBreaker(open, new Set([3]))).toMatchObject({ at: 'closed', strikes: [{ id: 1 }, { id: 2 }], opens: 0 })
    expect(refundBreaker(open, new Set([1, 3]))).toMatchObject({ strikes: [{ id: 2 }] })
    expect(refundBreaker(open, new Set([1]))).toBe(open)
    const again = trialFailed(open, blow(4), RULE, 60_003)
    expect(refundBreaker(again, new Set([4]))).toMatchObject({ at: 'open', opens: 1, until: 60_003 })
  })

  it('reads open until the instant and half-open from it on', () => {
    expect([59_999, 60_000, 1e9].map((now) => breakerState(opened(0), now))).toEqual(['open', 'half-open', 'half-open'])
  })
})

describe('breaker of a provider', () => {
  it('opens by enough open models, one of which exists', () => {
    expect(opensProvider(['server'], 2)).toBe(false)
    expect(opensProvider(['server', 'timeout'], 2)).toBe(true)
    expect(opensProvider(['model_not_found', 'model_not_found', 'model_not_found'], 2)).toBe(false)
    expect(opensProvider(['model_not_found', 'server'], 2)).toBe(true)
  })
})
