// Whose choice counts: the user's pick, the group's, the pin, the consent; and what a session without a group gets.
import { afterEach, describe, expect, it } from 'vitest'
import { FAULTS } from './support/stage/models.ts'
import { openStage, type Stage, type StageOptions } from './support/stage/index.ts'
import { errorOf } from './support/stage/turns.ts'

let stage: Stage
afterEach(() => stage.close())

const GROUP: StageOptions = { groups: { g: ['alpha/a-1', 'beta/b-1', 'gamma/c-1'] } }
const open = async (more: StageOptions = {}): Promise<void> => { stage = await openStage({ ...GROUP, ...more }) }
const bind = (sessionId: string, more: object = {}): Promise<unknown> => stage.api('/session-group', { sessionId, groupId: 'g', mode: 'failover', asDefault: false, ...more })
const failing = (route: string): void => stage.llm.plan(route, { failure: FAULTS.quota })

describe('failover mode', () => {
  it('leaves the session on its own model while that one works, also outside of the group', async () => {
    await open()
    const agent = await stage.session({ model: 'beta/b-2' })
    await bind(agent.id)
    expect((await stage.prompt(agent, 'hello')).routes).toEqual(['beta/b-2'])
  })

  it('protects a model outside of the group when it fails', async () => {
    await open()
    failing('beta/b-2')
    const agent = await stage.session({ model: 'beta/b-2' })
    await bind(agent.id)
    expect((await stage.prompt(agent, 'hello')).text).toBe('answer of alpha/a-1')
  })
})

describe('route mode', () => {
  it('makes the session run the first routable model of the group', async () => {
    await open()
    const agent = await stage.session({ model: 'beta/b-2' })
    await bind(agent.id, { mode: 'route' })
    expect((await stage.prompt(agent, 'hello')).routes).toEqual(['alpha/a-1'])
    await expect.poll(() => stage.record(agent)).toMatchObject({ home: { provider: 'alpha', model: 'a-1' }, override: null })
  })

  it('keeps a model of the group that works', async () => {
    await open()
    const agent = await stage.session({ model: 'gamma/c-1' })
    await bind(agent.id, { mode: 'route' })
    expect((await stage.prompt(agent, 'hello')).routes).toEqual(['gamma/c-1'])
  })

  it('comes into force in the middle of a session, with the next request', async () => {
    await open()
    const agent = await stage.session({ model: 'beta/b-2' })
    await stage.prompt(agent, 'hello')
    await bind(agent.id, { mode: 'route' })
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of alpha/a-1')
  })
})

describe('a pinned session', () => {
  it('is never moved: its failure ends the turn and says that it is pinned', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    await bind(agent.id, { pin: true })
    expect((await stage.prompt(agent, 'hello')).end).toBe('error')
    expect(stage.llm.routes()).toEqual(['alpha/a-1'])
  })

  it('returns at once when it was away', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    await bind(agent.id)
    expect((await stage.prompt(agent, 'hello')).text).toBe('answer of beta/b-1')
    stage.llm.plan('alpha/a-1', {})
    await bind(agent.id, { pin: true })
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of alpha/a-1')
  })
})

describe('a model the user picks by hand', () => {
  it('becomes the new home and ends the automatic move; the binding still protects it', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    await bind(agent.id)
    await stage.prompt(agent, 'hello')
    await stage.generation.pick(agent, { provider: 'gamma', model: 'c-1' })
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of gamma/c-1')
    await expect.poll(() => stage.record(agent)).toMatchObject({ home: { provider: 'gamma', model: 'c-1' }, override: null })
    failing('gamma/c-1')
    expect((await stage.prompt(agent, 'more')).text).toBe('answer of beta/b-1')
    await expect.poll(() => stage.record(agent)).toMatchObject({ home: { provider: 'gamma', model: 'c-1' }, override: { provider: 'beta' } })
  })

  it('counts also when it is the very route the session was moved to', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    await bind(agent.id)
    await stage.prompt(agent, 'hello')
    await stage.generation.pick(agent, { provider: 'beta', model: 'b-1' })
    stage.llm.plan('alpha/a-1', {})
    await stage.api('/failed/reset', {})
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of beta/b-1')
    await expect.poll(() => stage.record(agent)).toMatchObject({ home: { provider: 'beta', model: 'b-1' }, override: null })
  })

  it('holds in route mode too', async () => {
    await open()
    const agent = await stage.session({ model: 'beta/b-2' })
    await bind(agent.id, { mode: 'route' })
    await stage.prompt(agent, 'hello')
    await stage.generation.pick(agent, { provider: 'beta', model: 'b-2' })
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of beta/b-2')
  })
})

