import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Window } from '../contract/route.ts'
import { DAY_MS, HOUR_MS, beijingHour, dayText, dayNumber, startOfDay } from './beijing.ts'
import { ALL_HOURS, clockOf, clockState, hoursOf, isExpired, isOpen, nextClockChange } from './window.ts'

/** An instant of 2025-03-03, Beijing time. */
const beijing = (hour: number, minute = 0, second = 0): number => Date.UTC(2025, 2, 3, hour - 8, minute, second)

describe('hours of an entry', () => {
  it('includes both ends: 9–17 opens at 09:00:00 and is still open at 17:59:59', () => {
    const windows = [{ from: 9, to: 17 }]
    expect([beijing(8, 59, 59), beijing(9), beijing(17, 59, 59), beijing(18)].map((instant) => isOpen(windows, instant))).toEqual([false, true, true, false])
  })

  it('crosses midnight: 22–6 is open from 22:00 to 06:59', () => {
    const open = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => isOpen([{ from: 22, to: 6 }], beijing(hour)))
    expect(open).toEqual([0, 1, 2, 3, 4, 5, 6, 22, 23])
  })

  it('joins several windows', () => {
    const open = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => isOpen([{ from: 1, to: 2 }, { from: 5, to: 5 }], beijing(hour)))
    expect(open).toEqual([1, 2, 5])
  })

  it('reads a missing, null or empty list as the whole day', () => {
    for (const none of [undefined, null, []]) expect(hoursOf(none)).toBe(ALL_HOURS)
  })

  it('uses Beijing hours whatever the zone of the machine', () => {
    expect(isOpen([{ from: 0, to: 0 }], Date.UTC(2025, 6, 1, 16, 30))).toBe(true)
    expect(isOpen([{ from: 0, to: 0 }], Date.UTC(2025, 6, 1, 0, 30))).toBe(false)
  })
})

describe('the last day of an entry', () => {
  it('is still valid in its last second and over in the next', () => {
    expect(isExpired('2025-03-03', beijing(23, 59, 59))).toBe(false)
    expect(isExpired('2025-03-03', beijing(24))).toBe(true)
  })

  it('never ends without one', () => {
    expect([undefined, null, ''].map((until) => isExpired(until, beijing(12)))).toEqual([false, false, false])
  })
})

describe('the state and its end', () => {
  it('names the next opening', () => {
    expect(clockState(clockOf({ windows: [{ from: 22, to: 6 }] }), beijing(12, 30))).toEqual({ state: 'window', until: beijing(22) })
  })

  it('names no opening that lies after the last day', () => {
    expect(clockState(clockOf({ windows: [{ from: 1, to: 2 }], until: '2025-03-03' }), beijing(12))).toEqual({ state: 'window', until: null })
  })

  it('never changes once expired, nor without hours and last day', () => {
    expect(nextClockChange(clockOf({ until: '2025-03-02', windows: [{ from: 1, to: 2 }] }), beijing(12))).toBe(Infinity)
    expect(nextClockChange(clockOf({}), beijing(12))).toBe(Infinity)
  })

  const windows = fc.array(fc.record({ from: fc.integer({ min: 0, max: 23 }), to: fc.integer({ min: 0, max: 23 }) }), { maxLength: 4 })
  const instant = fc.integer({ min: beijing(0) - 3 * DAY_MS, max: beijing(0) + 3 * DAY_MS })

  it('law: agrees with the plain reading of a window', () => {
    const covers = ({ from, to }: Window, hour: number): boolean => (from <= to ? hour >= from && hour <= to : hour >= from || hour <= to)
    fc.assert(fc.property(windows, instant, (list, now) => {
      expect(isOpen(list, now)).toBe(list.length === 0 || list.some((window) => covers(window, beijingHour(now))))
    }))
  })

  it('law: changes exactly at the instant it names, and not before', () => {
    fc.assert(fc.property(windows, fc.option(fc.integer({ min: -2, max: 4 })), instant, (list, days, now) => {
      const clock = clockOf({ windows: list, ...(days === null ? {} : { until: dayText(dayNumber(beijing(0)) + days) }) })
      const change = nextClockChange(clock, now)
      const state = clockState(clock, now)
      const last = Math.min(change - 1, now + 3 * DAY_MS)
      for (let t = now; t <= last; t += 17 * HOUR_MS / 16) expect(clockState(clock, t)).toEqual(state)
      expect(clockState(clock, last)).toEqual(state)
      if (change < Infinity) expect(clockState(clock, change).state).not.toBe(state.state)
      expect(change).toBeGreaterThan(now)
      expect(startOfDay(now)).toBeLessThanOrEqual(now)
    }))
  })
})
