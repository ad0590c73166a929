import { expect, it } from 'vitest'
import { ManualTime, settle } from '../../tests/support/manual-time.ts'
import { keptLog } from '../../tests/support/neighbours.ts'
import { failureClassSchema } from '../contract/failure.ts'
import { createRemedies, REMEDY_BUDGET_MS, REMEDY_RETRIES, type Remedy, type RemedyReport } from './remedies.ts'

const time = new ManualTime()
const report = (change: Partial<RemedyReport> = {}): RemedyReport => ({
  session: 's', turn: 1, route: { provider: 'p', model: 'm' }, failure: { code: 'SERVER', message: 'x' },
  verdict: { class: 'server', reset: null }, signal: new AbortController().signal, ...change,
})
const of = (...remedies: Remedy[]) => createRemedies({ remedies, time, log: keptLog() })

it('asks in order and stops at the first answer', async () => {
  const asked: string[] = []
  const remedies = of(async () => { asked.push('a'); return 'pass' }, async () => { asked.push('b'); return 'retry' }, async () => { asked.push('c'); return 'retry' })
  expect(await remedies.run(report())).toBe('retry')
  expect(asked).toEqual(['a', 'b'])
})

it('asks nobody for a class that no other account can change', async () => {
  const incurable = new Set(['context_too_long', 'invalid_request', 'unsupported_modality', 'content_filter', 'cancelled', 'local'])
  for (const kind of failureClassSchema.options) {
    const answer = await of(async () => 'retry').run(report({ verdict: { class: kind, reset: null } }))
    expect([kind, answer]).toEqual([kind, incurable.has(kind) ? 'pass' : 'retry'])
  }
})

it('goes on after a remedy that throws, and does not log what it said', async () => {
  const log = keptLog()
  const remedies = createRemedies({ remedies: [() => { throw new Error('token abc') }, async () => ({ kind: 'capacity' })], time, log })
  expect(await remedies.run(report())).toEqual({ kind: 'capacity' })
  expect(log.text()).not.toContain('abc')
})

it('waits no longer than the budget of the turn, over all its failures', async () => {
  const remedies = of(() => new Promise(() => undefined), async () => 'retry')
  const first = remedies.run(report())
  await settle()
  time.advance(REMEDY_BUDGET_MS)
  expect(await first).toBe('pass')
  expect(await remedies.run(report())).toBe('pass')
  const next = remedies.run(report({ turn: 2 }), 1000)
  await settle()
  time.advance(1000)
  expect(await next).toBe('pass')
})

it('ends every wait when the turn is cancelled', async () => {
  const cancel = new AbortController()
  const running = of(() => new Promise(() => undefined)).run(report({ signal: cancel.signal }))
  await settle()
  cancel.abort()
  expect(await running).toBe('pass')
  expect(time.pending).toBe(0)
})

it('asks for a bounded number of retries in a turn', async () => {
  const remedies = of(async () => 'retry')
  for (let index = 0; index < REMEDY_RETRIES; index++) expect(await remedies.run(report())).toBe('retry')
  expect(await remedies.run(report())).toBe('pass')
  remedies.forget('s')
  expect(await remedies.run(report())).toBe('retry')
})
