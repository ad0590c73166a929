import { describe, expect, it } from 'vitest'
import { ManualTime } from '../../../tests/support/manual-time.ts'
import { keptLog, SECRET } from '../../../tests/support/neighbours.ts'
import type { RemedyReport } from '../remedies.ts'
import { createCodeartsHeal, HEAL_DEBOUNCE_MS } from './codearts.ts'
import { onlyFull, saysFull, saysNoAccount } from './codearts-text.ts'

const EMPTY = '429: {"error":{"message":"codearts 当前没有可用账号（全部被禁用或冷却中），请稍后重试","type":"soft_rate"}}'

function world(backAfterMs: number | null = 300) {
  const time = new ManualTime()
  const state = { present: true, restarts: 0, restart: null as null | (() => Promise<void>), entry: true, accounts: null as unknown, running: 0, lastSuccessAt: null as number | null }
  const log = keptLog()
  const heal = createCodeartsHeal({
    entry: () => (state.entry ? {
      async restart() {
        state.restarts++
        if (state.restart) return state.restart()
        state.present = false
        if (backAfterMs !== null) time.after(backAfterMs, () => { state.present = true })
      },
    } : null),
    hasProvider: () => state.present, accounts: () => state.accounts,
    activity: () => ({ running: state.running, lastSuccessAt: state.lastSuccessAt }), time, log,
  })
  const fail = (change: Partial<RemedyReport> = {}) => heal.remedy({
    session: 's', turn: 1, route: { provider: 'codearts', model: 'glm' }, failure: { code: 'RATE_LIMIT', message: EMPTY },
    verdict: { class: 'rate_limit', reset: null }, signal: new AbortController().signal, ...change,
  })
  const run = async <T>(answer: Promise<T>, ms = 20_000): Promise<T> => { await time.run(ms); return answer }
  return { time, state, heal, fail, run, log }
}

describe('the pool that can choose nobody', () => {
  it('is rebuilt by a restart of its entry, and the step is sent again', async () => {
    const { state, heal, fail, run } = world()
    expect(await run(fail())).toBe('retry')
    expect(state.restarts).toBe(1)
    expect(heal.status()).toMatchObject({ present: true, heals: 1, failures: 0, lastError: null })
  })

  it('is restarted once for all who wait', async () => {
    const { state, fail, run } = world()
    const answers = Promise.all([fail(), fail({ session: 't' }), fail({ session: 'u' })])
    expect(await run(answers)).toEqual(['retry', 'retry', 'retry'])
    expect(state.restarts).toBe(1)
  })

  it('is not restarted again within thirty seconds, nor twice in one turn', async () => {
    const { time, state, fail, run } = world()
    expect(await run(fail(), 1000)).toBe('retry')
    expect(await fail({ session: 't' })).toEqual({ kind: 'no-mark' })
    time.advance(HEAL_DEBOUNCE_MS)
    expect(await fail()).toEqual({ kind: 'no-mark' })
    expect(await run(fail({ turn: 2 }), 1000)).toBe('retry')
    expect(state.restarts).toBe(2)
  })
})

describe('a cure that fails moves without a mark', () => {
  it('when the provider does not come back in time', async () => {
    const { heal, fail, run } = world(null)
    expect(await run(fail())).toEqual({ kind: 'no-mark' })
    expect(heal.status()).toMatchObject({ heals: 0, failures: 1, lastError: 'the provider did not come back within 10 s' })
  })

  it('when the restart hangs, throws, or there is nothing to restart', async () => {
    const hanging = world()
    hanging.state.restart = () => new Promise(() => undefined)
    expect(await hanging.run(hanging.fail())).toEqual({ kind: 'no-mark' })
    const throwing = world()
    throwing.state.restart = async () => { throw new TypeError(`no ${SECRET}`) }
    expect(await throwing.run(throwing.fail())).toEqual({ kind: 'no-mark' })
    expect(throwing.heal.status().lastError).toBe('the restart failed (TypeError)')
    expect(throwing.log.text()).not.toContain(SECRET)
    const missing = world()
    missing.state.entry = false
    expect(await missing.run(missing.fail())).toEqual({ kind: 'no-mark' })
    expect(missing.heal.status().lastError).toBe('no plugin entry to restart was found')
  })

  it('but a cancelled turn only stops waiting', async () => {
    const { state, time, fail } = world(null)
    const cancel = new AbortController()
    const answer = fail({ signal: cancel.signal })
    await time.run(500)
    cancel.abort()
    expect(await answer).toBe('pass')
    expect(state.restarts).toBe(1)
  })
})

describe('accounts that are only full', () => {
  it('are never restarted: by the text, by a running call, by a recent success, by their published state', async () => {
    const { time, state, fail, run } = world()
    expect(await fail({ failure: { message: '429: 没有可用账号（均已 capped）' } })).toEqual({ kind: 'capacity' })
    state.running = 1
    expect(await fail()).toEqual({ kind: 'capacity' })
    state.running = 0
    state.lastSuccessAt = time.now() - 60_000
    expect(await fail()).toEqual({ kind: 'capacity' })
    state.lastSuccessAt = time.now() - 60_001
    state.accounts = { accounts: [{ id: 'a', disabled: false, activeConcurrent: 2, maxConcurrent: 2 }] }
    expect(await fail()).toEqual({ kind: 'capacity' })
    state.accounts = { accounts: [{ id: 'a', disabled: true }] }
    expect(await run(fail())).toBe('retry')
    expect(state.restarts).toBe(1)
  })

  it('are told from broken ones by what the pool publishes', () => {
    expect(onlyFull([{ capped: true }, { cappedUntil: 9 }], 5)).toBe(true)
    expect(onlyFull([{ capped: true }, { disabled: true }], 5)).toBe(true)
    expect(onlyFull([{ capped: true }, { capped: false }], 5)).toBe(false)
    expect(onlyFull([{ disabled: true }, { coolUntil: 9 }], 5)).toBe(false)
    expect(onlyFull([{ id: 'a', label: 'x' }], 5)).toBeNull()
    expect(onlyFull(null, 5)).toBeNull()
    expect(onlyFull({ accounts: 'none' }, 5)).toBeNull()
  })
})

describe('any other failure passes by', () => {
  it('of another provider or with another text', async () => {
    const { state, fail } = world()
    expect(await fail({ route: { provider: 'openai', model: 'm' } })).toBe('pass')
    expect(await fail({ failure: { message: '429: too many requests' } })).toBe('pass')
    expect(await fail({ failure: {} })).toBe('pass')
    expect(state.restarts).toBe(0)
  })

  it('and the words that count are known in both languages', () => {
    for (const text of [EMPTY, '没有可用的 codearts 账号', '当前无可用账户', 'No available account', 'no healthy codearts accounts left', 'no account is available', 'All accounts are disabled']) expect([text, saysNoAccount(text)]).toEqual([text, true])
    for (const text of ['account not found', '账号余额不足', 'no available model', 'available accounts: 3', '账号可用']) expect([text, saysNoAccount(text)]).toEqual([text, false])
    expect(saysFull('没有可用账号：并发会话数已达上限')).toBe(true)
    expect(saysFull(EMPTY)).toBe(false)
  })
})
