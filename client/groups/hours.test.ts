import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hoursText, isDay, parseHours, priorityOf } from './hours.ts'

const window = fc.record({ from: fc.nat({ max: 23 }), to: fc.nat({ max: 23 }) })

describe('hours', () => {
  it('read back what they write', () => {
    fc.assert(fc.property(fc.array(window, { maxLength: 48 }), (windows) => { expect(parseHours(hoursText(windows))).toEqual(windows) }))
  })
  it('take the dashes and separators that people type', () => {
    expect(parseHours(' 22-6，9 ~ 12；13–18、0至1, ')).toEqual([{ from: 22, to: 6 }, { from: 9, to: 12 }, { from: 13, to: 18 }, { from: 0, to: 1 }])
    expect(parseHours('２２－６，9:00-17:00；12～14')).toEqual([{ from: 22, to: 6 }, { from: 9, to: 17 }, { from: 12, to: 14 }])
    expect(parseHours('')).toEqual([])
  })
  it.each(['24-6', '9', '9-', '-9', '9-18-20', 'a-b', '9.5-10', '9-18 20-22', '9:30-17:00'])('refuse %s', (text) => expect(parseHours(text)).toBeNull())
  it('refuse more than 48', () => expect(parseHours(Array.from({ length: 49 }, () => '1-2').join(','))).toBeNull())
})

it('knows real days only', () => {
  expect(['2026-02-28', '2028-02-29', '2026-12-31'].every(isDay)).toBe(true)
  expect(['2026-02-29', '2026-13-01', '2026-1-1', 'x', '', '2026-02-28T00'].some(isDay)).toBe(false)
})

it('takes whole priorities from 1 to 999', () => {
  expect(['1', '42', '999'].map(priorityOf)).toEqual([1, 42, 999])
  expect(['0', '1000', '-1', '1.5', '', '01', 'x'].map(priorityOf)).toEqual([null, null, null, null, null, null, null])
})
