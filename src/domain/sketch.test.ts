import fc from 'fast-check'
import { expect, it } from 'vitest'
import { add, addEncoded, clear, createSketch, encode, encoded, merge, quantile, type Sketch } from './sketch.ts'

const sketchOf = (values: readonly number[]): Sketch => {
  const sketch = createSketch()
  for (const value of values) add(sketch, value)
  return sketch
}
const exact = (values: readonly number[], q: number): number => [...values].sort((a, b) => a - b)[Math.max(1, Math.ceil(q * values.length)) - 1]!
const decode = (bytes: Uint8Array): Sketch => {
  const sketch = createSketch()
  expect(addEncoded(sketch, encoded(bytes), 0)).toBe(bytes.length)
  return sketch
}
/** The filled buckets, wherever the window lies. */
const shape = ({ bins, base, ...rest }: Sketch): unknown => ({ ...rest, bins: [...bins.entries()].filter(([, n]) => n > 0).map(([i, n]) => [i + base, n]) })

const value = fc.oneof(
  fc.double({ min: 1e-6, max: 1e12, noNaN: true }),
  fc.double({ min: 0.1, max: 60_000, noNaN: true }),
  fc.integer({ min: 0, max: 300_000 }),
  fc.constant(0),
)
const values = fc.array(value, { minLength: 1, maxLength: 300 })

it('estimates every quantile within one per cent', () => {
  fc.assert(fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (list, q) => {
    const truth = exact(list, q)
    expect(Math.abs(quantile(sketchOf(list), q)! - truth)).toBeLessThanOrEqual(0.01 * truth)
  }), { numRuns: 2000 })
})

it('is within one per cent at the very edges of its buckets', () => {
  const gamma = 1.0099 / 0.9901
  for (let k = -600; k < 1300; k++) {
    for (const edge of [gamma ** k, gamma ** k * (1 + 1e-12), gamma ** k * (1 - 1e-12)]) {
      if (edge < 1e-6) continue
      const sketch = sketchOf([1e-6, edge, 1e12])
      expect(Math.abs(quantile(sketch, 0.5)! - edge) / edge).toBeLessThanOrEqual(0.01)
    }
  }
})

it('merges parts into exactly the sketch of the whole', () => {
  fc.assert(fc.property(values, values, (a, b) => {
    const merged = sketchOf(a)
    merge(merged, sketchOf(b))
    const { sum, ...whole } = shape(sketchOf([...a, ...b])) as { sum: number }
    const { sum: mergedSum, ...parts } = shape(merged) as { sum: number }
    expect(parts).toEqual(whole)
    expect(mergedSum).toBeCloseTo(sum, -Math.floor(Math.log10(Math.max(1, sum))) + 9)
  }))
})

it('comes back from its bytes exactly, also when added to another one', () => {
  fc.assert(fc.property(values, values, (a, b) => {
    expect(shape(decode(encode(sketchOf(a))))).toEqual(shape(sketchOf(a)))
    const plain = sketchOf(b)
    merge(plain, sketchOf(a))
    const read = sketchOf(b)
    addEncoded(read, encoded(encode(sketchOf(a))), 0)
    expect(shape(read)).toEqual(shape(plain))
  }))
})

it('keeps counts beyond one byte, and an empty sketch in one', () => {
  const many = createSketch()
  for (let i = 0; i < 100_000; i++) add(many, 250)
  add(many, 1e9)
  expect(shape(decode(encode(many)))).toEqual(shape(many))
  expect(encode(createSketch())).toEqual(Uint8Array.of(0))
  expect(quantile(createSketch(), 0.5)).toBeNull()
})

it('stores a day of latencies in a few hundred bytes', () => {
  const sketch = createSketch()
  for (let i = 0; i < 20_000; i++) add(sketch, 200 * Math.exp(Math.sin(i) * 1.5))
  expect(encode(sketch).length).toBeLessThan(600)
})

it('takes negative values for zero and leaves out what is no number', () => {
  expect(shape(sketchOf([-5, Number.NaN, Number.POSITIVE_INFINITY, 3]))).toMatchObject({ count: 2, zeros: 1, sum: 3, min: 0, max: 3 })
})

it('says so when its bytes are cut off', () => {
  expect(() => addEncoded(createSketch(), encoded(Uint8Array.of(130)), 0)).toThrow(RangeError)
})

it('is like new after being cleared', () => {
  fc.assert(fc.property(values, values, (a, b) => {
    const used = sketchOf(a)
    clear(used)
    expect(quantile(used, 0.5)).toBeNull()
    merge(used, sketchOf(b))
    expect(shape(used)).toEqual(shape(sketchOf(b)))
  }))
})
