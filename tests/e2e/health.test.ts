// Dead routes cost nothing and come back by evidence: storms, probes, outages, half-open trials and slow streams on the real host.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { Home } from '../../dev/home.mts'
import { infoOf, openChain, order } from '../support/chain.ts'
import type { World, WorldOptions } from '../support/world.ts'

const CHAIN = ['alpha/a-1', 'beta/b-1', 'gamma/c-1']

let world: World
afterEach(() => world.close())

async function bound(options: WorldOptions = {}): Promise<void> {
  world = await openChain(options, CHAIN)
}

interface Status {
  readonly failed: readonly { readonly provider: string; readonly model: string }[]
  readonly health: {
    readonly outage: { readonly active: boolean }
    readonly probes: readonly { readonly model: string; readonly lastOk: boolean | null }[]
    readonly breakers: readonly { readonly model: string | null; readonly state: string }[]
    readonly endpoints: readonly { readonly state: string }[]
  }
}
const status = async (): Promise<Status> => (await world.host.api('/status')).body as Status
const calls = (route: string, purpose?: string): number => world.upstream.log.filter((call) => `${call.provider}/${call.model}` === route && (purpose === undefined || call.purpose === purpose)).length
const override = async (session: string): Promise<unknown> => (await infoOf(world, session)).override

describe('a storm', () => {
  it('of 16 sessions on a limited route costs it 16 · (1 + retries) + 3 calls at most, none after the trip, and every session completes', async () => {
    const retries = 1
    await bound({ rowConfig: { enableProbe: false } })
    world.upstream.set('alpha', 'a-1', { fault: '429', purpose: 'chat' })
    const sessions = await Promise.all(Array.from({ length: 16 }, () => world.host.createSession()))
    const turns = await Promise.all(sessions.map((session, index) => world.host.turn(session, `storm ${index}`, 60_000)))
    expect(turns.map(({ end }) => end)).toEqual(turns.map(() => 'completed'))
    expect(turns.every(({ text }) => /beta|gamma/.test(text))).toBe(true)
    expect(calls('alpha/a-1', 'chat')).toBeLessThanOrEqual(16 * (1 + retries) + 3)
    const before = calls('alpha/a-1')
    const more = await Promise.all(sessions.map((session) => world.host.turn(session, 'and again', 60_000)))
    expect(more.every(({ end }) => end === 'completed')).toBe(true)
    expect(calls('alpha/a-1')).toBe(before)
  })
})

describe('coming back by evidence', () => {
  it('returns the session after two good probes and one turn; no user request was the guinea pig', async () => {
    await bound({ rowConfig: { ledgerEvidenceGapMs: 1000, endpoint_probe_interval_ms: 1000 } })
    world.upstream.set('alpha', 'a-1', '500')
    const session = await world.host.createSession()
    expect((await world.host.turn(session, 'one')).text).toContain('beta/b-1')
    const met = calls('alpha/a-1', 'chat')
    await expect.poll(() => calls('alpha/a-1', 'other'), { timeout: 20_000 }).toBeGreaterThanOrEqual(1)
    expect((await world.host.turn(session, 'two')).text).toContain('beta/b-1')
    world.upstream.set('alpha', 'a-1', 'ok')
    await expect.poll(async () => (await status()).failed, { timeout: 40_000, interval: 250 }).toEqual([])
    expect(calls('alpha/a-1', 'chat')).toBe(met)
    expect((await world.host.turn(session, 'three')).text).toContain('alpha/a-1')
    expect(await override(session)).toBeNull()
  })

  it('sends no probe to a route that was marked by hand', async () => {
    await bound({ rowConfig: { ledgerEvidenceGapMs: 1000 } })
    await world.host.api('/failed/mark', { body: { provider: 'gamma', model: 'c-1' } })
    world.upstream.set('alpha', 'a-1', '500')
    await world.host.turn(await world.host.createSession(), 'one')
    await expect.poll(() => calls('alpha/a-1', 'other'), { timeout: 20_000 }).toBeGreaterThanOrEqual(1)
    expect(calls('gamma/c-1', 'other')).toBe(0)
  })
})

