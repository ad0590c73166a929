import { describe, expect, it } from 'vitest'
import type { Hold } from '../contract/health.ts'
import { addHold, endHolds, reclamped, standingHold } from './holds.ts'

const HOUR = 3_600_000
const hold = (until: number, more: Partial<Hold> = {}): Hold => ({ scope: 'route', provider: 'p', model: 'm', class: 'rate_limit', reason: null, setAt: 0, until, ...more })

describe('stated holds', () => {
  it('keeps the later end of two holds of a class, and holds of other classes beside it', () => {
    const one = addHold([], hold(50), 0)
    expect(addHold(one, hold(20), 10)).toBe(one)
    expect(addHold(one, hold(80), 10).map(({ until }) => until)).toEqual([80])
    expect(addHold(one, hold(20, { class: 'quota' }), 10).map(({ until }) => until)).toEqual([50, 20])
    expect(standingHold(addHold(one, hold(20, { class: 'quota' }), 10), 15)?.until).toBe(50)
  })

  it('drops what is over and reaches no further than 24 h', () => {
    expect(addHold([hold(5, { class: 'quota' })], hold(1000 * HOUR), 10)).toEqual([hold(24 * HOUR + 10)])
    expect(standingHold([hold(5)], 5)).toBeNull()
  })

  it('ends the holds of one class only', () => {
    const both = [hold(50, { class: 'auth' }), hold(60)]
    expect(endHolds(both, 'auth')).toEqual([hold(60)])
    expect(endHolds(both, 'local')).toBe(both)
  })

  it('leaves no more of a hold than its own length, wherever the clock is', () => {
    expect(reclamped(hold(HOUR), HOUR / 2)).toEqual(hold(HOUR))
    expect(reclamped(hold(HOUR), HOUR)).toBeNull()
    expect(reclamped(hold(HOUR), -9 * HOUR)).toEqual(hold(-8 * HOUR, { setAt: -9 * HOUR }))
    expect(reclamped(hold(90 * HOUR), 0)?.until).toBe(24 * HOUR)
    expect(reclamped(hold(-5), 0)).toBeNull()
    expect(reclamped(hold(Number.NaN), 0)).toBeNull()
  })
})
