/**
 * Heals the codearts provider when its private account pool can choose nobody although the accounts are sound: its
 * plugin entry is restarted, which rebuilds the pool, and the step is sent again. While the accounts are only full a
 * restart would abort their running calls, so then the answer is a short move instead.
 */
import type { NeighboursStatus } from '../../contract/status.ts'
import type { Log, Time } from '../../ports.ts'
import type { Remedy, RemedyReport } from '../remedies.ts'
import { onlyFull, saysFull, saysNoAccount } from './codearts-text.ts'
import { errorName, pause, within } from './wait.ts'

export const CODEARTS_PROVIDER = 'codearts'
/** Longest wait for the provider to come back, in ms. */
export const HEAL_WAIT_MS = 10_000
/** Least distance of two restarts, in ms. */
export const HEAL_DEBOUNCE_MS = 30_000
/** A call that succeeded this recently (ms) proves that an account is alive. */
export const RECENT_SUCCESS_MS = 60_000
const POLL_MS = 100

export interface CodeartsSources {
  /** The provider's plugin entry as it is now; null when the host has no loader or no such entry. */
  entry(): { restart(): Promise<unknown> } | null
  hasProvider(provider: string): boolean
  /** Account states the plugin may publish, in any shape; null when it publishes none. */
  accounts(): unknown
  /** Calls on the provider that run now without the failed one, and when one last succeeded (epoch ms). */
  activity(provider: string): { readonly running: number; readonly lastSuccessAt: number | null }
  readonly time: Time
  readonly log: Log
}

export interface CodeartsHeal {
  readonly remedy: Remedy
  forget(session: string): void
  status(): NeighboursStatus['codearts']
}

/** The self-heal remedy; it answers only to the one failure it can cure. */
export function createCodeartsHeal(sources: CodeartsSources): CodeartsHeal {
  const { time, log } = sources
  const healedIn = new Map<string, number>()
  let healing: Promise<boolean> | null = null
  let startedMono: number | null = null
  let heals = 0
  let failures = 0
  let lastAt: number | null = null
  let lastError: string | null = null

  async function full({ failure, signal }: RemedyReport): Promise<boolean> {
    if (saysFull(failure.message ?? '')) return true
    const now = time.now()
    const { running, lastSuccessAt } = sources.activity(CODEARTS_PROVIDER)
    if (running > 0 || (lastSuccessAt !== null && now - lastSuccessAt <= RECENT_SUCCESS_MS)) return true
    const published = await within(() => sources.accounts(), { time, ms: 1000, signal })
    return published.done && onlyFull(published.value, now) === true
  }

  /** One restart, whoever waits for it; true when the provider is back. */
  async function heal(): Promise<boolean> {
    lastAt = time.now()
    const end = time.mono() + HEAL_WAIT_MS
    const problem = await restarted(end)
    if (problem === null) heals++
    else failures++
    lastError = problem
    log.warn('codearts had no account to choose: %s', problem ?? 'its plugin was restarted and is back')
    return problem === null
  }

  async function restarted(end: number): Promise<string | null> {
    let entry: ReturnType<CodeartsSources['entry']>
    try { entry = sources.entry() } catch { entry = null /* a loader that cannot be read is no loader */ }
    if (!entry) return 'no plugin entry to restart was found'
    const found = entry
    const outcome = await within(() => found.restart(), { time, ms: HEAL_WAIT_MS })
    if (!outcome.done) return outcome.why === 'timeout' ? 'the restart took longer than 10 s' : `the restart failed (${errorName(outcome.error)})`
    while (!sources.hasProvider(CODEARTS_PROVIDER)) {
      if (time.mono() >= end) return 'the provider did not come back within 10 s'
      await pause({ time, ms: POLL_MS })
    }
    return null
  }

  const remedy: Remedy = async (report) => {
    if (report.route.provider !== CODEARTS_PROVIDER || !saysNoAccount(report.failure.message ?? '')) return 'pass'
    if (await full(report)) return { kind: 'capacity' }
    if (report.signal.aborted) return 'pass'
    if (healedIn.get(report.session) === report.turn) return { kind: 'no-mark' }
    if (!healing) {
      if (startedMono !== null && time.mono() - startedMono < HEAL_DEBOUNCE_MS) return { kind: 'no-mark' }
      startedMono = time.mono()
      healing = heal().finally(() => { healing = null })
    }
    healedIn.set(report.session, report.turn)
    const running = healing
    const outcome = await within(() => running, { time, ms: HEAL_WAIT_MS + 1000, signal: report.signal })
    if (outcome.done && outcome.value) return 'retry'
    return !outcome.done && outcome.why === 'aborted' ? 'pass' : { kind: 'no-mark' }
  }

  return {
    remedy,
    forget(session) { healedIn.delete(session) },
    status: () => ({ present: sources.hasProvider(CODEARTS_PROVIDER), heals, failures, lastAt, lastError }),
  }
}