describe('a half-open breaker', () => {
  it('admits exactly one trial however many sessions ask at once', async () => {
    await bound({ rowConfig: { enableProbe: false, modelCooldownMs: 1000, modelCircuitThreshold: 1, ledgerRecovery: 'day' } })
    world.upstream.set('alpha', 'a-1', { fault: '500', purpose: 'chat' })
    const sessions = await Promise.all(Array.from({ length: 6 }, () => world.host.createSession()))
    expect((await world.host.turn(sessions[0] ?? '', 'open it')).end).toBe('completed')
    await world.host.api('/failed/reset', { body: { provider: 'alpha', model: 'a-1' } })
    await expect.poll(async () => (await status()).health.breakers.find(({ model }) => model === 'a-1')?.state, { timeout: 10_000 }).toBe('half-open')
    world.upstream.set('alpha', 'a-1', { fault: 'hang', purpose: 'chat' })
    const before = calls('alpha/a-1', 'chat')
    const turns = await Promise.all(sessions.slice(1).map((session) => world.host.turn(session, 'all at once', 60_000)))
    expect(turns.map(({ end }) => end)).toEqual(turns.map(() => 'completed'))
    expect(calls('alpha/a-1', 'chat') - before).toBe(1)
  })
})

describe('a network that is gone', () => {
  it('marks nothing, and everything works again when it is back', async () => {
    await bound({ rowConfig: { enableProbe: true } })
    const session = await world.host.createSession()
    order(world, CHAIN, 'reset')
    expect((await world.host.turn(session, 'into the dark', 60_000)).end).toBe('error')
    const dark = await status()
    expect(dark.failed).toEqual([])
    expect(dark.health.breakers).toEqual([])
    expect(dark.health.endpoints).toEqual([])
    expect(dark.health.outage.active).toBe(true)
    order(world, CHAIN, 'ok')
    const turn = await world.host.turn(session, 'light again')
    expect(turn.end).toBe('completed')
    expect((await status()).health.outage.active).toBe(false)
  })
})

describe('the stream gate', () => {
  it('never cuts or switches a slow but healthy stream', async () => {
    await bound({ rowConfig: { streamGateTimeoutMs: 1000 }, idleTimeoutMs: 5000 })
    world.upstream.set('alpha', 'a-1', { fault: 'slow', purpose: 'chat' })
    const turn = await world.host.turn(await world.host.createSession(), 'take your time, please, and say it all', 60_000)
    expect(turn.headers).toEqual(['alpha/a-1'])
    expect(turn.text).toBe('Here is alpha/a-1. You wrote: take your time, please, and say it all')
  })

  it('rescues a session title while the chat stays where it is', async () => {
    await bound({ rowConfig: { enableProbe: false } })
    world.upstream.set('alpha', 'a-1', { fault: '500', purpose: 'title' })
    const session = await world.host.createSession()
    const turn = await world.host.turn(session, 'name this session')
    expect(turn.headers).toEqual(['alpha/a-1'])
    await expect.poll(() => world.upstream.routes('title'), { timeout: 10_000 }).toEqual(['alpha/a-1', 'beta/b-1'])
    expect(await override(session)).toBeNull()
    expect((await status()).failed).toEqual([])
  })
})

/** A plugin of somebody else that answers `retry` twice to a refused key, as a key rotation does. */
const ROTATION = `
export const name = 'stand-in-key-rotation'
export const inject = ['agents']
export function apply(ctx) {
  const tries = new Map()
  ctx.on('agent/request-error', async (payload, next) => {
    const key = payload.agent.id + '/' + payload.turn
    const count = tries.get(key) ?? 0
    if (payload.failure.code !== 'AUTH' || count >= 2) return next()
    tries.set(key, count + 1)
    return { kind: 'retry' }
  })
}
`

function addRotation(home: Home): void {
  const folder = join(home.work, '..', 'rotation')
  mkdirSync(folder)
  const file = join(folder, 'index.mjs')
  writeFileSync(file, ROTATION)
  writeFileSync(join(home.path, 'cordis.patch.yml'), stringify([{ insert: [{ id: 'stand-in-key-rotation', name: pathToFileURL(file).href }] }]))
}

describe('a key rotation of somebody else', () => {
  it('keeps its say: its retries go through, and only then the session moves', async () => {
    await bound({ prepare: addRotation })
    world.upstream.set('alpha', 'a-1', { fault: '401', purpose: 'chat', times: 2 })
    const turn = await world.host.turn(await world.host.createSession(), 'hello')
    expect(turn.end).toBe('completed')
    expect(turn.headers).toEqual(['alpha/a-1'])
    expect(calls('alpha/a-1', 'chat')).toBe(3)

    world.upstream.clear()
    world.upstream.set('alpha', 'a-1', { fault: '401', purpose: 'chat' })
    const moved = await world.host.turn(await world.host.createSession(), 'hello again')
    expect(moved.text).toContain('beta/b-1')
    expect(calls('alpha/a-1', 'chat')).toBe(3)
  })
})
