// Samples of any kind for property tests, and the figures of the dashboard recomputed the slow and obvious way.
import fc from 'fast-check'
import type { Sample } from '../../src/contract/metrics.ts'
import { DAY_MS } from '../../src/domain/beijing.ts'

/** Beijing midnight that begins 2025-03-03. */
export const FIRST_DAY = Date.UTC(2025, 2, 2, 16)

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null, freq: 4 })
const tokens = maybe(fc.integer({ min: 0, max: 200_000 }))
const ms = fc.integer({ min: 0, max: 600_000 }).map((tenths) => tenths / 10)

/** A sample within `days` days from {@link FIRST_DAY}, often on one of few models. */
export const anySample = (days = 4): fc.Arbitrary<Sample> => fc.record({
  at: fc.integer({ min: FIRST_DAY, max: FIRST_DAY + days * DAY_MS - 1 }),
  provider: fc.constantFrom('p', 'q/r'),
  model: fc.constantFrom('m', 'n', 'vendor/o'),
  endpoint: fc.constantFrom('', 'e1'),
  outcome: fc.constantFrom<Sample['outcome']>('ok', 'ok', 'ok', 'server', 'cancelled', 'capacity', 'quota'),
  code: maybe(fc.constantFrom('SERVER', 'CAPACITY_TIMEOUT', 'QUOTA')),
  message: maybe(fc.constantFrom('down', '[object Object]', '', '余额不足')),
  wait: fc.oneof(fc.constant(0), ms),
  ttft: maybe(ms),
  speed: maybe(fc.double({ min: 0.01, max: 500, noNaN: true })),
  in: tokens, out: tokens, cacheRead: tokens, cacheWrite: tokens,
  purpose: fc.constantFrom<Sample['purpose']>('chat', 'chat', 'title', 'speedtest', 'probe'),
})

export function sample(fields: Partial<Sample> = {}): Sample {
  return {
    at: FIRST_DAY + 43_200_000, provider: 'p', model: 'm', endpoint: '', outcome: 'ok', code: null, message: null, wait: 0,
    ttft: 800, speed: 40, in: 1000, out: 200, cacheRead: null, cacheWrite: null, purpose: 'chat', ...fields,
  }
}
