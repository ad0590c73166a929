/** What happened lately, in memory: failures, decisions per session, run-state events. Texts of upstreams pass the redactor. */
import type { DecisionRecord, FailureLogEntry, RunStateEvent } from '../contract/status.ts'
import type { Time } from '../ports.ts'

export const FAILURES_KEPT = 50
export const DECISIONS_KEPT = 50
export const EVENTS_KEPT = 200
/** Decisions of the sessions heard of last are kept; older sessions are forgotten whole. */
export const SESSIONS_KEPT = 200

export interface Journal {
  failed(entry: FailureLogEntry): void
  /** Newest first; the same list until one is added. */
  failures(): readonly FailureLogEntry[]
  decided(record: DecisionRecord): void
  /** Newest first. */
  decisions(sessionId: string): readonly DecisionRecord[]
  note(session: string, event: string, detail: string | null): void
  /** Oldest first, at most `limit` of the newest; of one session if named. */
  events(filter: { readonly sessionId?: string | undefined; readonly limit?: number | undefined }): readonly RunStateEvent[]
}

export interface JournalDeps {
  readonly time: Pick<Time, 'now'>
  readonly redact: (text: string) => string
}

export function createJournal({ time, redact }: JournalDeps): Journal {
  let failures: readonly FailureLogEntry[] = []
  const decisions = new Map<string, readonly DecisionRecord[]>()
  const events: RunStateEvent[] = []
  let seq = 0
  const clean = (text: string | null): string | null => (text === null ? null : redact(text))

  return {
    failed(entry) {
      failures = [{ ...entry, message: clean(entry.message) }, ...failures].slice(0, FAILURES_KEPT)
    },
    failures: () => failures,
    decided(record) {
      const earlier = decisions.get(record.session) ?? []
      decisions.delete(record.session)
      decisions.set(record.session, [{ ...record, message: clean(record.message) }, ...earlier].slice(0, DECISIONS_KEPT))
      const oldest = decisions.keys().next()
      if (decisions.size > SESSIONS_KEPT && !oldest.done) decisions.delete(oldest.value)
    },
    decisions: (sessionId) => decisions.get(sessionId) ?? [],
    note(session, event, detail) {
      events.push({ seq: ++seq, at: time.now(), session, event, detail: clean(detail) })
      if (events.length > EVENTS_KEPT) events.shift()
    },
    events({ sessionId, limit = EVENTS_KEPT }) {
      const found = sessionId === undefined ? events : events.filter(({ session }) => session === sessionId)
      return found.slice(Math.max(0, found.length - limit))
    },
  }
}
