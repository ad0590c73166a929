// What the user is promised when models fail, shown on the real host: bounds, honesty, cancellation, memory and restarts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { RetryPolicy } from '../../dev/home.mts'
import { bootHost } from '../../dev/host.mts'
import { CHAIN, endError, infoOf, openChain, order, type Info } from '../support/chain.ts'
import { makeGroup, type World, type WorldOptions } from '../support/world.ts'

const TWO_RETRIES: RetryPolicy = { mode: 'normal', maxRetries: 2, backoff: { initialDelayMs: 50, maxDelayMs: 200, jitterRatio: 0 } }

let world: World
afterEach(() => world.close())

async function bound(options: WorldOptions = {}, mode: 'route' | 'failover' = 'failover'): Promise<void> {
  world = await openChain({ rowConfig: { enableProbe: false }, ...options }, CHAIN, mode)
}
const set = (routes: readonly string[], fault: Parameters<World['upstream']['set']>[2]): void => order(world, routes, fault)
const info = (session: string): Promise<Info> => infoOf(world, session)
const settingsFile = (): string => readFileSync(join(world.home.path, 'settings.yaml'), 'utf8')

describe('when every model is dead', () => {
  it('ends with one honest error within 20 s and 12 chat calls that names the earliest return', async () => {
    await bound({ retryPolicy: TWO_RETRIES })
    set(CHAIN, '500')
    const started = Date.now()
    const turn = await world.host.turn(await world.host.createSession(), 'hello')
    expect(Date.now() - started).toBeLessThan(20_000)
    expect(turn.end).toBe('error')
    expect(world.upstream.routes().length).toBeLessThanOrEqual(12)
    const error = endError(turn)
    expect(error.code).toBe('SERVER')
    expect(error.message).toMatch(/^500: /)
    expect(error.message).toContain('alpha/a-1 (server error)')
    expect(error.message).toMatch(/Earliest return: \S+ at \d\d-\d\d \d\d:\d\d \(UTC\+8\), in /)
    expect(turn.events.filter(({ type }) => type === 'turn/end')).toHaveLength(1)
  })

  it('speaks the language of the session', async () => {
    await bound()
    set(CHAIN, 'quota')
    const turn = await world.host.turn(await world.host.createSession(), '你好，请继续')
    const error = endError(turn)
    expect(error.message).toContain('最早恢复')
  })
})

describe('a request that is itself bad', () => {
  it.each(['400-parameter', '400-filter', '400-context', '400-image'] as const)('%s: ends after at most 4 calls with the upstream\'s own error, and the next prompt starts at home', async (fault) => {
    await bound()
    set(CHAIN, fault)
    const session = await world.host.createSession()
    const turn = await world.host.turn(session, 'hello')
    expect(turn.end).toBe('error')
    expect(world.upstream.routes().length).toBeLessThanOrEqual(4)
    const error = endError(turn)
    expect(error.message).not.toContain('[Model Failover]')
    expect(((await world.host.api('/status')).body as { readonly failed: unknown }).failed).toEqual([])
    world.upstream.clear()
    expect((await world.host.turn(session, 'again')).headers.at(-1)).toBe('alpha/a-1')
    expect(world.upstream.routes()).toEqual(['alpha/a-1'])
  })
})

describe('cancelling', () => {
  it('moves nothing and ends at once while a model hangs', async () => {
    await bound({ idleTimeoutMs: 20_000 })
    set(['alpha/a-1'], 'hang')
    const session = await world.host.createSession()
    const from = world.host.feed.events.length
    await world.host.prompt(session, 'hello')
    await expect.poll(() => world.upstream.routes(), { timeout: 10_000 }).toEqual(['alpha/a-1'])
    const cancelled = Date.now()
    await world.host.rpc('session.cancel', { sessionId: session })
    const turn = await world.host.waitTurnEnd(session, 5000, from)
    expect(turn.end).toBe('aborted')
    expect(Date.now() - cancelled).toBeLessThan(500)
    expect(await info(session)).toMatchObject({ override: null })
    expect(((await world.host.api('/status')).body as { readonly failed: unknown }).failed).toEqual([])
    expect(world.upstream.routes()).toEqual(['alpha/a-1'])
  })

  it('moves nothing while the host waits to retry', async () => {
    await bound({ retryPolicy: { mode: 'normal', maxRetries: 3, backoff: { initialDelayMs: 8000, maxDelayMs: 9000, jitterRatio: 0 } } })
    set(['alpha/a-1'], '500')
    const session = await world.host.createSession()
    const from = world.host.feed.events.length
    await world.host.prompt(session, 'hello')
    await world.host.feed.wait((event) => event.sessionId === session && event.type === 'llm/retry', 'retry', 10_000, from)
    const cancelled = Date.now()
    await world.host.rpc('session.cancel', { sessionId: session })
    expect((await world.host.waitTurnEnd(session, 5000, from)).end).toBe('aborted')
    expect(Date.now() - cancelled).toBeLessThan(500)
    expect(await info(session)).toMatchObject({ override: null })
  })
})

