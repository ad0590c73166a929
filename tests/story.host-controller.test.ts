// Hosts 0.1.2 … 0.2.1-alpha.2, as far as they are publicly described: `sessionController.agents.selectForNextRequest`,
// `model/selection` events, an awaited `agent/created`. Never run against a real host of such a version.
import { afterEach, describe, expect, it } from 'vitest'
import { breathe } from './support/stage/agent.ts'
import { StageGoals } from './support/stage/goals.ts'
import { FAULTS, StageLlmError } from './support/stage/models.ts'
import { openStage, type Stage, type StageOptions } from './support/stage/index.ts'

let stage: Stage
afterEach(() => stage.close())

const GROUP: StageOptions = { host: 'controller', groups: { g: ['alpha/a-1', 'beta/b-1', 'gamma/c-1'] }, defaultBinding: { groupId: 'g', mode: 'failover' }, row: { enableProbe: false } }
const open = async (more: StageOptions = {}): Promise<void> => { stage = await openStage({ ...GROUP, ...more }) }
const failing = (route: string): void => stage.llm.plan(route, { failure: FAULTS.quota })
const selected = (): string[] => (stage.generation as unknown as { selected: string[] }).selected

describe('a move', () => {
  it('happens in the same step, and the host\'s own choice follows; the default model is never touched', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    expect(await stage.prompt(agent, 'hello')).toMatchObject({ end: 'completed', text: 'answer of beta/b-1', routes: ['alpha/a-1', 'beta/b-1'] })
    expect(selected()).toEqual([`${agent.id} beta/b-1`])
  })

  it('is not taken for a pick of the user when its event comes back: home stays, and the session returns', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    await expect.poll(() => stage.record(agent)).toMatchObject({ home: { provider: 'alpha', model: 'a-1' }, override: { provider: 'beta' } })
    stage.llm.plan('alpha/a-1', {})
    await stage.api('/failed/reset', {})
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of alpha/a-1')
  })

  it('never hides a pick that the user makes while it is under way', async () => {
    let answer = (): void => {}
    await open()
    Object.assign(stage.llm, { resolveCallConfig: () => new Promise<void>((resolve) => { answer = resolve }) })
    failing('alpha/a-1')
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    await stage.generation.pick(agent, { provider: 'gamma', model: 'c-1' })
    answer()
    await breathe()
    expect(selected().at(-1)).toBe(`${agent.id} gamma/c-1`)
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of gamma/c-1')
  })

  it('goes on where the host refuses to validate the target for its own choice', async () => {
    await open()
    Object.assign(stage.llm, { resolveCallConfig: () => Promise.reject(new StageLlmError({ code: 'UNKNOWN_MODEL', message: 'no' })) })
    failing('alpha/a-1')
    expect((await stage.prompt(await stage.session(), 'hello')).text).toBe('answer of beta/b-1')
    expect(selected()).toEqual([])
  })

  it('works for a subagent, and is told to the host for the subagent alone', async () => {
    await open()
    const parent = await stage.session()
    const child = await stage.session({ parent })
    failing('alpha/a-1')
    expect((await stage.prompt(child, 'part')).text).toBe('answer of beta/b-1')
    expect(selected()).toEqual([`${child.id} beta/b-1`])
  })
})

describe('a pick of the user', () => {
  it('is heard from the session\'s own log and becomes home', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    await stage.generation.pick(agent, { provider: 'gamma', model: 'c-1' })
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of gamma/c-1')
    await expect.poll(() => stage.record(agent)).toMatchObject({ home: { provider: 'gamma', model: 'c-1' }, override: null })
  })

  it('of the very route the session was moved to counts too', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    await breathe()
    await stage.generation.pick(agent, { provider: 'beta', model: 'b-1' })
    stage.llm.plan('alpha/a-1', {})
    await stage.api('/failed/reset', {})
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of beta/b-1')
  })

  it('through our own seat is passed on to the host without its saving it as the default', async () => {
    await open()
    const agent = await stage.session()
    await stage.api('/session-model', { sessionId: agent.id, provider: 'gamma', model: 'c-1' })
    expect(selected()).toEqual([`${agent.id} gamma/c-1`])
    expect((await stage.prompt(agent, 'hello')).text).toBe('answer of gamma/c-1')
    await expect.poll(() => stage.record(agent)).toMatchObject({ home: { provider: 'gamma', model: 'c-1' } })
  })
})

describe('the beginning of a session', () => {
  const bindingOf = async (id: string): Promise<unknown> => (await stage.api<{ binding: unknown }>(`/session-group?sessionId=${id}`)).binding

  it('is heard from the awaited event, before the session can be looked up', async () => {
    await open()
    const agent = await stage.session()
    expect(await bindingOf(agent.id)).toMatchObject({ groupId: 'g' })
  })

  it.each([['clear', 'g'], ['resume', null], ['compact', null]])('with source %s binds to %s', async (source, group) => {
    await open()
    const agent = await stage.session({ source })
    const binding = await bindingOf(agent.id) as { groupId: string } | null
    expect(binding?.groupId ?? null).toBe(group)
  })

  it('of a subagent takes no default binding', async () => {
    await open()
    const parent = await stage.session()
    const child = await stage.session({ parent })
    expect(await bindingOf(child.id)).toBeNull()
  })

  it('is never refused or held up by us', async () => {
    await open()
    const order: string[] = []
    stage.root.on('agent/created', () => { order.push('next') })
    await stage.session()
    expect(order).toEqual(['next'])
  })
})

