// Frames, hand-driven sources and a small world for tests of the stream wrapper.
import type { Chunk, FinishReason, HostFailure, Stream } from '../../src/ports.ts'
import type { CallEnd, CallHooks } from '../../src/services/call-end.ts'
import { createConcurrency, type Concurrency } from '../../src/services/concurrency.ts'
import { createDeadlines, type Deadlines } from '../../src/services/deadlines.ts'
import { ManualTime } from './manual-time.ts'

export const route = { provider: 'p', model: 'm' }
export const start: Chunk = { type: 'block-start', index: 0, blockType: 'text' }
export const text = (value: string): Chunk => ({ type: 'text-delta', index: 0, text: value })
export const end = (value: string): Chunk => ({ type: 'block-end', index: 0, block: { type: 'text', text: value } })
export const usage: Chunk = { type: 'usage', usage: { inputTokens: 7, outputTokens: 20 } }
export const zeros: Chunk = { type: 'usage', usage: { inputTokens: 0, outputTokens: 0 } }
export const finish = (reason: FinishReason): Chunk => ({ type: 'finish', reason })
export const stop = finish({ kind: 'stop' })
export const failure: HostFailure = { code: 'SERVER', message: '500: down' }
export const failed = finish({ kind: 'error', failure })
export const answer = [start, text('Hel'), text('lo'), end('Hello'), usage, stop]

export interface World { time: ManualTime; concurrency: Concurrency; deadlines: Deadlines; ends: CallEnd[]; firsts: number[]; faults: unknown[]; hooks(extra?: Partial<CallHooks>): CallHooks }

export function world(limit = 1, queueMs = 60_000): World {
  const time = new ManualTime()
  const deadlines = createDeadlines(time)
  const concurrency = createConcurrency({ time, deadlines, limits: () => ({ 'p/m': limit }), defaultLimit: () => 0, queueTimeoutMs: () => queueMs })
  const ends: CallEnd[] = []
  const firsts: number[] = []
  const faults: unknown[] = []
  return {
    time, concurrency, deadlines, ends, firsts, faults,
    hooks: (extra = {}) => ({
      time, deadlines, gate: true, gateTimeoutMs: 30_000,
      slot: () => concurrency.acquire(route, extra.signal), onFirst: (ms) => firsts.push(ms), onEnd: (one) => ends.push(one), onFault: (error) => faults.push(error),
      ...extra,
    }),
  }
}

/** A source whose frames are given by hand. */
export function hand(): { source: () => Stream; give(...chunks: Chunk[]): void; done(): void; fail(error: Error): void; opened: number; closed: number } {
  const queue: ((settle: { resolve(r: IteratorResult<Chunk>): void; reject(e: unknown): void }) => void)[] = []
  const readers: { resolve(r: IteratorResult<Chunk>): void; reject(e: unknown): void }[] = []
  const pair = (): void => { while (queue.length > 0 && readers.length > 0) queue.shift()!(readers.shift()!) }
  const self = {
    opened: 0, closed: 0,
    source: (): Stream => {
      self.opened++
      return { [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<Chunk>>((resolve, reject) => { readers.push({ resolve, reject }); pair() }),
        return: () => { self.closed++; return Promise.resolve({ value: undefined, done: true as const }) },
      }) }
    },
    give: (...chunks: Chunk[]) => { for (const value of chunks) queue.push((r) => r.resolve({ value, done: false })); pair() },
    done: () => { queue.push((r) => r.resolve({ value: undefined, done: true })); pair() },
    fail: (error: Error) => { queue.push((r) => r.reject(error)); pair() },
  }
  return self
}

export async function* from(chunks: readonly Chunk[]): AsyncGenerator<Chunk> { yield* chunks }
export async function collect(stream: Stream): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}
export const running = (w: World): number => w.concurrency.count(route).running
