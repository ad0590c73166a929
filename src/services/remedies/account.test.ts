import { describe, expect, it } from 'vitest'
import { ManualTime, settle } from '../../../tests/support/manual-time.ts'
import { SECRET, toyPool } from '../../../tests/support/neighbours.ts'
import type { FailureClass } from '../../contract/failure.ts'
import type { RemedyReport } from '../remedies.ts'
import { BUSY_COOL_MS, coolUntil, createAccountHandoff, POOL_WAIT_MS } from './account.ts'

const DAY_END = 9_000_000_000_000

function world(ids: readonly string[], options: { readonly excluded?: readonly string[]; readonly pool?: unknown; readonly exclusion?: boolean } = {}) {
  const time = new ManualTime()
  let touched = 0
  const pool = toyPool('free', ids, { now: () => time.now(), touched: () => { touched++ }, ...(options.exclusion === undefined ? {} : { exclusion: options.exclusion }) })
  const handoff = createAccountHandoff({ pool: () => ('pool' in options ? options.pool : pool), excluded: () => options.excluded ?? ['codearts'], dayEnd: () => DAY_END, time })
  const fail = (change: Partial<RemedyReport> & { readonly kind?: FailureClass; readonly reset?: number } = {}) => {
    const { kind = 'server', reset, ...rest } = change
    return handoff.remedy({
      session: 's', turn: 1, route: { provider: 'free', model: 'm' }, failure: { message: 'x' },
      verdict: { class: kind, reset: reset ?? null }, signal: new AbortController().signal, ...rest,
    })
  }
  return { time, pool, handoff, fail, touched: () => touched }
}

describe('the account that failed', () => {
  it('rests for this model and the next account is asked, until none is left', async () => {
    const { pool, fail, handoff } = world(['a', 'b', 'c'])
    expect(await fail()).toBe('retry')
    expect(await fail()).toBe('retry')
    expect(await fail()).toBe('pass')
    expect(pool.coolings.map(({ id, model }) => `${id} ${model}`)).toEqual(['a m', 'b m'])
    expect(handoff.status()).toMatchObject({ present: true, handoffs: 2, lastError: null })
  })

  it('rests until the stated reset, a minute when busy, else to the end of the usage day', () => {
    expect(coolUntil('quota', 5000, 1000, DAY_END)).toBe(5000)
    expect(coolUntil('rate_limit', 500, 1000, DAY_END)).toBe(1000 + BUSY_COOL_MS)
    expect(coolUntil('rate_limit', null, 1000, DAY_END)).toBe(1000 + BUSY_COOL_MS)
    expect(coolUntil('capacity', null, 1000, DAY_END)).toBe(1000 + BUSY_COOL_MS)
    expect(coolUntil('auth', null, 1000, DAY_END)).toBe(DAY_END)
  })

  it('is left alone when it is the only one: cooling it would only bar the user', async () => {
    const { pool, fail } = world(['a'])
    expect(await fail()).toBe('pass')
    expect(pool.coolings).toEqual([])
  })

  it('is the one another session cooled while our request ran, not the innocent next', async () => {
    const { time, pool, fail } = world(['a', 'b', 'c'])
    const startedAt = time.now()
    time.advance(100)
    expect(await fail({ session: 'one', startedAt })).toBe('retry')
    expect(await fail({ session: 'two', startedAt })).toBe('retry')
    expect(pool.coolings.map(({ id }) => id)).toEqual(['a'])
    time.advance(10)
    expect(await fail({ session: 'two', startedAt: time.now() })).toBe('retry')
    expect(pool.coolings.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('is tried once a turn even when the pool ignores the cooling', async () => {
    const { pool, fail } = world(['a', 'b'])
    pool.updateModelRateLimit = async () => undefined
    expect(await fail()).toBe('retry')
    expect(await fail()).toBe('pass')
    expect(await fail({ turn: 2 })).toBe('retry')
  })

  it('is found in pools that know no exclusion', async () => {
    const { fail } = world(['a', 'b'], { exclusion: false })
    expect(await fail()).toBe('retry')
    expect(await fail()).toBe('pass')
  })
})

describe('silence', () => {
  it('without a pool, with a pool of another shape, and for excluded providers', async () => {
    for (const pool of [undefined, null, 7, {}, { getAvailableAccount: () => null }]) {
      const { fail, handoff } = world(['a', 'b'], { pool })
      expect(await fail()).toBe('pass')
      expect(handoff.status()).toEqual({ present: false, handoffs: 0, lastAt: null, lastError: null })
    }
    const { fail, pool } = world(['a', 'b'], { excluded: ['free'] })
    expect(await fail()).toBe('pass')
    expect(pool.coolings).toEqual([])
  })

  it('for a provider without accounts in the pool', async () => {
    const { fail, pool } = world(['a', 'b'])
    expect(await fail({ route: { provider: 'other', model: 'm' } })).toBe('pass')
    expect(pool.coolings).toEqual([])
  })

  it('about credentials: none is read, none is told', async () => {
    const { pool, fail, handoff, touched } = world(['a', 'b'])
    pool.updateModelRateLimit = async () => { throw new Error(`refused for ${SECRET}`) }
    expect(await fail()).toBe('pass')
    expect(touched()).toBe(0)
    expect(JSON.stringify(handoff.status())).not.toContain(SECRET)
    expect(handoff.status().lastError).toBe('updateModelRateLimit failed (Error)')
  })
})

describe('a pool that hangs', () => {
  it('is waited for a bounded time', async () => {
    const { time, pool, fail, handoff } = world(['a', 'b'])
    pool.getAvailableAccount = () => new Promise(() => undefined)
    const answer = fail()
    await settle()
    time.advance(POOL_WAIT_MS)
    expect(await answer).toBe('pass')
    expect(handoff.status().lastError).toBe('getAvailableAccount did not answer in time')
  })

  it('is left at once when the turn is cancelled', async () => {
    const { time, pool, fail } = world(['a', 'b'])
    pool.getAvailableAccount = () => new Promise(() => undefined)
    const cancel = new AbortController()
    const answer = fail({ signal: cancel.signal })
    await settle()
    cancel.abort()
    expect(await answer).toBe('pass')
    expect(time.pending).toBe(0)
  })
})
