import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { NONE, clockTime, count, day, hour, latency, percent, span, speed } from './format.ts'
import { language } from './text.ts'

beforeEach(() => { language.value = 'en' })

describe('span', () => {
  it('names the two largest units', () => {
    expect(span(0)).toBe('0 s')
    expect(span(999)).toBe('1 s')
    expect(span(61_000)).toBe('1 min 1 s')
    expect(span(2 * 3_600_000 + 5 * 60_000 + 9000)).toBe('2 h 5 min')
    expect(span(26 * 3_600_000)).toBe('1 d 2 h')
  })
  it('never counts below zero', () => expect(span(-5000)).toBe('0 s'))
  it('speaks the language in force', () => {
    language.value = 'zh'
    expect(span(61_000)).toBe('1 分 1 秒')
  })
})

describe('days and clocks', () => {
  const midnight = Date.UTC(2026, 10, 29, 16) // 2026-11-30 00:00 Beijing
  it('are those of Beijing', () => {
    expect(day(midnight - 1)).toBe('2026-11-29')
    expect(day(midnight)).toBe('2026-11-30')
    expect(hour(midnight + 9 * 3_600_000)).toBe('09:00')
  })
  it('leave the date out on the same day only', () => {
    expect(clockTime(midnight + 60_000, midnight)).toBe('00:01')
    expect(clockTime(midnight - 60_000, midnight)).toBe('11-29 23:59')
  })
})

describe('numbers', () => {
  it('show a dash for what is not known, never a zero', () => {
    for (const show of [latency, speed, count, percent]) expect(show(null)).toBe(NONE)
    expect(count(0)).toBe('0')
  })
  it('fit a count into few signs', () => {
    expect([940, 12_345, 128_000, 999_499, 999_600, 4_520_000, 2e9].map(count)).toEqual(['940', '12.3K', '128K', '999K', '1M', '4.5M', '2G'])
    fc.assert(fc.property(fc.nat({ max: 9e11 }), (n) => { expect(count(n).length).toBeLessThanOrEqual(5) }))
  })
  it('never round a share up to all', () => {
    expect(percent(1)).toBe('100%')
    expect(percent(0.9999)).toBe('99.9%')
    expect(percent(0.536)).toBe('53.6%')
  })
  it('change the unit of a latency at a second', () => expect([999, 1234, 12_340].map(latency)).toEqual(['999 ms', '1.23 s', '12.3 s']))
  it('keep one decimal of a slow speed', () => expect([45.25, 1878.2].map(speed)).toEqual(['45.3', '1878']))
})
