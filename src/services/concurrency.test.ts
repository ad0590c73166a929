import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ManualTime, settle } from '../../tests/support/manual-time.ts'
import { ABANDONED_MS, createConcurrency, type Concurrency } from './concurrency.ts'
import type { Admission, Slot, Waiting } from './slot.ts'
import { createDeadlines } from './deadlines.ts'

const route = { provider: 'p', model: 'm' }
const other = { provider: 'p', model: 'n' }

function gate(limits: Record<string, number> = { 'p/m': 1 }, options: { fallback?: number; queueMs?: number } = {}): { time: ManualTime; concurrency: Concurrency; limits: Record<string, number> } {
  const time = new ManualTime()
  const concurrency = createConcurrency({
    time, deadlines: createDeadlines(time), limits: () => limits,
    defaultLimit: () => options.fallback ?? 0, queueTimeoutMs: () => options.queueMs ?? 0,
  })
  return { time, concurrency, limits }
}

const slot = (place: Admission | Waiting): Slot => {
  if (place.kind !== 'admitted') throw new Error(`expected a slot, got ${place.kind}`)
  return place
}
const waiting = (place: Admission | Waiting): Waiting => {
  if (place.kind !== 'waiting') throw new Error(`expected a place in the queue, got ${place.kind}`)
  return place
}

it('admits at once while a slot is free and queues the next', async () => {
  const { concurrency, time } = gate()
  const first = slot(concurrency.acquire(route))
  const second = waiting(concurrency.acquire(route))
  expect(concurrency.count(route)).toMatchObject({ limit: 1, effectiveLimit: 1, running: 1, queued: 1 })
  expect(concurrency.free(route)).toBe(false)
  time.advance(1234)
  first.release()
  expect(await second.settled).toMatchObject({ kind: 'admitted', waitMs: 1234 })
  expect(concurrency.count(route)).toMatchObject({ running: 1, queued: 0 })
})

it('gives a slot back once, however often it is released', () => {
  const { concurrency } = gate({ 'p/m': 2 })
  const one = slot(concurrency.acquire(route))
  slot(concurrency.acquire(route))
  one.release()
  one.release()
  one.release()
  expect(concurrency.count(route).running).toBe(1)
  slot(concurrency.acquire(route))
  expect(concurrency.acquire(route).kind).toBe('waiting')
})

it('lets the default limit stand in for a model without its own, and 0 means none', () => {
  const { concurrency } = gate({}, { fallback: 1 })
  slot(concurrency.acquire(route))
  expect(concurrency.acquire(route).kind).toBe('waiting')
  const open = gate({}).concurrency
  for (let call = 0; call < 50; call++) slot(open.acquire(route))
  expect(open.live()).toMatchObject([{ limit: null, effectiveLimit: 0, running: 50, queued: 0 }])
})

it('answers timeout after the queue limit and frees the place', async () => {
  const { concurrency, time } = gate({ 'p/m': 1 }, { queueMs: 180_000 })
  const first = slot(concurrency.acquire(route))
  const late = waiting(concurrency.acquire(route))
  time.advance(180_000)
  expect(await late.settled).toEqual({ kind: 'timeout', waitMs: 180_000 })
  expect(concurrency.count(route)).toMatchObject({ running: 1, queued: 0 })
  first.release()
  expect(concurrency.count(route)).toMatchObject({ running: 0, queued: 0 })
})

it('waits for ever with a queue limit of 0', async () => {
  const { concurrency, time } = gate()
  const first = slot(concurrency.acquire(route))
  const late = waiting(concurrency.acquire(route))
  first.beat = 1
  time.advance(86_400_000)
  expect(concurrency.count(route).queued).toBe(1)
  first.release()
  expect((await late.settled).kind).toBe('admitted')
})

it('takes an aborted request out of the queue at once', async () => {
  const { concurrency } = gate()
  const first = slot(concurrency.acquire(route))
  const abort = new AbortController()
  const gone = waiting(concurrency.acquire(route, abort.signal))
  const next = waiting(concurrency.acquire(route))
  abort.abort()
  expect(concurrency.count(route).queued).toBe(1)
  expect((await gone.settled).kind).toBe('aborted')
  first.release()
  expect((await next.settled).kind).toBe('admitted')
  expect(concurrency.acquire(route, abort.signal).kind).toBe('aborted')
})

it('frees the slot of an aborted stream that hangs, for those who wait and for those who look', async () => {
  const { concurrency } = gate()
  const abort = new AbortController()
  const reclaimed: string[] = []
  slot(concurrency.acquire(route, abort.signal)).holder = { reclaimed: (why) => reclaimed.push(why) }
  const next = waiting(concurrency.acquire(route))
  abort.abort()
  expect((await next.settled).kind).toBe('admitted')
  expect(reclaimed).toEqual(['aborted'])
  const second = gate()
  const stop = new AbortController()
  slot(second.concurrency.acquire(route, stop.signal))
  stop.abort()
  expect(second.concurrency.free(route)).toBe(true)
  slot(second.concurrency.acquire(route))
})

