/**
 * Hands a failed model over to another account of a pool that a neighbour plugin offers: the account just used gets a
 * cooling mark for this model, and the same model is asked again. Only account ids are read, never a credential.
 */
import type { FailureClass } from '../../contract/failure.ts'
import { routeKey, type Route } from '../../contract/route.ts'
import type { NeighboursStatus } from '../../contract/status.ts'
import type { Time } from '../../ports.ts'
import type { Remedy, RemedyReport } from '../remedies.ts'
import { errorName, within } from './wait.ts'

/** Cooling of an account that is only busy, in ms. */
export const BUSY_COOL_MS = 60_000
/** Longest wait for one answer of the pool, in ms. */
export const POOL_WAIT_MS = 5_000

/** The pool as far as we use it; every part is checked before use. */
interface Pool {
  listAccountsByProvider(provider: string): unknown
  getAvailableAccount(provider: string, model: string, exclude?: ReadonlySet<string>): unknown
  updateModelRateLimit(accountId: string, model: string, resetAt: number): unknown
}

export interface AccountSources {
  /** The pool service as it is now, or anything else when there is none. */
  pool(): unknown
  /** Providers that are never handed over. */
  excluded(): readonly string[]
  /** End (epoch ms) of the usage day that `now` lies in. */
  dayEnd(now: number): number
  readonly time: Time
}

export interface AccountHandoff {
  readonly remedy: Remedy
  forget(session: string): void
  status(): NeighboursStatus['accountPool']
}

interface Cooling { readonly route: string; readonly id: string; readonly at: number }

/**
 * Until when an account rests (epoch ms): the instant the upstream named; else a minute when it was only busy; else to
 * the end of the usage day.
 */
export function coolUntil(kind: FailureClass, reset: number | null, now: number, dayEnd: number): number {
  if (reset !== null && reset > now) return reset
  return kind === 'rate_limit' || kind === 'capacity' ? now + BUSY_COOL_MS : dayEnd
}

/** The hand-over remedy; it does nothing while no pool is there. */
export function createAccountHandoff(sources: AccountSources): AccountHandoff {
  const { time } = sources
  const triedBy = new Map<string, { readonly turn: number; readonly ids: Set<string> }>()
  let coolings: Cooling[] = []
  let handoffs = 0
  let lastAt: number | null = null
  let lastError: string | null = null

  function triedOf({ session, turn }: RemedyReport): Set<string> {
    const known = triedBy.get(session)
    if (known?.turn === turn) return known.ids
    const ids = new Set<string>()
    triedBy.set(session, { turn, ids })
    return ids
  }

  async function ask<T>(what: string, signal: AbortSignal, work: () => T | Promise<T>): Promise<T | null> {
    const outcome = await within(work, { time, ms: POOL_WAIT_MS, signal })
    if (outcome.done) return outcome.value
    if (outcome.why !== 'aborted') lastError = `${what} ${outcome.why === 'timeout' ? 'did not answer in time' : `failed (${errorName(outcome.error)})`}`
    return null
  }

  async function available(pool: Pool, { route, signal }: RemedyReport, exclude?: ReadonlySet<string>): Promise<string | null> {
    const found = await ask('getAvailableAccount', signal, () => (exclude
      ? pool.getAvailableAccount(route.provider, route.model, exclude) : pool.getAvailableAccount(route.provider, route.model)))
    return idOf(isObject(found) ? found.entry : null)
  }

  /** The account this failure belongs to: the one another session cooled while our request ran, else the pool's first. */
  async function usedAccount(pool: Pool, report: RemedyReport, tried: ReadonlySet<string>): Promise<{ id: string; cooled: boolean } | null> {
    const began = report.startedAt ?? Number.POSITIVE_INFINITY
    const cooling = coolings.find((one) => one.route === routeKey(report.route) && one.at >= began && !tried.has(one.id))
    if (cooling) return { id: cooling.id, cooled: true }
    const id = await available(pool, report)
    return id === null || tried.has(id) ? null : { id, cooled: false }
  }

  /** True when the pool would choose an account next that this turn has not tried. */
  async function hasAnother(pool: Pool, report: RemedyReport, tried: ReadonlySet<string>): Promise<boolean> {
    const next = await available(pool, report, tried)
    if (next !== null && !tried.has(next)) return true
    // A pool without exclusion names the same account again; its list tells whether there is more.
    return next !== null && listed(pool, report.route).some((entry) => isFree(entry, report.route, time.now()) && !tried.has(idOf(entry) ?? ''))
  }

  async function cool(pool: Pool, { route, verdict, signal }: RemedyReport, id: string): Promise<boolean> {
    const now = time.now()
    const until = coolUntil(verdict.class, verdict.reset, now, sources.dayEnd(now))
    const done = await ask('updateModelRateLimit', signal, async () => { await pool.updateModelRateLimit(id, route.model, until); return true })
    if (done === null) return false
    coolings = [...coolings.filter((one) => now - one.at < BUSY_COOL_MS * 10), { route: routeKey(route), id, at: now }].slice(-200)
    return true
  }

  const remedy: Remedy = async (report) => {
    if (sources.excluded().includes(report.route.provider)) return 'pass'
    const pool = asPool(sources.pool)
    if (!pool || listed(pool, report.route).length === 0) return 'pass'
    const tried = triedOf(report)
    const used = await usedAccount(pool, report, tried)
    if (!used || report.signal.aborted) return 'pass'
    tried.add(used.id)
    if (!await hasAnother(pool, report, tried) || report.signal.aborted) return 'pass'
    if (!used.cooled && !await cool(pool, report, used.id)) return 'pass'
    handoffs++
    lastAt = time.now()
    return 'retry'
  }

  return {
    remedy,
    forget(session) { triedBy.delete(session) },
    status: () => ({ present: asPool(sources.pool) !== null, handoffs, lastAt, lastError }),
  }
}

function asPool(read: () => unknown): Pool | null {
  let pool: unknown
  try { pool = read() } catch { return null /* a guarded service that is not there */ }
  if (!isObject(pool)) return null
  const methods = ['listAccountsByProvider', 'getAvailableAccount', 'updateModelRateLimit'] as const
  return methods.every((name) => typeof pool[name] === 'function') ? (pool as unknown as Pool) : null
}

function listed(pool: Pool, route: Route): readonly unknown[] {
  try {
    const entries = pool.listAccountsByProvider(route.provider)
    return Array.isArray(entries) ? entries : []
  } catch { return [] /* a pool that cannot list is treated as empty */ }
}

function isFree(entry: unknown, route: Route, now: number): boolean {
  if (!isObject(entry) || entry.enabled === false) return false
  const limit = isObject(entry.modelRateLimits) ? entry.modelRateLimits[route.model] : undefined
  return typeof limit !== 'number' || limit <= now
}

function idOf(entry: unknown): string | null {
  return isObject(entry) && typeof entry.id === 'string' && entry.id !== '' ? entry.id : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
