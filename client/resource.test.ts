import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ApiError } from './api.ts'
import { createResource } from './resource.ts'

it('lets the last call win, in whatever order the answers come', async () => {
  await fc.assert(fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 6 }), async (scheduler, calls) => {
    let started = 0
    const load = scheduler.scheduleFunction(async (number: number) => number)
    const resource = createResource(() => load(started += 1))
    const all = Array.from({ length: calls }, () => resource.refresh())
    await scheduler.waitAll()
    await Promise.all(all)
    expect(resource.data.value).toBe(calls)
    expect(resource.loading.value).toBe(false)
  }))
})

it('keeps the last good value beside an error, and clears the error with the next good one', async () => {
  const answers: (() => Promise<number>)[] = [async () => 1, async () => { throw new ApiError(500, 'INTERNAL', 'no') }, async () => 2]
  const resource = createResource(() => answers.shift()!())
  await resource.refresh()
  await resource.refresh()
  expect([resource.data.value, resource.error.value?.code]).toEqual([1, 'INTERNAL'])
  await resource.refresh()
  expect([resource.data.value, resource.error.value]).toEqual([2, null])
})

it('takes null for "unchanged"', async () => {
  const answers = [7, null]
  const resource = createResource(async () => answers.shift()!)
  await resource.refresh()
  await resource.refresh()
  expect(resource.data.value).toBe(7)
})

it('drops a load that is under way when a better value is put in, and aborts it', async () => {
  let aborted = false
  const resource = createResource((signal) => new Promise<number>((resolve) => {
    signal.addEventListener('abort', () => { aborted = true })
    queueMicrotask(() => resolve(1))
  }))
  const loading = resource.refresh()
  resource.set(9)
  await loading
  expect([resource.data.value, aborted]).toEqual([9, true])
})

it('wraps an error that is not ours', async () => {
  const resource = createResource<number>(async () => { throw new RangeError('odd') })
  await resource.refresh()
  expect(resource.error.value).toMatchObject({ code: 'CLIENT', message: 'odd' })
})
