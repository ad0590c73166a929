import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sample } from '../../tests/support/samples.ts'
import { DAY_MS, HOUR_MS, startOfDayNumber } from './beijing.ts'
import { MOST_DAYS, seriesOf, type DayParts, type Point } from './summary.ts'
import { Tally } from './tally.ts'

const TODAY = 20_150
const day = (number: number, calls = 1, failures = 0): DayParts => {
  const tally = new Tally()
  for (let nth = 0; nth < calls; nth++) tally.add(sample({ at: startOfDayNumber(number) + (nth % 24) * HOUR_MS, outcome: nth < failures ? 'server' : 'ok' }))
  return { day: number, parts: [tally] }
}
const dayOf = (point: Point | undefined): number => ((point?.at ?? 0) - startOfDayNumber(0)) / DAY_MS
const span = (points: readonly Point[]): unknown => [dayOf(points[0]) - TODAY, dayOf(points.at(-1)) - TODAY, points.length]
const sum = (points: readonly { readonly calls: number; readonly failures: number }[]): unknown => [points.reduce((all, { calls }) => all + calls, 0), points.reduce((all, { failures }) => all + failures, 0)]

describe('the series', () => {
  it('has every day that was asked for, so that one busy day keeps its place among seven', () => {
    const { points, unit } = seriesOf([day(TODAY - 2, 5, 2)], TODAY - 6, TODAY, TODAY)
    expect([unit, points.map(({ calls }) => calls), points.map(({ failures }) => failures)]).toEqual(['day', [0, 0, 0, 0, 5, 0, 0], [0, 0, 0, 0, 2, 0, 0]])
  })

  it('begins with the first day that has samples where the range is open, and ends with today', () => {
    expect(span(seriesOf([day(TODAY - 9), day(TODAY - 3)], null, null, TODAY).points)).toEqual([-9, 0, 10])
    expect(span(seriesOf([day(TODAY - 9)], null, TODAY - 4, TODAY).points)).toEqual([-9, -4, 6])
    expect(span(seriesOf([], TODAY - 1, null, TODAY).points)).toEqual([-1, 0, 2])
    expect(span(seriesOf([day(TODAY)], TODAY - 1, TODAY + 90, TODAY).points)).toEqual([-1, 0, 2])
    expect(seriesOf([], null, TODAY, TODAY).points).toEqual([])
    expect(seriesOf([], TODAY + 1, TODAY + 3, TODAY).points).toEqual([])
  })

  it('has all hours of a single day, those to come too', () => {
    const { unit, points } = seriesOf([day(TODAY, 2)], TODAY, TODAY, TODAY)
    expect([unit, points.map(({ calls }) => calls)]).toEqual(['hour', [1, 1, ...Array.from({ length: 22 }, () => 0)]])
    expect(points.map(({ at }) => (at - startOfDayNumber(TODAY)) / HOUR_MS)).toEqual(Array.from({ length: 24 }, (_, hour) => hour))
  })

  it('tells the newest days of a range that is too long for a chart', () => {
    expect(span(seriesOf([day(TODAY - 3650), day(TODAY - 1)], null, null, TODAY).points)).toEqual([1 - MOST_DAYS, 0, MOST_DAYS])
    expect(span(seriesOf([], -719_162, 2_932_896, TODAY).points)).toEqual([1 - MOST_DAYS, 0, MOST_DAYS])
  })

  it('keeps a sample of a clock that ran ahead, unless it would push out the present', () => {
    expect(span(seriesOf([day(TODAY), day(TODAY + 2)], null, null, TODAY).points)).toEqual([0, 2, 3])
    expect(span(seriesOf([day(TODAY - 1), day(TODAY + 9999)], null, null, TODAY).points)).toEqual([-1, 0, 2])
  })

  it('is the sparse one with zeros in between: same sums, no gap, nothing twice', () => {
    const some = fc.uniqueArray(fc.record({ at: fc.integer({ min: -150, max: 30 }), calls: fc.integer({ min: 0, max: 30 }), failures: fc.integer({ min: 0, max: 30 }) }), { selector: ({ at }) => at, maxLength: 12 })
    const bound = fc.option(fc.integer({ min: -300, max: 60 }), { nil: null })
    fc.assert(fc.property(some, bound, bound, (spec, since, until) => {
      const within = spec.filter(({ at }) => (since === null || at >= since) && (until === null || at <= until)).toSorted((a, b) => a.at - b.at)
      const days = within.map(({ at, calls, failures }) => day(TODAY + at, calls, failures))
      const { unit, points } = seriesOf(days, since === null ? null : TODAY + since, until === null ? null : TODAY + until, TODAY)
      const told = within.map(({ calls, failures }) => ({ calls, failures: Math.min(calls, failures) }))
      expect(sum(points)).toEqual(sum(told))
      for (let nth = 1; nth < points.length; nth++) expect((points[nth]?.at ?? 0) - (points[nth - 1]?.at ?? 0)).toBe(unit === 'day' ? DAY_MS : HOUR_MS)
      expect(points.length).toBeLessThanOrEqual(MOST_DAYS)
    }))
  })
})
