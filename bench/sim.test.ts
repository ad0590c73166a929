import { expect, it } from 'vitest'
import { ladder, plainBreaker, product } from './sim.mts'

it('keeps users away from a delisted first model: 5 requests and 25 probes a day in a week at the most', async () => {
  const week = await product(7)
  expect(week.met).toBeGreaterThan(0)
  expect(week.met).toBeLessThanOrEqual(5)
  expect(week.probesADay).toBeGreaterThan(0)
  expect(week.probesADay).toBeLessThanOrEqual(25)
})

it('compares with designs that let users find out again and again', () => {
  expect(ladder().met).toBe(5040)
  expect(plainBreaker().met).toBeGreaterThan(5000)
})