describe('retries of the host', () => {
  it('overrules a policy without an end after three calls', async () => {
    await bound({ retryPolicy: { mode: 'always', backoff: { initialDelayMs: 20, maxDelayMs: 50, jitterRatio: 0 } } })
    set(['alpha/a-1'], '500')
    const turn = await world.host.turn(await world.host.createSession(), 'hello')
    expect(turn.end).toBe('completed')
    expect(world.upstream.routes()).toEqual(['alpha/a-1', 'alpha/a-1', 'alpha/a-1', 'alpha/a-2'])
  })

  it('lets a blip pass that the host\'s own retry heals', async () => {
    await bound({ retryPolicy: TWO_RETRIES })
    world.upstream.set('alpha', 'a-1', [{ fault: '500', times: 1, purpose: 'chat' }])
    const session = await world.host.createSession()
    const turn = await world.host.turn(session, 'hello')
    expect(turn.headers).toEqual(['alpha/a-1'])
    expect(await info(session)).toMatchObject({ override: null })
  })

  it('rides the host\'s second retry where it is told to', async () => {
    await bound({ retryPolicy: TWO_RETRIES, rowConfig: { enableProbe: false, patience: 'ride' } })
    set(['alpha/a-1'], '500')
    const turn = await world.host.turn(await world.host.createSession(), 'hello')
    expect(turn.text).toContain('alpha/a-2')
    expect(world.upstream.routes()).toEqual(['alpha/a-1', 'alpha/a-1', 'alpha/a-2'])
    expect(turn.events.filter(({ type }) => type === 'llm/retry')).toHaveLength(2)
  })
})

describe('the memory of an outage', () => {
  it('costs no further prompt and no other session a call on the failed model, and survives a restart', async () => {
    await bound()
    set(['alpha/a-1'], '404')
    const settings = settingsFile()
    const session = await world.host.createSession()
    expect((await world.host.turn(session, 'one')).end).toBe('completed')
    const met = (): number => world.upstream.log.filter(({ provider, model }) => provider === 'alpha' && model === 'a-1').length
    const before = met()
    for (let prompt = 2; prompt <= 10; prompt++) expect((await world.host.turn(session, `prompt ${prompt}`)).text).toContain('alpha/a-2')
    expect((await world.host.turn(await world.host.createSession(), 'a second session')).text).toContain('alpha/a-2')
    expect(met()).toBe(before)

    await world.restart()
    const after = (await world.host.api('/status')).body as { readonly failed: readonly { readonly model: string }[]; readonly defaultBinding: unknown }
    expect(after.failed).toMatchObject([{ provider: 'alpha', model: 'a-1', class: 'model_not_found' }])
    expect(await info(session)).toMatchObject({ home: { model: 'a-1' }, override: { model: 'a-2' }, mode: 'failover' })
    expect((await world.host.turn(session, 'after the restart')).end).toBe('completed')
    expect(met()).toBe(before)
    expect(settingsFile()).toBe(settings)
  })

  it('ends by hand: the session comes home at the next turn', async () => {
    await bound()
    set(['alpha/a-1'], '500')
    const session = await world.host.createSession()
    expect((await world.host.turn(session, 'one')).text).toContain('alpha/a-2')
    world.upstream.clear()
    await world.host.api('/failed/reset', { body: { provider: 'alpha', model: 'a-1' } })
    const turn = await world.host.turn(session, 'two')
    expect(turn.headers).toEqual(['alpha/a-1'])
    expect(await info(session)).toMatchObject({ home: { model: 'a-1' }, override: null })
  })

  it('is not lost by a kill once it was acknowledged', async () => {
    await bound()
    set(['alpha/a-1'], '500')
    const session = await world.host.createSession()
    await world.host.turn(session, 'one')
    await world.host.api('/failed/mark', { body: { provider: 'gamma', model: 'c-2' } })
    await world.host.kill()
    world.host = await bootHost({ home: world.home })
    const { failed, groups } = (await world.host.api('/status')).body as { readonly failed: readonly { readonly model: string }[]; readonly groups: readonly unknown[] }
    expect(failed.map(({ model }) => model).toSorted()).toEqual(['a-1', 'c-2'])
    expect(groups).toHaveLength(1)
    expect(await info(session)).toMatchObject({ home: { model: 'a-1' }, override: { model: 'a-2' } })
  })
})

