import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from './beijing.ts'
import { badProbe, broughtBack, clearedBySuccess, dayOf, evidenceFrom, goodProbe, markByHand, markFailure, probesMayClear, standingMark } from './ledger.ts'

const NOON = Date.UTC(2025, 2, 3, 4)
const today = dayOf(NOON, 8)
const route = { provider: 'p', model: 'm' }
const failure = { route, class: 'server' as const, code: 'SERVER', reason: 'down' }
const mark = markFailure(null, failure, today, { now: NOON, mono: 100 })

describe('day ledger', () => {
  it('lets a mark stand for its usage day only', () => {
    expect([today.from, today.to].map((at) => (at - NOON) / HOUR_MS)).toEqual([-4, 20])
    expect([today.from - 1, today.from, today.to - 1, today.to].map((now) => standingMark(mark, now) !== null)).toEqual([false, true, true, false])
    expect(standingMark(null, NOON)).toBeNull()
  })

  it('counts failures of the day and starts anew the next', () => {
    const again = markFailure(mark, failure, today, { now: NOON + 1, mono: 101 })
    expect(again).toMatchObject({ mark: { count: 2, at: NOON + 1 }, sinceMono: 101, goodMono: null })
    expect(markFailure(again, failure, dayOf(NOON + DAY_MS, 8), { now: NOON + DAY_MS, mono: 200 }).mark.count).toBe(1)
  })

  it('keeps texts within what the document holds', () => {
    const long = markFailure(null, { ...failure, code: 'c'.repeat(300), reason: 'r'.repeat(9000) }, today, { now: NOON, mono: 0 })
    expect([long.mark.code?.length, long.mark.reason?.length]).toEqual([200, 2000])
    expect(markFailure(null, { ...failure, code: null, reason: null }, today, { now: NOON, mono: 0 }).mark).toMatchObject({ code: null, reason: null })
  })

  it('keeps a mark set by hand from success, from probes and from failures', () => {
    const manual = markByHand(route, today, { now: NOON, mono: 100 })
    expect(clearedBySuccess(manual, 999)).toBe(false)
    expect(goodProbe(goodProbe(manual, 0, 200)!, 0, 300)).toBe(manual)
    expect(markFailure(manual, failure, today, { now: NOON + 1, mono: 101 }).mark).toMatchObject({ manual: true, code: 'MANUAL', class: null, count: 2 })
    expect(probesMayClear(manual.mark)).toBe(false)
  })

  it('is cleared by a success that did not begin before the failure', () => {
    expect([99, 100, 101].map((at) => clearedBySuccess(mark, at))).toEqual([false, true, true])
  })

  it('is cleared by the second of two good probes that are far enough apart, with no bad one between', () => {
    const once = goodProbe(mark, 60, 200)!
    expect(goodProbe(once, 60, 259)).toBe(once)
    expect(goodProbe(once, 60, 260)).toBeNull()
    expect(badProbe(once)).toEqual(mark)
    expect(badProbe(mark)).toBe(mark)
    expect([evidenceFrom(mark, 60), evidenceFrom(once, 60)]).toEqual([160, 260])
  })

  it('belongs to today when the clock is set back to before its day, so that it does not return tomorrow', () => {
    const yesterday = NOON - DAY_MS
    const back = broughtBack(mark, yesterday, dayOf(yesterday, 8))
    expect(standingMark(back, yesterday)?.mark.at).toBe(yesterday)
    expect(standingMark(back, NOON)).toBeNull()
    expect(broughtBack(mark, NOON + 1, today)).toBe(mark)
  })
})
