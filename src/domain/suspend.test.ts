import { describe, expect, it } from 'vitest'
import { firstSense, inGrace, look, spansJump } from './suspend.ts'

const start = firstSense({ now: 1000, mono: 0 })

describe('sleep', () => {
  it('is what parts the clocks by more than 30 s, forward or back', () => {
    expect([30_000, -30_000].map((ms) => look(start, { now: 2000 + ms, mono: 1000 }).jumped)).toEqual([false, false])
    expect([30_001, -30_001].map((ms) => look(start, { now: 2000 + ms, mono: 1000 }).jumped)).toEqual([true, true])
    expect(look(start, { now: 3_601_000, mono: 3_600_000 }).jumped).toBe(false)
  })

  it('is forgiven for 15 s', () => {
    const { sense } = look(start, { now: 102_000, mono: 1000 })
    expect([1000, 15_999, 16_000].map((mono) => inGrace(sense, mono))).toEqual([true, true, false])
    expect(inGrace(start, 0)).toBe(false)
  })

  it('lies within a call by the clocks of the call, or by the jump that was noticed meanwhile', () => {
    const call = { startedAt: 1000, startedMono: 0, endedAt: 3000, endedMono: 2000 }
    expect(spansJump(call, start)).toBe(false)
    expect(spansJump({ ...call, endedAt: 33_001 }, start)).toBe(true)
    expect(spansJump({ ...call, endedAt: 33_000 }, start)).toBe(false)
    expect([0, 1, 2000, 2001].map((jumpedAt) => spansJump(call, { ...start, jumpedAt }))).toEqual([false, true, true, false])
  })
})