describe('the user\'s own word', () => {
  it('makes a hand pick the new home, protected by the binding', async () => {
    await bound()
    set(['alpha/a-1'], '500')
    const session = await world.host.createSession()
    await world.host.turn(session, 'one')
    await world.host.rpc('session.selectModel', { sessionId: session, provider: 'beta', model: 'b-1' })
    const turn = await world.host.turn(session, 'two')
    expect(turn.headers).toEqual(['beta/b-1'])
    expect(await info(session)).toMatchObject({ home: { model: 'b-1' }, override: null, mode: 'failover' })
    set(['beta/b-1'], '500')
    expect((await world.host.turn(session, 'three')).end).toBe('completed')
    expect(await info(session)).toMatchObject({ home: { model: 'b-1' } })
  })

  it('never moves a pinned session', async () => {
    await bound()
    set(['alpha/a-1'], '404')
    const session = await world.host.createSession()
    const { groups } = (await world.host.api('/groups')).body as { readonly groups: readonly { readonly id: string }[] }
    await world.host.api('/session-group', { body: { sessionId: session, groupId: groups[0]?.id, mode: 'failover', pin: true, asDefault: false } })
    const turn = await world.host.turn(session, 'one')
    expect(turn.end).toBe('error')
    expect(new Set(world.upstream.routes())).toEqual(new Set(['alpha/a-1']))
  })

  it('runs what the group says in route mode', async () => {
    await bound({ defaultModel: { provider: 'gamma', model: 'c-2' } }, 'route')
    const session = await world.host.createSession()
    expect((await world.host.turn(session, 'one')).text).toContain('gamma/c-2')
    world.upstream.clear()
    const other = await makeGroup(world.host, 'Other', ['beta/b-1', 'beta/b-2'])
    await world.host.api('/session-group', { body: { sessionId: session, groupId: other, mode: 'route', asDefault: false } })
    expect((await world.host.turn(session, 'two')).text).toContain('beta/b-1')
  })
})

describe('tools and partial answers', () => {
  it('runs a tool once although the request after it fails over', async () => {
    await bound()
    world.upstream.set('alpha', 'a-1', [{ fault: 'tool-call', times: 1, purpose: 'chat' }, { fault: '500', purpose: 'chat' }])
    const turn = await world.host.turn(await world.host.createSession(), 'where are you')
    expect(turn.end).toBe('completed')
    expect(turn.events.filter(({ type }) => type === 'tool/call')).toHaveLength(1)
    expect(turn.events.filter(({ type }) => type === 'tool/result')).toHaveLength(1)
    expect(turn.headers.at(-1)).toBe('alpha/a-2')
  })

  it('tells the page to drop the text of an attempt that broke off', async () => {
    await bound({ retryPolicy: { mode: 'normal', maxRetries: 0, backoff: { initialDelayMs: 10, maxDelayMs: 10, jitterRatio: 0 } } })
    world.upstream.set('alpha', 'a-1', [{ fault: 'reset-mid', purpose: 'chat' }])
    const turn = await world.host.turn(await world.host.createSession(), 'hello')
    // A broken connection prefers another endpoint over a sibling on the same one.
    expect(turn.text).toContain('beta/b-1')
    expect(turn.events.filter(({ type }) => type === 'llm/retry')).toHaveLength(1)
  })
})

describe('the drill', () => {
  it('shows a failover as the readme says: a drill model that fails, chosen by hand, and the group takes over', async () => {
    await bound()
    expect((await world.host.api('/settings', { body: { drill: true } })).status).toBe(200)
    const { providers } = (await world.host.api('/models')).body as { readonly providers: readonly { readonly id: string; readonly models: readonly { readonly id: string; readonly name: string }[] }[] }
    const model = providers.find(({ id }) => id === 'model-failover-drill')?.models.find(({ name }) => name === 'Drill: quota used up')
    const session = await world.host.createSession()
    await world.host.turn(session, 'hello')
    expect((await world.host.api('/session-model', { body: { sessionId: session, provider: 'model-failover-drill', model: model?.id } })).status).toBe(200)
    expect((await world.host.turn(session, 'again')).text).toContain('Here is alpha/a-1')
    expect(await info(session)).toMatchObject({ home: { provider: 'model-failover-drill' }, override: { provider: 'alpha', model: 'a-1' } })
  })
})

describe('trying an error', () => {
  it('reads a code in front of the text, and takes no model for a way out that the host does not know', async () => {
    await bound()
    const groupId = await makeGroup(world.host, 'Odd', ['alpha/a-1', 'nowhere/none', 'beta/b-1'])
    const judged = (await world.host.api('/explain', { body: { message: 'STREAM_CLOSED', groupId } })).body
    expect(judged).toMatchObject({ class: 'bad_output', move: { to: { provider: 'beta', model: 'b-1' } } })
    expect(JSON.stringify(judged)).toContain('unknown-model')
  })
})
