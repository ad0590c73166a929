import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anySample, FIRST_DAY, sample } from '../../tests/support/samples.ts'
import type { Sample } from '../contract/metrics.ts'
import { beijingHour } from './beijing.ts'
import { headerLength, openSealed, readHeader, seal, SealedPart, type SealHeader } from './sealed.ts'
import { createSketch, quantile } from './sketch.ts'
import { FIGURE, MEASURES, readable, Tally, type Part } from './tally.ts'

const tallyOf = (samples: readonly Sample[]): Tally => {
  const tally = new Tally()
  for (const one of samples) tally.add(one)
  return tally
}

/** Everything a part says, in plain values. */
const told = (part: Part): unknown => ({
  hours: [...part.hours],
  rows: part.routes.map((route, model) => ({
    route, figures: [...part.figures(model)], error: part.lastError(model),
    sketches: MEASURES.map((_, measure) => {
      const sketch = createSketch()
      part.addSketch(model, measure, sketch)
      return { count: sketch.count, min: sketch.min, max: sketch.max, p50: quantile(sketch, 0.5), p90: quantile(sketch, 0.9) }
    }),
  })).sort((a, b) => (a.route < b.route ? -1 : 1)),
})

const sealed = (samples: readonly Sample[]): { header: SealHeader; bytes: Uint8Array; head: number } => {
  const hours = new Map<number, Tally>()
  for (const one of samples) {
    const hour = beijingHour(one.at)
    if (!hours.has(hour)) hours.set(hour, new Tally())
    hours.get(hour)!.add(one)
  }
  const bytes = seal('2025-03-03', 1234, tallyOf(samples), hours)
  const head = headerLength(bytes)!
  const header = readHeader(bytes.subarray(0, head))
  if ('kind' in header) throw new Error(JSON.stringify(header))
  return { header, bytes, head }
}
const open = ({ header, bytes, head }: ReturnType<typeof sealed>): SealedPart => {
  const part = openSealed(header, bytes.subarray(head))
  if (!(part instanceof SealedPart)) throw new Error(JSON.stringify(part))
  return part
}

it('says the same after sealing, for the day and for each hour', () => {
  fc.assert(fc.property(fc.array(anySample(1), { maxLength: 60 }), (samples) => {
    const file = sealed(samples)
    expect(told(open(file))).toEqual(told(tallyOf(samples)))
    expect(file.header).toMatchObject({ version: 1, day: '2025-03-03', covers: 1234, samples: samples.length })
    let at = file.head
    for (const { hour, bytes } of file.header.blocks) {
      if (hour !== null) {
        const header = { ...file.header, blocks: [{ hour, bytes }], check: 0 }
        const part = openSealed({ ...header, check: checkOf(file.bytes.slice(at, at + bytes)) }, file.bytes.subarray(at, at + bytes))
        expect(told(part as SealedPart)).toEqual(told(tallyOf(samples.filter((one) => beijingHour(one.at) === hour))))
      }
      at += bytes
    }
    expect(at).toBe(file.bytes.length)
  }))
})

/** The checksum of a block, by the same rule. */
function checkOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (const word of new Uint32Array(bytes.buffer)) hash = Math.imul(hash ^ word, 0x01000193)
  return hash >>> 0
}

it('adds parts up to what all their samples give, sealed or not', () => {
  fc.assert(fc.property(fc.array(anySample(1), { maxLength: 30 }), fc.array(anySample(1), { maxLength: 30 }), (a, b) => {
    const both = new Tally()
    both.addPart(open(sealed(a)))
    both.addPart(tallyOf(b))
    const whole = tallyOf([...a, ...b])
    expect(told(both)).toEqual(told(whole))
  }))
})

it('notices a damaged, cut or newer file instead of reading it', () => {
  const file = sealed([sample(), sample({ outcome: 'server', code: 'SERVER', message: 'down' })])
  const bent = file.bytes.slice(file.head)
  bent[20] = (bent[20] ?? 0) ^ 1
  expect(openSealed(file.header, bent)).toMatchObject({ kind: 'broken' })
  expect(openSealed(file.header, file.bytes.subarray(file.head, file.head + 16))).toMatchObject({ kind: 'broken' })
  const line = (value: unknown): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value)}\n`)
  expect(readHeader(line({ ...file.header, version: 2 }))).toEqual({ kind: 'newer', version: 2 })
  expect(readHeader(line({ version: 1 }))).toMatchObject({ kind: 'broken' })
  expect(readHeader(line(null))).toMatchObject({ kind: 'broken' })
  expect(readHeader(new TextEncoder().encode('{"vers'))).toMatchObject({ kind: 'broken' })
  expect(headerLength(new TextEncoder().encode('{"vers'))).toBeNull()
})

it('counts what the success rate is made of: no probe, no cancelled call, no queue timeout, but speed tests', () => {
  const tally = tallyOf([
    sample(), sample({ purpose: 'speedtest' }), sample({ outcome: 'server' }), sample({ outcome: 'cancelled' }),
    sample({ outcome: 'capacity', code: 'CAPACITY_TIMEOUT' }), sample({ outcome: 'capacity', code: 'RATE_LIMIT' }),
    sample({ purpose: 'probe', in: 20, out: 8 }), sample({ purpose: 'probe', outcome: 'server', in: null, out: null }),
  ])
  const figures = tally.figures(0)
  expect([figures[FIGURE.samples], figures[FIGURE.rated], figures[FIGURE.successes], figures[FIGURE.probes], figures[FIGURE.probeTokens]]).toEqual([6, 4, 2, 2, 28])
  expect([tally.hours[24], tally.hours[25]]).toEqual([6, 2])
})

it('keeps absent apart from zero', () => {
  const figures = tallyOf([sample({ in: null, out: null }), sample({ in: 0, out: null, cacheRead: 5 })]).figures(0)
  expect([figures[FIGURE.in], figures[FIGURE.inN], figures[FIGURE.outN], figures[FIGURE.cacheReadN], figures[FIGURE.cacheWriteN], figures[FIGURE.tokenSamples]]).toEqual([0, 1, 0, 1, 0, 1])
})

it('remembers the last error as a pair and drops a message that is no text', () => {
  const tally = tallyOf([
    sample({ at: FIRST_DAY + 5, outcome: 'server', code: 'A', message: 'first' }), sample({ at: FIRST_DAY + 9, outcome: 'quota', code: 'B', message: '[object Object]' }),
    sample({ at: FIRST_DAY + 7, outcome: 'server', code: 'C', message: 'late line' }), sample({ at: FIRST_DAY + 20, outcome: 'cancelled', code: 'D', message: 'x' }),
  ])
  expect(tally.lastError(0)).toEqual({ code: 'B', message: null })
  expect(readable('Error: [object Error]')).toBeNull()
  expect(readable(' 余额不足 ')).toBe('余额不足')
})