describe('the host\'s own choice', () => {
  it('is put right when its provider vanishes, because the host would refuse the prompt', async () => {
    await open()
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    stage.llm.providers.delete('alpha')
    stage.llm.changed()
    await breathe()
    expect(selected()).toEqual([`${agent.id} beta/b-1`])
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of beta/b-1')
    await expect.poll(() => stage.record(agent)).toMatchObject({ home: { provider: 'alpha', model: 'a-1' } })
  })

  it('is home again at once when a session that is away is unbound', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    stage.llm.plan('alpha/a-1', {})
    await stage.api('/session-group', { sessionId: agent.id, groupId: null })
    await breathe()
    expect(selected().at(-1)).toBe(`${agent.id} alpha/a-1`)
  })
})

describe('failures as these hosts tell them', () => {
  it('that own image offloading pass untouched', async () => {
    await open()
    let asked = 0
    stage.root.on('agent/request-error', (payload: { failure: { code: string } }, next: () => unknown) => {
      if (payload.failure.code !== 'IMAGE_OFFLOAD_REQUIRED') return next()
      asked++
      return { kind: 'retry' }
    })
    stage.llm.plan('alpha/a-1', [{ failure: { code: 'IMAGE_OFFLOAD_REQUIRED', message: 'images must be moved out' } }])
    const agent = await stage.session()
    expect((await stage.prompt(agent, 'hello')).text).toBe('answer of alpha/a-1')
    expect(asked).toBe(1)
    expect((await stage.api<{ failed: unknown[] }>('/status')).failed).toEqual([])
  })

  it('with a code no host has had so far are handled by their text', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { failure: { code: 'ACCOUNT_QUOTA', message: 'the quota of the account is used up' } })
    expect((await stage.prompt(await stage.session(), 'hello')).text).toBe('answer of beta/b-1')
  })

  it('wrapped in an aggregate are unwrapped: the work goes on in the next turn, on another model', async () => {
    await open({ groups: { g: ['alpha/a-1', 'beta/b-1'] } })
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    const inner = new StageLlmError({ ...FAULTS.auth })
    const find = stage.llm.find.bind(stage.llm)
    stage.llm.find = (route) => { if (route.provider === 'alpha') throw Object.assign(new AggregateError([inner, new Error('settlement')], 'two failures'), { cause: inner }); return find(route) }
    await stage.prompt(agent, 'again')
    await expect.poll(() => stage.llm.routes().at(-1)).toBe('beta/b-1')
    const { failureLog } = await stage.api<{ failureLog: { class: string }[] }>('/status')
    expect(failureLog.map((entry) => entry.class)).toContain('auth')
  })
})

describe('a host that refuses another model in a request after all', () => {
  const strict = (): void => {
    Object.assign(stage.generation.choice, {
      check(base: unknown, proposed: unknown) { if (base !== proposed) throw new Error('agent/request is deprecated: provider and model are fixed for this step') },
    })
  }

  it('costs one turn: the same move is made by selecting, the work goes on, and no request is changed again', async () => {
    await open()
    strict()
    failing('alpha/a-1')
    const agent = await stage.session()
    const first = await stage.prompt(agent, 'hello')
    expect(first.events.filter(({ type }) => type === 'turn/end').map(({ data }) => (data['reason'] as { kind: string }).kind)).toEqual(['error', 'completed'])
    expect(first.text).toBe('answer of beta/b-1')
    stage.llm.plan('alpha/a-1', {})
    await stage.api('/failed/reset', {})
    expect((await stage.prompt(agent, 'again'))).toMatchObject({ end: 'completed', text: 'answer of alpha/a-1' })
    expect(await stage.api('/status')).toMatchObject({ abilities: { sameStep: false, switch: 'select-for-next-request' } })
  })

  it('is not suspected because something else died before its stream', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    stage.root.on('agent/request', () => { throw new Error('another plugin is broken') })
    await stage.prompt(agent, 'again')
    expect(await stage.api('/status')).toMatchObject({ abilities: { sameStep: true } })
  })
})

describe('what else is different', () => {
  it('the interface asks the host\'s own check', async () => {
    await open({ services: { connection: { requestRejection: () => 401 } } })
    await expect(stage.api('/status')).rejects.toThrow('401')
  })

  it('config fields that can change while the host runs are read through their accessor', async () => {
    await open({ row: { enableProbe: { get: () => false }, failResetHour: { get: () => 5 }, patience: { get: () => undefined } } })
    const { configErrors, failResetHour } = await stage.api<{ configErrors: unknown[]; failResetHour: number }>('/status')
    expect({ configErrors, failResetHour }).toEqual({ configErrors: [], failResetHour: 5 })
  })

  it('the abilities say so', async () => {
    await open({ goals: new StageGoals() })
    await stage.session()
    expect(await stage.api('/status')).toMatchObject({ abilities: { switch: 'select-for-next-request', sameStep: true, handPickSensor: 'event', goals: true, reduced: [] } })
  })
})
