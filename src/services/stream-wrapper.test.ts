import fc from 'fast-check'
import { expect, it } from 'vitest'
import { settle } from '../../tests/support/manual-time.ts'
import { answer, collect, end, failed, failure, finish, from, hand, route, running, start, stop, text, usage, world, zeros } from '../../tests/support/streams.ts'
import type { Chunk, HostFailure, Stream } from '../ports.ts'
import type { CallHooks } from './call-end.ts'
import { wrapStream } from './stream-wrapper.ts'

it('passes an answer through unchanged and books it once', async () => {
  const w = world()
  expect(await collect(wrapStream(() => from(answer), w.hooks()))).toEqual(answer)
  expect(w.ends).toMatchObject([{ how: 'finish', failure: null, cancelled: false, usage: { outputTokens: 20 }, waitMs: 0, contentSeen: true }])
  expect(running(w)).toBe(0)
})

it('opens the source inside the first next() and not before', async () => {
  const w = world()
  const h = hand()
  const stream = wrapStream(h.source, w.hooks())
  expect([h.opened, running(w)]).toEqual([0, 0])
  void stream.next()
  expect([h.opened, running(w)]).toEqual([1, 1])
  await stream.return?.()
  expect([h.closed, running(w)]).toEqual([1, 0])
})

it('measures wait, first frame and output apart', async () => {
  const w = world()
  const blocker = w.concurrency.acquire(route)
  const h = hand()
  const read = collect(wrapStream(h.source, w.hooks()))
  await settle()
  expect(h.opened).toBe(0)
  w.time.advance(5000)
  if (blocker.kind === 'admitted') blocker.release()
  await settle()
  w.time.advance(300)
  h.give(start)
  await settle()
  w.time.advance(400)
  h.give(text('a'))
  await settle()
  w.time.advance(2000)
  h.give(usage, stop)
  h.done()
  await read
  expect(w.firsts).toEqual([700])
  expect(w.ends).toMatchObject([{ waitMs: 5000, ttftMs: 700, outputMs: 2000 }])
  expect(w.ends[0]!.endedMono - w.ends[0]!.startedMono).toBe(2700)
})

it('holds frames until the first decisive one and nothing after it', async () => {
  const w = world()
  const h = hand()
  const stream = wrapStream(h.source, w.hooks())
  const seen: Chunk[] = []
  const take = async (): Promise<void> => { const r = await stream.next(); if (!r.done) seen.push(r.value) }
  void take()
  h.give(start, zeros)
  await settle()
  expect(seen).toEqual([])
  h.give(text('a'))
  await settle()
  expect(seen).toEqual([start])
  await take()
  await take()
  expect(seen).toEqual([start, zeros, text('a')])
  void take()
  h.give(text('b'))
  await settle()
  expect(seen.at(-1)).toEqual(text('b'))
  await stream.return?.()
})

it('gives a failed attempt out as its finish alone', async () => {
  const w = world()
  expect(await collect(wrapStream(() => from([start, zeros, failed]), w.hooks()))).toEqual([failed])
  expect(w.ends).toMatchObject([{ how: 'finish', failure, contentSeen: false, ttftMs: null }])
  expect(running(w)).toBe(0)
})

it('turns a stop without content and an end without a finish into failures', async () => {
  const w = world()
  const code = (chunks: Chunk[]): unknown => chunks.map((c) => (c.type === 'finish' && c.reason.kind === 'error' ? c.reason.failure.code : c.type))
  expect(code(await collect(wrapStream(() => from([start, end(''), usage, stop]), w.hooks())))).toEqual(['EMPTY_RESPONSE'])
  expect(code(await collect(wrapStream(() => from([start]), w.hooks())))).toEqual(['STREAM_CLOSED'])
  expect(code(await collect(wrapStream(() => from([start, text('a')]), w.hooks())))).toEqual(['block-start', 'text-delta', 'STREAM_CLOSED'])
  expect(w.ends.map((one) => [one.how, one.failure?.code, one.contentSeen])).toEqual([['finish', 'EMPTY_RESPONSE', false], ['no-finish', 'STREAM_CLOSED', false], ['no-finish', 'STREAM_CLOSED', true]])
})

it('books a failure after content as one that left text behind', async () => {
  const w = world()
  expect(await collect(wrapStream(() => from([start, text('a'), failed]), w.hooks()))).toEqual([start, text('a'), failed])
  expect(w.ends).toMatchObject([{ failure, contentSeen: true }])
})

it('turns an answer that is an error into a failure, though it has gone out', async () => {
  const w = world()
  const inBandRule = (value: string): HostFailure | null => (value === 'upstream overloaded' ? { code: 'MALFORMED_RESPONSE', message: value } : null)
  const chunks = await collect(wrapStream(() => from([start, text('upstream '), text('overloaded'), end('upstream overloaded'), zeros, stop]), w.hooks({ inBandRule })))
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', reason: { kind: 'error', failure: { code: 'MALFORMED_RESPONSE' } } })
  expect(chunks).toHaveLength(6)
  expect(w.ends).toMatchObject([{ finish: { kind: 'stop' }, failure: { code: 'MALFORMED_RESPONSE' }, contentSeen: true }])
  expect((await collect(wrapStream(() => from(answer), w.hooks({ inBandRule })))).at(-1)).toEqual(stop)
})

