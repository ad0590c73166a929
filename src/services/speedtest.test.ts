import { expect, it } from 'vitest'
import { ManualTime, settle } from '../../tests/support/manual-time.ts'
import { sample } from '../../tests/support/samples.ts'
import type { Sample, SpeedtestInput } from '../contract/metrics.ts'
import type { CallOptions, Chunk, Stream } from '../ports.ts'
import { createSpeedtest, SPEEDTEST_TOKENS, type Speedtest } from './speedtest.ts'

const stop: Chunk = { type: 'finish', reason: { kind: 'stop' } }
interface Bench { time: ManualTime; speedtest: Speedtest; calls: CallOptions[]; running: number; most: number }

/** `answer` plays the upstream and the recorder; by default a good answer. */
function bench(answer: (options: CallOptions, book: (fields?: Partial<Sample>) => void) => Stream = (_, book) => good(book)): Bench {
  const time = new ManualTime()
  const self: Bench = {
    time, calls: [], running: 0, most: 0,
    speedtest: createSpeedtest({
      time,
      groups: () => [{ id: 'g', rev: 1, name: 'G', enabled: true, models: [{ provider: 'p', model: 'b', priority: 2 }, { provider: 'p', model: 'a', priority: 1 }, { provider: 'p', model: 'off', priority: 3, disabled: true }] }],
      open: (options) => {
        self.calls.push(options)
        return counted(self, answer(options, (fields = {}) => self.speedtest.recorded(sample({ provider: options.provider, model: options.model, purpose: 'speedtest', ...fields }))))
      },
    }),
  }
  return self
}
async function* good(book: () => void): AsyncGenerator<Chunk> { yield { type: 'text-delta', index: 0, text: 'one' }; book(); yield stop }
async function* counted(self: Bench, stream: Stream): AsyncGenerator<Chunk> {
  self.most = Math.max(self.most, ++self.running)
  try { yield* stream } finally { self.running-- }
}
const hangs = (): Stream => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<Chunk>>(() => {}) }) })
const input = (fields: Partial<SpeedtestInput>): SpeedtestInput => ({ timeoutMs: 45_000, parallel: 2, ...fields })
const routes = (...models: string[]): { provider: string; model: string }[] => models.map((model) => ({ provider: 'p', model }))

it('tests each model once with a tiny request and tells what was measured', async () => {
  const b = bench()
  expect(b.speedtest.snapshot()).toEqual({ running: false, startedAt: null, finishedAt: null, total: 0, done: 0, targets: [], results: [] })
  expect(b.speedtest.start(input({ models: routes('a', 'b', 'a') }))).toMatchObject({ running: true, total: 2, done: 0, targets: routes('a', 'b') })
  await settle()
  expect(b.speedtest.snapshot()).toMatchObject({ running: false, total: 2, done: 2, finishedAt: b.time.now() })
  expect(b.speedtest.snapshot().results[0]).toEqual({ provider: 'p', model: 'a', ok: true, ttftMs: 800, tps: 40, inTokens: 1000, outTokens: 200, errorCode: null })
  expect(b.calls[0]).toMatchObject({ provider: 'p', model: 'a', maxTokens: SPEEDTEST_TOKENS, messages: [{ role: 'user' }] })
})

it('leaves disabled entries of a group out, but tests them when they are named', async () => {
  const b = bench()
  expect(b.speedtest.start(input({ groupId: 'g' })).targets).toEqual(routes('a', 'b'))
  await settle()
  expect(b.speedtest.start(input({ models: routes('off') })).targets).toEqual(routes('off'))
  await settle()
  expect(() => b.speedtest.start(input({ groupId: 'x' }))).toThrow('there is no group "x"')
})

it('runs one test at a time and as many calls as asked for', async () => {
  const b = bench(hangs)
  b.speedtest.start(input({ models: routes('a', 'b', 'c', 'd'), parallel: 3 }))
  await settle()
  expect(b.running).toBe(3)
  expect(() => b.speedtest.start(input({ models: routes('a') }))).toThrow('a speed test is running')
  await b.speedtest.dispose()
})

it('ends a call that takes too long and goes on', async () => {
  const b = bench((options, book) => (options.model === 'a' ? hangs() : good(book)))
  b.speedtest.start(input({ models: routes('a', 'b'), parallel: 1, timeoutMs: 5000 }))
  await settle()
  expect(b.calls[0]?.signal?.aborted).toBe(false)
  b.time.advance(5000)
  await settle()
  expect(b.calls[0]?.signal?.reason).toMatchObject({ name: 'TimeoutError' })
  expect(b.speedtest.snapshot()).toMatchObject({ running: false, results: [{ model: 'a', ok: false, errorCode: 'TIMEOUT' }, { model: 'b', ok: true }] })
})

it('tells the code of a failure, whether it came as a frame or as a throw', async () => {
  const b = bench(async function* (options, book): AsyncGenerator<Chunk> {
    if (options.model === 'throws') throw Object.assign(new Error('x'), { code: 'NO_ADAPTER' })
    book({ outcome: 'quota', code: 'QUOTA', ttft: null, speed: null })
    yield { type: 'finish', reason: { kind: 'error', failure: { code: 'QUOTA', message: 'x' } } }
  })
  b.speedtest.start(input({ models: routes('fails', 'throws') }))
  await settle()
  expect(Object.fromEntries(b.speedtest.snapshot().results.map(({ model, ok, errorCode }) => [model, ok || errorCode]))).toEqual({ fails: 'QUOTA', throws: 'NO_ADAPTER' })
})

it('ends at once when it is cancelled, and when the plugin goes', async () => {
  const b = bench(hangs)
  b.speedtest.start(input({ models: routes('a', 'b', 'c') }))
  await settle()
  b.speedtest.cancel()
  await settle()
  expect(b.speedtest.snapshot()).toMatchObject({ running: false, done: 3 })
  expect(b.speedtest.snapshot().results.every(({ errorCode }) => errorCode === 'CANCELLED')).toBe(true)
  expect(b.calls).toHaveLength(2)
  b.speedtest.start(input({ models: routes('a') }))
  await b.speedtest.dispose()
  expect(() => b.speedtest.start(input({ models: routes('a') }))).toThrow('being stopped')
  expect(b.time.pending).toBe(0)
})
