import { expect, it } from 'vitest'
import { ManualTime } from '../../tests/support/manual-time.ts'
import { createDeadlines, type Late } from './deadlines.ts'

const then = (late: () => void): Late => ({ late })

it('runs each deadline once at its time, in any order of setting, behind one timer', () => {
  const time = new ManualTime()
  const deadlines = createDeadlines(time)
  const ran: string[] = []
  const start = time.mono()
  deadlines.set(start + 300, then(() => ran.push(`c@${time.mono() - start}`)))
  deadlines.set(start + 100, then(() => ran.push(`a@${time.mono() - start}`)))
  deadlines.set(start + 200, then(() => ran.push(`b@${time.mono() - start}`)))
  expect(time.pending).toBe(1)
  time.advance(1000)
  expect(ran).toEqual(['a@100', 'b@200', 'c@300'])
  expect(time.pending).toBe(0)
})

it('does not run what was dropped, not even by a deadline of the same instant', () => {
  const time = new ManualTime()
  const deadlines = createDeadlines(time)
  const ran: string[] = []
  const later = { set: deadlines.set(time.mono() + 500, then(() => ran.push('never'))) }
  deadlines.set(time.mono() + 400, then(() => { ran.push('first'); deadlines.drop(later.set) }))
  const twin = deadlines.set(time.mono() + 401, then(() => ran.push('twin')))
  deadlines.drop(twin)
  time.advance(1000)
  expect(ran).toEqual(['first'])
})

it('takes deadlines that are set while one runs', () => {
  const time = new ManualTime()
  const deadlines = createDeadlines(time)
  const ran: number[] = []
  const start = time.mono()
  deadlines.set(start + 10, then(() => { deadlines.set(time.mono() + 10, then(() => ran.push(time.mono() - start))) }))
  time.advance(100)
  expect(ran).toEqual([20])
})

it('forgets everything on disposal', () => {
  const time = new ManualTime()
  const deadlines = createDeadlines(time)
  const ran: number[] = []
  deadlines.set(time.mono() + 10, then(() => ran.push(1)))
  deadlines.dispose()
  time.advance(100)
  expect([ran, time.pending]).toEqual([[], 0])
})
