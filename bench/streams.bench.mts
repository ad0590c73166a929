/** Rows 1, 2 and 14: what the stream wrapper costs per frame and per call, and that it delays and holds nothing. */
import { createConcurrency } from '../src/services/concurrency.ts'
import { createDeadlines } from '../src/services/deadlines.ts'
import { wrapStream } from '../src/services/stream-wrapper.ts'
import type { Chunk, Stream } from '../src/ports.ts'
import { time } from './real.ts'
import { interleave, typical, type BenchRow } from './row.ts'

const LIMITS = { 'p/m': 8 }
const route = { provider: 'p', model: 'm' }
const deadlines = createDeadlines(time)
const concurrency = createConcurrency({ time, deadlines, limits: () => LIMITS, defaultLimit: () => 0, queueTimeoutMs: () => 180_000 })
const frame: Chunk = { type: 'text-delta', index: 0, text: 'token ' }
const usage: Chunk = { type: 'usage', usage: { inputTokens: 10, outputTokens: 10 } }
const stop: Chunk = { type: 'finish', reason: { kind: 'stop' } }

async function* source(frames: number): AsyncGenerator<Chunk> {
  for (let sent = 0; sent < frames; sent++) yield frame
  yield usage
  yield stop
}
async function* single(): AsyncGenerator<Chunk> {
  yield frame
  yield stop
}

/** The least a listener written as a generator can do. */
async function* bare(inner: Stream): AsyncGenerator<Chunk> { for await (const chunk of inner) yield chunk }

/** How one would write it at first: a generator that reads the clock and counts the bytes of each frame. */
async function* naive(inner: Stream): AsyncGenerator<Chunk> {
  let first = 0
  let bytes = 0
  let last = 0
  for await (const chunk of inner) {
    last = performance.now()
    if (first === 0 && chunk.type === 'text-delta') first = last
    bytes += JSON.stringify(chunk).length
    yield chunk
  }
  void [first, bytes, last]
}

let ended = 0
const signal = new AbortController().signal
function ours(open: () => Stream): Stream {
  return wrapStream(open, {
    time, deadlines, signal, gate: true, gateTimeoutMs: 30_000,
    slot: () => concurrency.acquire(route, signal),
    inBandRule: () => null, onFirst: () => {}, onEnd: () => { ended++ }, onRefused: () => null,
  })
}

let drained = 0
async function drain(stream: Stream): Promise<void> { for await (const chunk of stream) if (chunk.type === 'finish') drained++ }
const FRAMES = 2000
const CALLS = 200
/** ns per frame of a long stream. */
async function perFrame(wrap: (open: () => Stream) => Stream, times: number): Promise<number> {
  return (await typical(times, () => drain(wrap(() => source(FRAMES)))) * 1e6) / FRAMES
}
/** ns per call of one frame. */
async function perCall(wrap: (open: () => Stream) => Stream, times: number): Promise<number> {
  return (await typical(times, async () => { for (let call = 0; call < CALLS; call++) await drain(wrap(single)) }) * 1e6) / CALLS
}

/** Whether the source opens within the very call of `next()`, and how many frames are kept back after the first decisive one. */
async function delay(): Promise<{ atOnce: boolean; heldBack: number }> {
  let opened = false
  let given = 0
  async function* watched(): AsyncGenerator<Chunk> {
    for (let sent = 0; sent < 100; sent++) {
      given++
      yield frame
    }
    yield stop
  }
  const stream = ours(() => { opened = true; return watched() })[Symbol.asyncIterator]()
  const first = stream.next()
  const atOnce = opened
  await first
  let heldBack = 0
  for (let read = 1; read < 100; read++) {
    await stream.next()
    heldBack = Math.max(heldBack, given - read - 1)
  }
  await stream.return?.()
  return { atOnce, heldBack }
}

export async function streamRows(quick: boolean): Promise<BenchRow[]> {
  const rounds = quick ? 7 : 15
  const times = quick ? 40 : 100
  const one = await interleave(rounds, {
    floor: () => perFrame((open) => bare(open()), times),
    naive: () => perFrame((open) => naive(open()), times),
    ours: () => perFrame(ours, times),
  })
  const two = await interleave(rounds, {
    floor: () => perCall((open) => bare(open()), times),
    naive: () => perCall((open) => naive(open()), times),
    ours: () => perCall(ours, times),
  })
  const { atOnce, heldBack } = await delay()
  return [
    { id: 1, work: 'stream wrapper, per frame', ...one, unit: 'ns', target: '≤ 1.0 × floor', met: one.ours <= one.floor },
    { id: 2, work: 'stream wrapper, per call of one frame and its finish, slot free', ...two, unit: 'ns', target: '≤ 2 × floor', met: two.ours <= 2 * two.floor && ended > 0 && drained > 0 },
    { id: 14, work: `when all is well: frames held after the first decisive one (source opened ${atOnce ? 'at once' : 'LATE'})`, ours: heldBack, floor: 0, naive: null, unit: 'frames', target: '0, no await before', met: atOnce && heldBack === 0 },
  ]
}
