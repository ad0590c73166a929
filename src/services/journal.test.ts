import { expect, it } from 'vitest'
import { ManualTime } from '../../tests/support/manual-time.ts'
import type { DecisionRecord, FailureLogEntry } from '../contract/status.ts'
import { createJournal, DECISIONS_KEPT, EVENTS_KEPT, FAILURES_KEPT, SESSIONS_KEPT } from './journal.ts'

const open = () => createJournal({ time: new ManualTime(), redact: (text) => text.replace('secret', '…') })
const failure = (at: number): FailureLogEntry => ({ at, session: 's', class: 'quota', code: null, message: 'a secret', from: { provider: 'p', model: 'm' }, to: null, why: 'x' })
const decision = (session: string, at: number): DecisionRecord => ({
  at, session, turn: 1, kind: 'failure', from: null, to: null, moveKind: null, class: null, code: null, message: 'a secret', rule: null, why: 'x', until: null, candidates: [], calls: 1, tookMs: 0,
})

it('keeps the newest failures, newest first, with their texts redacted', () => {
  const journal = open()
  for (let n = 0; n < FAILURES_KEPT + 5; n++) journal.failed(failure(n))
  expect(journal.failures()).toHaveLength(FAILURES_KEPT)
  expect(journal.failures()[0]).toMatchObject({ at: FAILURES_KEPT + 4, message: 'a …' })
})

it('keeps the newest decisions of the sessions heard of last', () => {
  const journal = open()
  for (let n = 0; n < DECISIONS_KEPT + 5; n++) journal.decided(decision('first', n))
  expect(journal.decisions('first')).toHaveLength(DECISIONS_KEPT)
  expect(journal.decisions('first')[0]).toMatchObject({ at: DECISIONS_KEPT + 4, message: 'a …' })
  for (let n = 0; n < SESSIONS_KEPT; n++) {
    journal.decided(decision(`s${n}`, n))
    if (n === SESSIONS_KEPT - 2) journal.decided(decision('first', n))
  }
  expect(journal.decisions('first')).not.toEqual([])
  expect(journal.decisions('s0')).toEqual([])
})

it('numbers events without a gap and keeps the newest, of one session where asked', () => {
  const journal = open()
  for (let n = 0; n < EVENTS_KEPT + 50; n++) journal.note(n % 2 ? 'odd' : 'even', 'status', 'secret')
  const events = journal.events({})
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: EVENTS_KEPT }, (_, n) => n + 51))
  expect(events[0]?.detail).toBe('…')
  expect(journal.events({ sessionId: 'odd', limit: 3 }).map(({ seq }) => seq)).toEqual([246, 248, 250])
  expect(journal.events({ sessionId: 'nobody' })).toEqual([])
})
