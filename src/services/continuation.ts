/**
 * Work that a failure interrupted and that no retry of the same step could save: one owed continuation per session,
 * delivered when the session is idle, by reviving its goal or else by one short message.
 */
import type { Dispose, GoalTicket, HostPort, Log, Time } from '../ports.ts'

const BACKSTOP_MS = 30_000

interface Owed {
  readonly session: string
  readonly turn: number
  readonly reason: string
  readonly goal: GoalTicket | null
  readonly queuedAt: number
  attempts: number
  /** Somebody else's turn came first: its goal is still owed, a message would be out of place. */
  overtaken: boolean
  stop: Dispose
}

export interface Continuations {
  /** Owes one continuation; a second one for the same session replaces the first. */
  owe(session: string, debt: { readonly turn: number; readonly reason: string; readonly goal: GoalTicket | null }): void
  /** Forgets it: the user cancelled, sent something else, or the session went. */
  drop(session: string, why: string): void
  /** A turn began that is not the continuation. */
  overtaken(session: string): void
  /** Tries again if something is owed (the session has become idle). */
  idle(session: string): void
  owed(): readonly { readonly session: string; readonly queuedAt: number; readonly attempts: number; readonly reason: string }[]
  close(): void
}

export interface ContinuationDeps {
  readonly time: Time
  readonly log: Log
  readonly host: Pick<HostPort, 'whenIdle' | 'followUp' | 'reviveGoal' | 'session' | 'language'>
  /** The message for the model and its one-line summary, in the session's language. */
  text(language: 'zh' | 'en'): { readonly text: string; readonly summary: string }
  /** Told right before a turn that continues is started (true), and if it was not started after all (false). */
  continuing(session: string, on: boolean): void
  /** Run-state journal: queued, delivered, dropped. */
  note(session: string, event: string, detail: string | null): void
}

export function createContinuations(deps: ContinuationDeps): Continuations {
  const { time, log, host, note } = deps
  const owed = new Map<string, Owed>()
  let closed = false

  const settle = (debt: Owed, event: string): void => {
    debt.stop()
    owed.delete(debt.session)
    note(debt.session, event, debt.reason)
  }

  const deliver = (debt: Owed): void => {
    if (closed || owed.get(debt.session) !== debt) return
    const live = host.session(debt.session)
    if (!live) { settle(debt, 'continuation/dropped'); return }
    if (live.running) return // its own idle edge comes back here
    debt.attempts += 1
    if (!debt.overtaken) deps.continuing(debt.session, true)
    if (debt.goal && host.reviveGoal(debt.session, debt.goal)) { settle(debt, 'continuation/goal-revived'); return }
    if (debt.overtaken) { settle(debt, 'continuation/dropped'); return }
    const { text, summary } = deps.text(host.language(debt.session))
    if (host.followUp(debt.session, text, summary)) { settle(debt, 'continuation/delivered'); return }
    deps.continuing(debt.session, false)
    log.warn('the continuation of %s was refused (attempt %d), it stays queued', debt.session, debt.attempts)
    note(debt.session, 'continuation/refused', debt.reason)
    arm(debt)
  }

  /** Waits for the next idle edge, and for at most 30 s. */
  const arm = (debt: Owed): void => {
    debt.stop()
    debt.stop = time.after(BACKSTOP_MS, () => { deliver(debt); if (owed.get(debt.session) === debt) arm(debt) })
  }

  const whenIdle = (debt: Owed): void => {
    void host.whenIdle(debt.session).then(() => deliver(debt), () => { /* the backstop tries again */ })
  }

  return {
    owe(session, { turn, reason, goal }) {
      if (closed) return
      owed.get(session)?.stop()
      const debt: Owed = { session, turn, reason, goal, queuedAt: time.now(), attempts: 0, overtaken: false, stop: () => {} }
      owed.set(session, debt)
      note(session, 'continuation/queued', reason)
      arm(debt)
      whenIdle(debt)
    },
    drop(session, why) {
      const debt = owed.get(session)
      if (!debt) return
      debt.stop()
      owed.delete(session)
      note(session, 'continuation/dropped', why)
    },
    overtaken(session) {
      const debt = owed.get(session)
      if (debt?.goal) debt.overtaken = true
      else this.drop(session, 'overtaken')
    },
    idle(session) {
      const debt = owed.get(session)
      if (debt) whenIdle(debt)
    },
    owed: () => [...owed.values()].map(({ session, queuedAt, attempts, reason }) => ({ session, queuedAt, attempts, reason })),
    close() {
      closed = true
      for (const debt of owed.values()) {
        debt.stop()
        note(debt.session, 'continuation/dropped', 'disposed')
        log.warn('continuation/dropped: %s', debt.session)
      }
      owed.clear()
    },
  }
}