it('lets everything through when nothing decisive comes in time, and books what follows', async () => {
  const w = world()
  const h = hand()
  const stream = wrapStream(h.source, w.hooks())
  const seen: Chunk[] = []
  const all = (async () => { for await (const chunk of stream) seen.push(chunk) })()
  h.give(start)
  await settle()
  expect(seen).toEqual([])
  w.time.advance(30_000)
  await settle()
  expect(seen).toEqual([start])
  h.give(zeros)
  await settle()
  expect(seen).toEqual([start, zeros])
  h.give(text('slow'), stop)
  h.done()
  await all
  expect(seen).toEqual([start, zeros, text('slow'), stop])
  expect(w.ends).toMatchObject([{ failure: null, ttftMs: 30_000 }])
})

it('passes a throw of the source on after what it had sent, and frees the slot', async () => {
  const w = world()
  const boom = new Error('middleware broke')
  async function* breaks(chunks: readonly Chunk[]): AsyncGenerator<Chunk> { yield* chunks; throw boom }
  const seen: Chunk[] = []
  const read = async (stream: Stream): Promise<void> => { for await (const chunk of stream) seen.push(chunk) }
  await expect(read(wrapStream(() => breaks([start, text('a')]), w.hooks()))).rejects.toBe(boom)
  await expect(read(wrapStream(() => breaks([start]), w.hooks()))).rejects.toBe(boom)
  await expect(read(wrapStream(() => { throw boom }, w.hooks()))).rejects.toBe(boom)
  expect(seen).toEqual([start, text('a'), start])
  expect(w.ends.map((one) => [one.how, one.failure])).toEqual(Array.from({ length: 3 }, () => ['thrown', { code: 'UNKNOWN', message: 'middleware broke' }]))
  expect(running(w)).toBe(0)
})

it('counts an abort as cancelled, whichever way the source ends', async () => {
  const w = world()
  const abort = new AbortController()
  abort.abort()
  const hooks = (): CallHooks => w.hooks({ signal: abort.signal, slot: () => w.concurrency.acquire(route) })
  const aborted = finish({ kind: 'aborted', failure: { code: 'ABORTED', message: 'x' } })
  expect(await collect(wrapStream(() => from([start, aborted]), hooks()))).toEqual([aborted])
  expect(await collect(wrapStream(() => from([text('a')]), hooks()))).toEqual([text('a')])
  await collect(wrapStream(() => { throw new Error('AbortError') }, hooks())).catch(() => {})
  expect(w.ends.map((one) => one.cancelled)).toEqual([true, true, true])
  w.ends.length = 0
  await collect(wrapStream(() => from([aborted]), w.hooks()))
  expect(w.ends[0]!.cancelled).toBe(false)
})

it('answers reads that were asked for ahead in order', async () => {
  const w = world()
  const stream = wrapStream(() => from(answer), w.hooks())
  const results = await Promise.all(Array.from({ length: 8 }, () => stream.next()))
  expect(results.map((r) => (r.done ? 'done' : r.value))).toEqual([...answer, 'done', 'done'])
})

const anyChunk = fc.constantFrom<Chunk>(start, text('a'), text(''), end('a'), end(''), usage, zeros)
const ending = fc.constantFrom<Chunk | 'done' | 'throw' | 'return'>(stop, failed, finish({ kind: 'max-tokens' }), 'done', 'throw', 'return')

it('holds its laws for every stream and every interleaving: one end, no slot left, nothing lost, nothing invented', async () => {
  await fc.assert(fc.asyncProperty(fc.scheduler(), fc.array(anyChunk, { maxLength: 8 }), ending, fc.nat(9), async (scheduler, chunks, last, reads) => {
    const w = world()
    async function* source(): AsyncGenerator<Chunk> {
      for (const chunk of chunks) { await scheduler.schedule(Promise.resolve(), 'frame'); yield chunk }
      if (last === 'throw') throw new Error('x')
      if (typeof last === 'object') yield last
    }
    const seen: Chunk[] = []
    const stream = wrapStream(source, w.hooks())
    const work = (async () => {
      for (let read = 0; last !== 'return' || read < reads; read++) {
        const result = await stream.next()
        if (result.done) return
        seen.push(result.value)
      }
      await stream.return?.()
    })().catch(() => {})
    await scheduler.waitFor(work)
    const frames = typeof last === 'object' ? [...chunks, last] : chunks
    const sent = seen.filter((chunk) => frames.includes(chunk))
    expect(frames.slice(0, sent.length).every((chunk, i) => sent[i] === chunk) || sent.length === 1).toBe(true)
    expect(seen.length - sent.length).toBeLessThanOrEqual(1)
    expect(w.ends.length).toBe(last === 'return' && reads === 0 ? 0 : 1)
    expect(running(w)).toBe(0)
  }), { numRuns: 300 })
})

it('reads the clock the same number of times for three frames as for three hundred', async () => {
  const reads = async (frames: number): Promise<number> => {
    const w = world()
    let count = 0
    const time = { now: () => { count++; return w.time.now() }, mono: () => { count++; return w.time.mono() }, after: w.time.after.bind(w.time) }
    const many = Array.from({ length: frames }, () => text('x'))
    await collect(wrapStream(() => from([start, ...many, usage, stop]), w.hooks({ time })))
    return count
  }
  expect(await reads(300)).toBe(await reads(3))
})
