import fc from 'fast-check'
import { expect, it } from 'vitest'
import { visibleRange } from './Rows.tsx'

it('covers every row that the box shows, and few more', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 20, max: 120 }), fc.integer({ min: -2000, max: 60_000 }), fc.integer({ min: 0, max: 1200 }), (total, height, offset, box) => {
    const [first, last] = visibleRange(total, height, offset, box)
    expect(first).toBeGreaterThanOrEqual(0)
    expect(last).toBeLessThanOrEqual(total)
    expect(first).toBeLessThanOrEqual(last)
    for (let row = 0; row < total; row++) if ((row + 1) * height > offset && row * height < offset + box) expect(row >= first && row < last).toBe(true)
    expect(last - first).toBeLessThanOrEqual(Math.ceil(box / height) + 18)
  }))
})
