// Concurrency limits, figures and the speed test on the real host.
import { afterEach, describe, expect, it } from 'vitest'
import type { MetricRow, SpeedtestSnapshot } from '../../src/contract/metrics.ts'
import { order } from '../support/chain.ts'
import { makeGroup, openWorld, type World, type WorldOptions } from '../support/world.ts'

const CHAIN = ['alpha/a-1', 'beta/b-1', 'gamma/c-1']

let world: World
afterEach(() => world.close())

async function bound(options: WorldOptions = {}): Promise<string> {
  world = await openWorld(options)
  const groupId = await makeGroup(world.host, 'Chain', CHAIN)
  expect((await world.host.api('/default-group', { body: { groupId, mode: 'failover' } })).status).toBe(200)
  return groupId
}

interface Status {
  readonly failed: readonly unknown[]
  readonly concurrency: readonly { readonly model: string; readonly running: number; readonly queued: number; readonly limit: number | null }[]
  readonly capacitySwitches: readonly { readonly session: string; readonly from: { readonly model: string }; readonly to: { readonly model: string } }[]
}
const status = async (): Promise<Status> => (await world.host.api('/status')).body as Status
const lane = async (model: string) => (await status()).concurrency.find((each) => each.model === model)
const limit = (concurrency: number | null) => world.host.api('/model-concurrency', { body: { provider: 'alpha', model: 'a-1', concurrency } })
const rows = async (query = ''): Promise<readonly MetricRow[]> => ((await world.host.api(`/metrics${query}`)).body as { readonly rows: readonly MetricRow[] }).rows
const row = async (model: string, query = '') => (await rows(query)).find((each) => each.model === model)

describe('a concurrency limit', () => {
  it('lets one call run at a time, in order, and everybody is served', async () => {
    await bound()
    expect((await limit(1)).body).toEqual({ limits: { 'alpha/a-1': 1 } })
    world.upstream.set('alpha', 'a-1', 'slow')
    const sessions = await Promise.all([1, 2, 3].map(() => world.host.createSession()))
    const turns = Promise.all(sessions.map((session, at) => world.host.turn(session, `q ${at}`, 60_000)))
    await expect.poll(async () => (await lane('a-1'))?.queued ?? 0, { timeout: 10_000 }).toBeGreaterThan(0)
    expect((await lane('a-1'))?.running).toBe(1)
    expect((await turns).map(({ end }) => end)).toEqual(['completed', 'completed', 'completed'])
    await expect.poll(async () => [(await lane('a-1'))?.running, (await lane('a-1'))?.queued], { timeout: 5000 }).toEqual([0, 0])
  })

  it('moves a session that waited too long for a while, marks nothing, and brings it home', async () => {
    await bound({ rowConfig: { concurrencyQueueTimeoutMs: 1000, capacityCooldownMs: 1000, capacitySwitchRevertMs: 1000 } })
    await limit(1)
    world.upstream.set('alpha', 'a-1', [{ fault: 'hang', times: 1, purpose: 'chat' }])
    const [first, second] = [await world.host.createSession(), await world.host.createSession()]
    await world.host.prompt(first, 'I hold the slot')
    await expect.poll(async () => (await lane('a-1'))?.running, { timeout: 10_000 }).toBe(1)
    const turn = await world.host.turn(second, 'I wait', 30_000)
    expect(turn.text).toContain('beta/b-1')
    expect((await status()).failed).toEqual([])
    expect((await status()).capacitySwitches).toMatchObject([{ session: second, from: { model: 'a-1' }, to: { model: 'b-1' } }])
    await world.host.rpc('session.cancel', { sessionId: first })
    await expect.poll(async () => (await lane('a-1'))?.running, { timeout: 5000 }).toBe(0)
    await expect.poll(async () => (await world.host.turn(second, 'home?', 30_000)).text, { timeout: 20_000, interval: 500 }).toContain('alpha/a-1')
    expect((await status()).capacitySwitches).toEqual([])
  })

  it('can be raised while calls wait', async () => {
    await bound()
    await limit(1)
    world.upstream.set('alpha', 'a-1', { fault: 'hang', purpose: 'chat' })
    const sessions = [await world.host.createSession(), await world.host.createSession()]
    for (const session of sessions) await world.host.prompt(session, 'q')
    await expect.poll(async () => (await lane('a-1'))?.queued, { timeout: 10_000 }).toBe(1)
    await limit(null)
    await expect.poll(async () => (await lane('a-1'))?.queued ?? 0, { timeout: 5000 }).toBe(0)
  })
})

describe('figures', () => {
  it('count what was really called, with tokens, and survive a restart', async () => {
    await bound({ rowConfig: { enableProbe: false } })
    world.upstream.set('alpha', 'a-1', { fault: '500', purpose: 'chat' })
    const session = await world.host.createSession()
    await world.host.turn(session, 'one')
    await world.host.turn(session, 'two')
    await expect.poll(async () => (await row('b-1'))?.successes ?? 0, { timeout: 10_000 }).toBeGreaterThanOrEqual(2)
    const dead = await row('a-1')
    expect(dead).toMatchObject({ state: 'failed', lastErrorCode: 'SERVER' })
    expect(dead?.lastErrorMessage).toContain('500')
    const served = await row('b-1')
    expect(served?.inTokens).toBeGreaterThan(0)
    expect(served?.ttft.p50).toBeGreaterThan(0)
    const lines = String((await world.host.api('/metrics/export')).body).trim().split('\n').map((line) => JSON.parse(line) as { readonly model: string })
    expect(lines.filter(({ model }) => model === 'b-1')).toHaveLength(served?.samples ?? -1)
    expect((await row('b-1', '?since=2020-01-01&until=2020-01-02'))?.samples ?? 0).toBe(0)
    expect((await row('b-1', '?since=nonsense'))?.samples).toBe(served?.samples)
    await world.restart()
    expect(await row('b-1')).toMatchObject({ samples: served?.samples, successes: served?.successes, inTokens: served?.inTokens })
  })
})

describe('the speed test', () => {
  const snapshot = async (): Promise<SpeedtestSnapshot> => (await world.host.api('/speedtest')).body as SpeedtestSnapshot

  it('measures every model of a group once, refuses a second run, and never fails over', async () => {
    const groupId = await bound()
    world.upstream.set('beta', 'b-1', '500')
    world.upstream.set('gamma', 'c-1', 'slow')
    expect((await world.host.api('/speedtest', { body: { groupId } })).status).toBe(200)
    expect((await world.host.api('/speedtest', { body: { groupId } })).status).toBe(409)
    await expect.poll(async () => (await snapshot()).running, { timeout: 30_000 }).toBe(false)
    const { results, total, done } = await snapshot()
    expect([total, done]).toEqual([3, 3])
    expect(Object.fromEntries(results.map(({ model, ok }) => [model, ok]))).toEqual({ 'a-1': true, 'b-1': false, 'c-1': true })
    expect(results.find(({ model }) => model === 'b-1')?.errorCode).toBe('SERVER')
    expect(((await world.host.api('/status')).body as Status).failed).toEqual([])
  })

  it('can be cancelled', async () => {
    const groupId = await bound({ idleTimeoutMs: 60_000 })
    order(world, CHAIN, 'hang')
    await world.host.api('/speedtest', { body: { groupId } })
    await expect.poll(() => world.upstream.log.length, { timeout: 5000 }).toBeGreaterThan(0)
    await world.host.api('/speedtest/cancel', { method: 'POST', body: {} })
    await expect.poll(async () => (await snapshot()).running, { timeout: 5000 }).toBe(false)
  })
})
