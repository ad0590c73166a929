import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { duration, durationAt } from './durations.ts'

describe('duration', () => {
  it.each([
    ['6m0s', 360_000],
    ['12ms', 12],
    ['1h2m3.5s', 3_723_500],
    ['166h39m20s', 599_960_000],
    ['2 hours', 7_200_000],
    ['5 days 10 hours', 468_000_000],
    ['5 days, 10 hours and 12 minutes', 468_720_000],
    ['1 week', 604_800_000],
    ['30 秒', 30_000],
    ['3小时20分钟', 12_000_000],
    ['00:05:30', 330_000],
    ['~30s', 30_000],
    ['46.72s', 46_720],
    ['60', 60_000],
    ['1.5', 1500],
  ])('%s', (text, ms) => {
    expect(duration(text)).toBeCloseTo(ms, 3)
  })

  it.each(['', 'soon', '5 months', '12 smiles', '5m later', '-5s', 'NaN', '1e9s'])('refuses %j', (text) => {
    expect(duration(text)).toBeNull()
  })

  it('takes a plain number in the unit of its field', () => {
    expect(duration('250', 1)).toBe(250)
  })

  it('reads back any hours, minutes and seconds', () => {
    fc.assert(fc.property(fc.nat(99), fc.nat(59), fc.nat(59), (h, m, s) => {
      expect(duration(`${h}h${m}m${s}s`)).toBe(((h * 60 + m) * 60 + s) * 1000)
    }))
  })
})

describe('durationAt', () => {
  it('says where the duration ends, so that what follows can be read', () => {
    expect(durationAt('in 20s or later', 3)).toEqual({ ms: 20_000, end: 6 })
  })

  it('does not take a month for a minute', () => {
    expect(durationAt('3 months', 0)).toBeNull()
  })
})
