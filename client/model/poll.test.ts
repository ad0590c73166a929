import { expect, it } from 'vitest'
import { manualClock } from '../testing/clock.ts'
import { createPoll } from './poll.ts'

function counted(): { readonly clock: ReturnType<typeof manualClock>; readonly poll: ReturnType<typeof createPoll>; readonly runs: () => number } {
  const clock = manualClock()
  let runs = 0
  return { clock, runs: () => runs, poll: createPoll(clock, 3000, async () => { runs += 1 }) }
}

it('runs at once and then at its pace, for as long as anybody watches', async () => {
  const { clock, poll, runs } = counted()
  const one = poll.watch()
  const two = poll.watch()
  await clock.advance(6500)
  expect(runs()).toBe(3)
  one()
  one()
  await clock.advance(3000)
  expect(runs()).toBe(4)
  two()
  await clock.advance(30_000)
  expect([runs(), clock.waiting]).toEqual([4, 0])
})

it('rests while the tab is hidden and looks at once when it is shown again', async () => {
  const { clock, poll, runs } = counted()
  poll.watch()
  await clock.advance(0)
  clock.show(false)
  await clock.advance(60_000)
  expect(runs()).toBe(1)
  clock.show(true)
  await clock.advance(0)
  expect(runs()).toBe(2)
})

it('does not begin a run before the last one is through', async () => {
  const clock = manualClock()
  let open = 0
  let most = 0
  const finish: (() => void)[] = []
  createPoll(clock, 1000, () => new Promise((resolve) => {
    open += 1
    most = Math.max(most, open)
    finish.push(() => {
      open -= 1
      resolve()
    })
  })).watch()
  await clock.advance(5000)
  expect(most).toBe(1)
  finish.shift()?.()
  await clock.advance(1000)
  expect([most, finish.length]).toEqual([1, 1])
})