it('wakes the queue when a limit is raised or cleared, and keeps those who run when it sinks', async () => {
  const { concurrency, limits } = gate()
  slot(concurrency.acquire(route))
  const queue = [1, 2, 3].map(() => waiting(concurrency.acquire(route)))
  limits['p/m'] = 2
  concurrency.limitsChanged()
  expect((await queue[0]!.settled).kind).toBe('admitted')
  expect(concurrency.count(route)).toMatchObject({ running: 2, queued: 2 })
  delete limits['p/m']
  concurrency.limitsChanged()
  expect(concurrency.count(route)).toMatchObject({ running: 4, queued: 0 })
  limits['p/m'] = 1
  concurrency.limitsChanged()
  expect(concurrency.count(route)).toMatchObject({ running: 4, queued: 0 })
  expect(concurrency.acquire(route).kind).toBe('waiting')
})

it('takes back the slot of a stream nobody reads for ten minutes, but not one that waits for its model', async () => {
  const { concurrency, time } = gate({ 'p/m': 2 })
  const idle = slot(concurrency.acquire(route))
  const busy = slot(concurrency.acquire(route))
  const reclaimed: string[] = []
  idle.holder = { reclaimed: (why) => reclaimed.push(`idle ${why}`) }
  busy.holder = { reclaimed: (why) => reclaimed.push(`busy ${why}`) }
  idle.beat = 2
  busy.beat = 1
  time.advance(ABANDONED_MS - 1)
  expect(concurrency.count(route).running).toBe(2)
  time.advance(20_001)
  expect(concurrency.count(route).running).toBe(1)
  expect(reclaimed).toEqual(['idle abandoned'])
  busy.release()
  time.advance(60_000)
  expect(time.pending).toBe(0)
})

it('does not sweep a stream whose reader comes back in time', () => {
  const { concurrency, time } = gate()
  const one = slot(concurrency.acquire(route))
  for (let round = 0; round < 5; round++) {
    one.beat += 2
    time.advance(ABANDONED_MS - 20_000)
  }
  expect(concurrency.count(route).running).toBe(1)
})

it('lets everybody through when the plugin goes', async () => {
  const { concurrency, time } = gate()
  slot(concurrency.acquire(route))
  const late = waiting(concurrency.acquire(route))
  concurrency.dispose()
  expect((await late.settled).kind).toBe('closed')
  slot(concurrency.acquire(route))
  expect(time.pending).toBe(0)
})

it('shows models with a limit of their own even when nothing runs', () => {
  const { concurrency } = gate({ 'p/m': 3, 'p/n': 1 })
  slot(concurrency.acquire(other))
  expect(concurrency.live()).toEqual([
    { provider: 'p', model: 'm', limit: 3, effectiveLimit: 3, running: 0, queued: 0 },
    { provider: 'p', model: 'n', limit: 1, effectiveLimit: 1, running: 1, queued: 0 },
  ])
})

it('holds its laws under every interleaving: never above the limit, first come first served, back to zero', async () => {
  await fc.assert(fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 3 }), fc.array(fc.record({ abort: fc.boolean(), twice: fc.boolean() }), { minLength: 1, maxLength: 12 }), async (scheduler, limit, calls) => {
    const { concurrency } = gate({ 'p/m': limit })
    let running = 0
    let most = 0
    const admitted: number[] = []
    const aborted = new Set<number>()
    const work = calls.map(async (call, index) => {
      const abort = new AbortController()
      const place = concurrency.acquire(route, abort.signal)
      if (call.abort) void scheduler.schedule(Promise.resolve(), `abort ${index}`).then(() => { if (!admitted.includes(index)) aborted.add(index); abort.abort() })
      const got = place.kind === 'waiting' ? await place.settled : place
      if (got.kind !== 'admitted') return
      admitted.push(index)
      running++
      most = Math.max(most, running)
      let open = true
      const end = (): void => { if (open) { open = false; running--; got.release(); if (call.twice) got.release() } }
      got.holder = { reclaimed: end }
      await scheduler.schedule(Promise.resolve(), `end ${index}`)
      end()
    })
    await scheduler.waitFor(Promise.all(work))
    await scheduler.waitIdle()
    expect(most).toBeLessThanOrEqual(limit)
    expect(admitted).toEqual([...admitted].sort((a, b) => a - b))
    expect(concurrency.count(route)).toMatchObject({ running: 0, queued: 0 })
    for (const index of calls.keys()) expect(admitted.includes(index) || aborted.has(index)).toBe(true)
  }), { numRuns: 200 })
  await settle()
})
