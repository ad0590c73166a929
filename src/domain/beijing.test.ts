import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDays, beijingDay, beijingHour, DAY_MS, dayNumber, dayText, HOUR_MS, nextHour, parseDay, startOfDay, usageDay, usageDayEnd, usageDayStart, wholeDays } from './beijing.ts'

const instant = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 11, 31) })
const resetHour = fc.integer({ min: 0, max: 23 })
const shanghai = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Shanghai', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23' })

function reference(at: number): { day: string; hour: number } {
  const part = Object.fromEntries(shanghai.formatToParts(at).map(({ type, value }) => [type, value]))
  return { day: `${part['year']}-${part['month']}-${part['day']}`, hour: Number(part['hour']) }
}

describe('Beijing time', () => {
  it('agrees with the time zone database for every instant of this century', () => {
    fc.assert(fc.property(instant, (at) => {
      expect({ day: beijingDay(at), hour: beijingHour(at) }).toEqual(reference(at))
    }), { numRuns: 2000 })
  })

  it('agrees with it at both sides of every midnight of a leap year and of a century year', () => {
    for (const year of [2000, 2024, 2100]) {
      for (let day = 0; day < 366; day++) {
        const midnight = Date.UTC(year, 0, 1) + day * DAY_MS - 8 * HOUR_MS
        for (const at of [midnight - 1, midnight]) expect({ day: beijingDay(at), hour: beijingHour(at) }).toEqual(reference(at))
      }
    }
  })

  it('reads what it writes, for every day number', () => {
    fc.assert(fc.property(fc.integer({ min: -700_000, max: 2_000_000 }), (day) => { expect(parseDay(dayText(day))).toBe(day) }))
  })

  it('refuses what is no real date', () => {
    for (const text of ['', '2025-02-29', '2025-13-01', '2025-00-10', '2025-04-31', '2025-4-1', '2025-04-01 ', '25-04-01', '2025/04/01', '2025-01-00', '2100-02-29']) {
      expect(parseDay(text), text).toBeNull()
      expect(addDays(text, 1), text).toBeNull()
    }
  })

  it('counts days over the ends of months and years', () => {
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29')
    expect(addDays('2025-12-31', 1)).toBe('2026-01-01')
    expect(addDays('2026-03-01', -1)).toBe('2026-02-28')
  })

  it('starts a day at its midnight', () => {
    fc.assert(fc.property(instant, (at) => {
      const start = startOfDay(at)
      expect(start).toBeLessThanOrEqual(at)
      expect(at - start).toBeLessThan(DAY_MS)
      expect(reference(start)).toEqual({ day: beijingDay(at), hour: 0 })
      expect(dayNumber(start - 1)).toBe(dayNumber(at) - 1)
    }))
  })

  it('ends an hour after it, on the hour', () => {
    fc.assert(fc.property(instant, (at) => {
      const next = nextHour(at)
      expect(next).toBeGreaterThan(at)
      expect(beijingHour(next)).toBe((beijingHour(at) + 1) % 24)
      expect(beijingHour(next - 1)).toBe(beijingHour(at))
    }))
  })

  it('cuts usage days at the reset hour, without gap or overlap', () => {
    fc.assert(fc.property(instant, resetHour, (at, hour) => {
      const start = usageDayStart(at, hour)
      const end = usageDayEnd(at, hour)
      expect(start).toBeLessThanOrEqual(at)
      expect(end).toBeGreaterThan(at)
      expect(end - start).toBe(DAY_MS)
      expect(reference(start)).toEqual({ day: usageDay(at, hour), hour })
      expect(usageDay(end - 1, hour)).toBe(usageDay(at, hour))
      expect(usageDay(end, hour)).not.toBe(usageDay(at, hour))
      expect(usageDayStart(end, hour)).toBe(end)
    }))
  })

  it('gives whole days, both ends included', () => {
    const range = wholeDays('2025-03-01', '2025-03-02')
    expect(beijingDay(range.from)).toBe('2025-03-01')
    expect(beijingDay(range.from - 1)).toBe('2025-02-28')
    expect(beijingDay(range.to - 1)).toBe('2025-03-02')
    expect(beijingDay(range.to)).toBe('2025-03-03')
    expect(wholeDays(null, 'nonsense')).toEqual({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY })
  })
})
