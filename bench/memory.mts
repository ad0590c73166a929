/**
 * A day of traffic in a few seconds, on a clock that is moved by hand: calls through the stream wrapper with slots, samples
 * to disk, the dashboard asked now and then. The heap must not grow with it. `node --expose-gc bench/memory.mts [hours]` (24).
 */
import { createConcurrency } from '../src/services/concurrency.ts'
import { createDeadlines } from '../src/services/deadlines.ts'
import { createMetrics } from '../src/services/metrics.ts'
import { wrapStream } from '../src/services/stream-wrapper.ts'
import type { Chunk, HostFailure } from '../src/ports.ts'
import { openSamples } from '../src/store/samples.ts'
import { ManualTime } from '../tests/support/manual-time.ts'
import { folder, quiet } from './real.ts'
import { chance } from './sim.mts'

const CALLS_AN_HOUR = 600
const MODELS = 40
const hours = Number(process.argv[2] ?? 24)
const failure: HostFailure = { code: 'SERVER', message: '503: upstream unavailable' }
const random = chance(7)
const time = new ManualTime(Date.UTC(2025, 2, 2, 16))
const deadlines = createDeadlines(time)
const concurrency = createConcurrency({ time, deadlines, limits: () => ({}), defaultLimit: () => 4, queueTimeoutMs: () => 5000 })
const { path, remove } = folder()
const samples = openSamples({ dir: path, time, log: quiet })
const metrics = createMetrics({ time, samples, groups: () => [], marks: () => [], rests: () => [], holds: () => [], quarantined: () => null, concurrency })

async function* source(ends: 'well' | 'badly' | 'early'): AsyncGenerator<Chunk> {
  yield { type: 'block-start', index: 0, blockType: 'text' }
  await Promise.resolve()
  if (ends === 'badly') yield { type: 'finish', reason: { kind: 'error', failure } }
  if (ends !== 'well') return
  for (let n = 0; n < 5; n++) yield { type: 'text-delta', index: 0, text: 'some words of an answer ' }
  yield { type: 'usage', usage: { inputTokens: 900, outputTokens: 80 } }
  yield { type: 'finish', reason: { kind: 'stop' } }
}

async function call(): Promise<void> {
  const route = { provider: `p${Math.floor(random() * 7)}`, model: `m${Math.floor(random() * MODELS)}` }
  const abort = new AbortController()
  const ends = random() < 0.9 ? 'well' : random() < 0.5 ? 'badly' : 'early'
  const stream = wrapStream(() => source(ends), {
    time, deadlines, signal: abort.signal, gate: true, gateTimeoutMs: 30_000, slot: () => concurrency.acquire(route, abort.signal), inBandRule: metrics.inBandRule(route),
    onEnd: (end) => { metrics.record({ route, endpoint: '', purpose: 'chat', end, verdict: end.failure ? { class: 'server' } : null }) },
  })
  if (random() < 0.05) abort.abort()
  for await (const chunk of stream) if (chunk.type === 'text-delta' && random() < 0.01) break
}

function heap(): number {
  for (let round = 0; round < 4; round++) globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1024 / 1024
}

const readings: number[] = []
for (let hour = 0; hour < hours; hour++) {
  for (let minute = 0; minute < 60; minute++) {
    await Promise.all(Array.from({ length: CALLS_AN_HOUR / 60 }, call))
    time.advance(60_000)
    if (minute % 10 === 0) metrics.reply({ since: null, until: null })
  }
  await samples.flush()
  readings.push(heap())
}
const left = concurrency.live().reduce((sum, one) => sum + one.running + one.queued, 0)
await samples.close()
const [first = 0, last = 0] = [readings[Math.floor(readings.length / 4)], readings.at(-1)]
console.log(`${hours} h, ${hours * CALLS_AN_HOUR} calls: heap ${first.toFixed(1)} MB after a quarter, ${last.toFixed(1)} MB at the end; ${left} slots taken, ${time.pending} timers set`)
concurrency.dispose()
deadlines.dispose()
remove()
if (last > first + 3 || left > 0) {
  console.log('THE HEAP GROWS or slots are left')
  process.exitCode = 1
}
