import { expect, it } from 'vitest'
import { settle } from '../../tests/support/manual-time.ts'
import { answer, collect, end, failed, failure, finish, from, hand, route, running, start, stop, text, world } from '../../tests/support/streams.ts'
import type { Chunk, HostFailure } from '../ports.ts'
import { wrapStream } from './stream-wrapper.ts'

it('answers CAPACITY_TIMEOUT when no slot comes free, without sending anything', async () => {
  const w = world()
  w.concurrency.acquire(route)
  const h = hand()
  const read = collect(wrapStream(h.source, w.hooks()))
  await w.time.run(60_000)
  expect(await read).toMatchObject([{ type: 'finish', reason: { kind: 'error', failure: { code: 'CAPACITY_TIMEOUT' } } }])
  expect([h.opened, w.ends]).toMatchObject([0, [{ how: 'queue-timeout', waitMs: 60_000, cancelled: false }]])
})

it('ends as aborted when the user cancels while it waits for a slot', async () => {
  const w = world()
  w.concurrency.acquire(route)
  const abort = new AbortController()
  const read = collect(wrapStream(hand().source, w.hooks({ signal: abort.signal })))
  await settle()
  abort.abort()
  expect(await read).toMatchObject([{ type: 'finish', reason: { kind: 'aborted' } }])
  expect(w.ends).toMatchObject([{ how: 'queue-aborted', cancelled: true }])
  expect(w.concurrency.count(route).queued).toBe(0)
})

it('leaves the queue at once when the reader goes away', async () => {
  const w = world()
  w.concurrency.acquire(route)
  const stream = wrapStream(hand().source, w.hooks())
  const pending = stream.next()
  await stream.return?.()
  expect(await pending).toEqual({ value: undefined, done: true })
  expect(w.concurrency.count(route)).toMatchObject({ running: 1, queued: 0 })
  expect(w.ends).toMatchObject([{ how: 'returned', cancelled: true }])
})

it('sends without a slot when the plugin goes while the request waits', async () => {
  const w = world()
  w.concurrency.acquire(route)
  const read = collect(wrapStream(() => from(answer), w.hooks()))
  await settle()
  w.concurrency.dispose()
  expect(await read).toEqual(answer)
})

it('sets no timer of its own for a call that answers', async () => {
  const w = world(0)
  await collect(wrapStream(() => from(answer), w.hooks({ slot: undefined as never })))
  await collect(wrapStream(() => from(answer), w.hooks({ slot: undefined as never })))
  expect(w.time.pending).toBeLessThanOrEqual(1)
  w.time.advance(60_000)
  expect(w.time.pending).toBe(0)
})

it('goes on with another stream before anything has gone out, without its replay state', async () => {
  const w = world()
  const h = hand()
  const second: Chunk[] = [text('from b'), { type: 'finish', reason: { kind: 'stop' }, replayState: { of: 'b' } }]
  const heard: HostFailure[] = []
  const read = collect(wrapStream(h.source, w.hooks({ onRefused: (why) => { heard.push(why); expect(running(w)).toBe(0); return Promise.resolve(from(second)) } })))
  h.give(start, failed)
  expect(await read).toEqual([text('from b'), stop])
  expect([heard, h.closed, w.ends.length]).toEqual([[failure], 1, 1])
})

it('passes the failure on when nobody takes over, or the one who should breaks', async () => {
  const w = world()
  for (const onRefused of [() => null, () => Promise.resolve(null), () => Promise.reject(new Error('x')), () => { throw new Error('x') }]) {
    expect(await collect(wrapStream(() => from([start, failed]), w.hooks({ onRefused })))).toEqual([failed])
  }
  expect(w.faults).toHaveLength(2)
})

it('offers no take-over after content has gone out', async () => {
  const w = world()
  let asked = 0
  await collect(wrapStream(() => from([text('a'), failed]), w.hooks({ onRefused: () => { asked++; return null } })))
  expect(asked).toBe(0)
})

it('takes over a call that got no slot', async () => {
  const w = world()
  w.concurrency.acquire(route)
  const read = collect(wrapStream(hand().source, w.hooks({ onRefused: () => from(answer) })))
  await w.time.run(60_000)
  expect(await read).toEqual(answer)
})

it('keeps the call alive when hooks break', async () => {
  const w = world()
  const broken = (): never => { throw new Error('hook') }
  expect(await collect(wrapStream(() => from(answer), w.hooks({ slot: broken, onFirst: broken, onEnd: broken, inBandRule: broken })))).toEqual(answer)
  expect(w.faults.length).toBeGreaterThan(0)
})

it('loses its slot when nobody reads for ten minutes, and still serves the reader who comes back', async () => {
  const w = world()
  const h = hand()
  const stream = wrapStream(h.source, w.hooks())
  const first = stream.next()
  h.give(text('a'))
  await first
  w.time.advance(620_000)
  expect([running(w), w.ends]).toMatchObject([0, [{ how: 'abandoned', cancelled: true }]])
  h.give(text('b'), stop)
  h.done()
  expect(await collect(stream)).toEqual([text('b'), stop])
  expect(w.ends).toHaveLength(1)
})

it('lets the owner send a failing finish of its own, wherever the failure comes from', async () => {
  const w = world()
  const own = finish({ kind: 'error', failure: { code: 'OWN', message: 'own' } }) as Extract<Chunk, { type: 'finish' }>
  const onFailing = (): typeof own => own
  for (const frames of [[start, failed], [start], [start, text('a'), failed], [text('a')], [start, end(''), stop]]) {
    expect((await collect(wrapStream(() => from(frames), w.hooks({ onFailing })))).at(-1)).toEqual(own)
  }
  expect((await collect(wrapStream(() => from(answer), w.hooks({ onFailing })))).at(-1)).toEqual(stop)
  expect(await collect(wrapStream(() => from([failed]), w.hooks({ onFailing, onRefused: () => from(answer) })))).toEqual(answer)
})

it('counts a call whose own time limit ran out as failed, in the queue as well, and not as cancelled', async () => {
  const w = world()
  const limit = new AbortController()
  const hooks = { ownTimeout: true, signal: limit.signal }
  const h = hand()
  const sent = wrapStream(h.source, w.hooks(hooks))
  void sent.next()
  const queued = collect(wrapStream(h.source, w.hooks(hooks)))
  await settle()
  limit.abort(new DOMException('x', 'TimeoutError'))
  await queued
  await sent.return?.()
  expect(w.ends).toHaveLength(2)
  expect(w.ends).toEqual(expect.arrayContaining([
    expect.objectContaining({ how: 'queue-aborted', failure: expect.objectContaining({ code: 'CAPACITY_TIMEOUT' }) as unknown, cancelled: false }),
    expect.objectContaining({ how: 'returned', failure: expect.objectContaining({ code: 'TIMEOUT' }) as unknown, cancelled: false }),
  ]))
  const stopped = new AbortController()
  stopped.abort()
  await collect(wrapStream(() => from([failed]), w.hooks({ ownTimeout: true, signal: stopped.signal })))
  expect(w.ends.at(-1)?.cancelled).toBe(true)
})
