/** Tries, in order, what may cure a failure without leaving the model. Bounded in time per turn; never throws. */
import type { Failure, FailureClass } from '../contract/failure.ts'
import type { Route } from '../contract/route.ts'
import type { Log, Time } from '../ports.ts'
import { errorName, within } from './remedies/wait.ts'

/** One failed request as the remedies see it. `startedAt` (epoch ms) = when it was sent, if known. */
export interface RemedyReport {
  readonly session: string
  readonly turn: number
  readonly route: Route
  readonly failure: Failure
  readonly verdict: { readonly class: FailureClass; readonly reset: number | null }
  readonly signal: AbortSignal
  readonly startedAt?: number
}

/**
 * `retry`: send the same step on the same model again. `pass`: nothing to offer. `capacity`: the route is only full,
 * so rest and move for a while. `no-mark`: the cure failed; move, but the model is not to blame for the day.
 */
export type RemedyAnswer = 'retry' | 'pass' | { readonly kind: 'capacity' } | { readonly kind: 'no-mark' }
export type Remedy = (report: RemedyReport) => Promise<RemedyAnswer>

/** Classes that stay what they are whoever asks: another account or a restarted plugin changes nothing. */
const INCURABLE: ReadonlySet<FailureClass> = new Set(['context_too_long', 'invalid_request', 'unsupported_modality', 'content_filter', 'cancelled', 'local'])

/** Time all remedies of one turn may take together, in ms. */
export const REMEDY_BUDGET_MS = 45_000
/** Retries that remedies may ask for in one turn. */
export const REMEDY_RETRIES = 32

export interface Remedies {
  /** The first answer that is not `pass`. `budgetMs` lowers the time limit further (what the step has left). */
  run(report: RemedyReport, budgetMs?: number): Promise<RemedyAnswer>
  /** The session is gone; nothing of it is kept. */
  forget(session: string): void
}

interface Spent { readonly turn: number; ms: number; retries: number }

/** Remedies in the order given. */
export function createRemedies(parts: { readonly remedies: readonly Remedy[]; readonly time: Time; readonly log: Log }): Remedies {
  const { remedies, time, log } = parts
  const spentBy = new Map<string, Spent>()

  function spentOf({ session, turn }: RemedyReport): Spent {
    const known = spentBy.get(session)
    if (known?.turn === turn) return known
    const fresh: Spent = { turn, ms: 0, retries: 0 }
    spentBy.set(session, fresh)
    return fresh
  }

  async function ask(remedy: Remedy, report: RemedyReport, ms: number): Promise<RemedyAnswer> {
    if (ms <= 0 || report.signal.aborted) return 'pass'
    const outcome = await within(() => remedy(report), { time, ms, signal: report.signal })
    if (outcome.done) return outcome.value
    if (outcome.why === 'failed') log.warn('a remedy for %s/%s failed (%s)', report.route.provider, report.route.model, errorName(outcome.error))
    return 'pass'
  }

  return {
    async run(report, budgetMs = REMEDY_BUDGET_MS) {
      if (INCURABLE.has(report.verdict.class)) return 'pass'
      const spent = spentOf(report)
      const end = time.mono() + Math.min(budgetMs, REMEDY_BUDGET_MS - spent.ms)
      for (const remedy of remedies) {
        if (spent.retries >= REMEDY_RETRIES) return 'pass'
        const began = time.mono()
        const answer = await ask(remedy, report, end - began)
        spent.ms += time.mono() - began
        if (answer === 'pass') continue
        if (answer === 'retry') spent.retries++
        return answer
      }
      return 'pass'
    },
    forget(session) { spentBy.delete(session) },
  }
}