describe('a choice that cannot be carried out', () => {
  it('is refused with what would be possible, and changes nothing', async () => {
    await open({ routes: { 'alpha/a-1': { efforts: ['low', 'high'] }, 'beta/b-1': {} } })
    const agent = await stage.session()
    await bind(agent.id)
    const choose = (more: object): Promise<unknown> => stage.api('/session-model', { sessionId: agent.id, ...more })
    await expect(choose({ provider: 'alpha', model: 'a-1', effort: 'ultra' })).rejects.toThrow(/400 .*UNSUPPORTED_EFFORT.*low, high/)
    await expect(choose({ provider: 'beta', model: 'b-1', effort: 'low' })).rejects.toThrow(/400 .*UNSUPPORTED_EFFORT.*none/)
    expect(await stage.api(`/session-info?sessionId=${agent.id}`)).toMatchObject({ home: null })
    await expect(choose({ provider: 'alpha', model: 'a-1', effort: 'high' })).resolves.toMatchObject({ home: { provider: 'alpha', model: 'a-1', effort: 'high' } })
  })

  it('needs no consent where the entry asks for none, and says so', async () => {
    await open()
    const agent = await stage.session()
    await bind(agent.id)
    const consent = (model: string): Promise<unknown> => stage.api('/consent', { sessionId: agent.id, provider: 'beta', model, once: true })
    await expect(consent('b-1')).rejects.toThrow(/400 .*NO_CONSENT_NEEDED/)
    await expect(consent('b-2')).rejects.toThrow(/404 .*UNKNOWN_ENTRY/)
  })
})

describe('an entry that must be asked for', () => {
  const ask: StageOptions = { groups: { g: ['alpha/a-1', { route: 'beta/b-1', ask: true }] } }
  const offer = async ({ id }: { readonly id: string }): Promise<unknown> => (await stage.api<{ offer: unknown }>(`/session-info?sessionId=${id}`)).offer

  it('is skipped by every automatic move, and offered in the error', async () => {
    await open(ask)
    failing('alpha/a-1')
    const agent = await stage.session()
    await bind(agent.id)
    expect(await offer(agent)).toEqual([])
    expect((await stage.prompt(agent, 'hello')).end).toBe('error')
    expect(stage.llm.routes()).toEqual(['alpha/a-1'])
    expect(await offer(agent)).toEqual([{ provider: 'beta', model: 'b-1' }])
  })

  it('is offered after a failure that leaves no mark, until the model is asked again', async () => {
    await open(ask)
    stage.llm.retry = { ...stage.llm.retry, maxRetries: 0 }
    stage.llm.plan('alpha/a-1', { failure: { code: 'RATE_LIMIT', status: 429, message: 'Rate limit reached' } })
    const agent = await stage.session()
    await bind(agent.id)
    expect((await stage.prompt(agent, 'hello')).end).toBe('error')
    expect(await stage.api('/status')).toMatchObject({ failed: [], health: { holds: [], breakers: [] } })
    expect(await offer(agent)).toEqual([{ provider: 'beta', model: 'b-1' }])
    stage.llm.plan('alpha/a-1', {})
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of alpha/a-1')
    expect(await offer(agent)).toEqual([])
  })

  it('serves after consent, once where consent was for once', async () => {
    await open(ask)
    failing('alpha/a-1')
    const agent = await stage.session()
    await bind(agent.id)
    await stage.prompt(agent, 'hello')
    await stage.api('/consent', { sessionId: agent.id, provider: 'beta', model: 'b-1', once: true })
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of beta/b-1')
    expect((await stage.prompt(agent, 'more')).end).toBe('error')
  })
})

describe('a session without a group', () => {
  it('is moved within a group that holds the failed model', async () => {
    await open()
    failing('alpha/a-1')
    expect((await stage.prompt(await stage.session(), 'hello')).text).toBe('answer of beta/b-1')
  })

  it('finds the fallbacks, in order, where no group holds it', async () => {
    await open({ groups: {}, row: { fallbacks: [{ provider: 'beta', model: 'b-2' }, { provider: 'gamma', model: 'c-1' }] } })
    failing('alpha/a-1')
    failing('beta/b-2')
    expect((await stage.prompt(await stage.session(), 'hello')).text).toBe('answer of gamma/c-1')
  })

  it('stays, with the upstream\'s own error, where nothing is configured', async () => {
    await open({ groups: {} })
    failing('alpha/a-1')
    const turn = await stage.prompt(await stage.session(), 'hello')
    expect(turn.end).toBe('error')
    expect(errorOf(turn)).toMatchObject(FAULTS.quota)
  })

  it('is left alone by a group that is switched off', async () => {
    await open()
    const [group] = (await stage.api<{ groups: { id: string; rev: number }[] }>('/groups')).groups
    await stage.api('/groups', { id: group?.id, rev: group?.rev, enabled: false }, 'PUT')
    failing('alpha/a-1')
    expect((await stage.prompt(await stage.session(), 'hello')).end).toBe('error')
  })
})

describe('a candidate that cannot take the request', () => {
  it('is passed over when it is unknown, too small, or blind where the history has images', async () => {
    await open({
      groups: { g: ['alpha/a-1', 'beta/gone', 'beta/tiny', 'beta/blind', 'gamma/c-1'] },
      routes: { 'alpha/a-1': { inputs: ['text', 'image'] }, 'beta/tiny': { window: 50, inputs: ['text', 'image'] }, 'beta/blind': {}, 'gamma/c-1': { inputs: ['text', 'image'] } },
    })
    failing('alpha/a-1')
    const agent = await stage.session()
    await bind(agent.id)
    agent.session.append('user/message', { role: 'user', content: [{ type: 'image' }], source: { kind: 'user' } })
    expect((await stage.prompt(agent, 'look')).text).toBe('answer of gamma/c-1')
    expect(stage.llm.routes()).toEqual(['alpha/a-1', 'gamma/c-1'])
  })

  it('is asked without the effort of its entry where it does not offer that one', async () => {
    await open({ groups: { g: ['alpha/a-1', { route: 'beta/b-1', effort: 'ultra' }, 'gamma/c-1'] }, routes: { 'beta/b-1': { efforts: ['low'] } } })
    failing('alpha/a-1')
    const agent = await stage.session()
    await bind(agent.id)
    expect((await stage.prompt(agent, 'hello')).text).toBe('answer of beta/b-1')
    expect(stage.llm.calls.at(-1)?.options).not.toHaveProperty('reasoningEffort')
  })

  it('gets its own effort, and never the session\'s under a name it may not know', async () => {
    await open({ groups: { g: ['alpha/a-1', { route: 'beta/b-1', effort: 'low' }] }, routes: { 'alpha/a-1': { efforts: ['high'] }, 'beta/b-1': { efforts: ['low'] } } })
    failing('alpha/a-1')
    const agent = await stage.session()
    await stage.generation.pick(agent, { provider: 'alpha', model: 'a-1', reasoningEffort: 'high' })
    await stage.prompt(agent, 'hello')
    const efforts = stage.llm.calls.map(({ route, options }) => [route, options.reasoningEffort ?? null])
    expect(efforts).toEqual([['alpha/a-1', 'high'], ['beta/b-1', 'low']])
  })
})

describe('switched off', () => {
  it('nothing of the loop is touched', async () => {
    await open({ row: { enabled: false } })
    failing('alpha/a-1')
    const agent = await stage.session()
    expect((await stage.prompt(agent, 'hello')).end).toBe('error')
    expect(stage.llm.routes()).toEqual(['alpha/a-1'])
  })

  it('a bad row mounts inert and says key, value and range', async () => {
    await open({ row: { failResetHour: 99 } })
    failing('alpha/a-1')
    expect((await stage.prompt(await stage.session(), 'hello')).end).toBe('error')
    const { configErrors } = await stage.api<{ configErrors: { key: string; value: string; message: string }[] }>('/status')
    expect(configErrors).toMatchObject([{ key: 'failResetHour', value: '99' }])
  })
})

