// A failing model costs the user nothing: the turn goes on on the next model of the group, in the same step.
import { afterEach, describe, expect, it } from 'vitest'
import { FAULTS } from './support/stage/models.ts'
import { openStage, type Stage, type StageOptions } from './support/stage/index.ts'
import { errorOf } from './support/stage/turns.ts'

let stage: Stage
afterEach(() => stage.close())

const GROUP = { groups: { g: ['alpha/a-1', 'beta/b-1', 'gamma/c-1'] }, defaultBinding: { groupId: 'g', mode: 'failover' } } as const
const open = async (more: StageOptions = {}): Promise<void> => { stage = await openStage({ ...GROUP, ...more }) }

describe('a failure of the model a session runs on', () => {
  it('is answered by the next model in the same step: one message of the user, one turn, one answer', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    const agent = await stage.session()
    const turn = await stage.prompt(agent, 'hello')
    expect(turn).toMatchObject({ end: 'completed', text: 'answer of beta/b-1', routes: ['alpha/a-1', 'beta/b-1'] })
    for (const type of ['turn/start', 'step/start', 'user/message', 'assistant/message']) expect(turn.events.filter((event) => event.type === type)).toHaveLength(1)
  })

  it('has home on disk before the request leaves on another route', async () => {
    await open()
    const agent = await stage.session()
    let seen: unknown
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    stage.root.on('llm/stream', (options: { provider: string }, next: () => unknown) => {
      if (options.provider === 'beta') seen = stage.record(agent)
      return next()
    })
    await stage.prompt(agent, 'hello')
    expect(seen).toMatchObject({ home: { provider: 'alpha', model: 'a-1' }, override: { provider: 'beta', model: 'b-1', class: 'quota' } })
  })

  it('is remembered: ten more prompts never ask the dead model again', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    const agent = await stage.session()
    for (let n = 0; n < 10; n++) expect((await stage.prompt(agent, `prompt ${n}`)).text).toBe('answer of beta/b-1')
    expect(stage.llm.routes().filter((route) => route === 'alpha/a-1')).toHaveLength(1)
  })

  it('is learned by the other sessions: their first request goes to the next model', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    await stage.prompt(await stage.session(), 'hello')
    const other = await stage.session()
    expect((await stage.prompt(other, 'hello')).routes).toEqual(['beta/b-1'])
    expect(stage.llm.routes(other.id)).toEqual(['beta/b-1'])
  })

  it('is told once when the session moves, and not again while it stays there', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    const agent = await stage.session()
    for (let n = 0; n < 3; n++) await stage.prompt(agent, 'hello')
    expect(stage.told).toEqual([{ name: 'model-failover/failover', data: { from: { provider: 'alpha', model: 'a-1' }, to: { provider: 'beta', model: 'b-1' }, agentId: agent.id } }])
  })

  it('lets two sessions that fail at the same time both go on', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    const [one, two] = [await stage.session(), await stage.session()]
    const turns = await Promise.all([stage.prompt(one, 'hello'), stage.prompt(two, 'hello')])
    expect(turns.map(({ end, text }) => [end, text])).toEqual([['completed', 'answer of beta/b-1'], ['completed', 'answer of beta/b-1']])
  })

  it('after content has the broken text dropped by a pair of rows, and ends with the whole answer', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { text: 'half of ', failure: FAULTS.quota })
    const agent = await stage.session()
    const turn = await stage.prompt(agent, 'hello')
    expect(turn.text).toBe('answer of beta/b-1')
    expect(turn.events.filter(({ type }) => type.startsWith('llm/retry')).map(({ type, data }) => [type, data['policyKey'] ?? null])).toEqual([['llm/retry', 'model-failover'], ['llm/retry-started', null]])
  })

  it('writes nothing of ours into the session when nothing was shown yet', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    expect(agent.session.ofType('llm/retry')).toEqual([])
    expect(agent.session.deriveMessages()).toHaveLength(2)
  })

  it('of a model that is gone before any stream opens is avoided in the same step', async () => {
    await open()
    const agent = await stage.session()
    stage.llm.providers.get('alpha')?.delete('a-1')
    stage.llm.changed()
    expect(await stage.prompt(agent, 'hello')).toMatchObject({ end: 'completed', text: 'answer of beta/b-1', routes: ['beta/b-1'] })
  })

  it('in a later step of the turn keeps what the earlier steps did', async () => {
    await open()
    stage.llm.plan('alpha/a-1', [{ tool: 'none' }, { failure: FAULTS.quota }])
    const agent = await stage.session()
    const turn = await stage.prompt(agent, 'hello')
    expect(turn).toMatchObject({ end: 'completed', text: 'answer of beta/b-1' })
    expect(turn.events.filter(({ type }) => type === 'tool/result')).toHaveLength(1)
  })
})

describe('the host\'s own retries', () => {
  it('come first for what they can cure', async () => {
    await open()
    stage.llm.plan('alpha/a-1', [{ failure: FAULTS.server }])
    const agent = await stage.session()
    expect(await stage.prompt(agent, 'hello')).toMatchObject({ text: 'answer of alpha/a-1', routes: ['alpha/a-1'] })
    expect(stage.llm.routes()).toEqual(['alpha/a-1', 'alpha/a-1'])
  })

  it('are used up before the session moves', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { failure: FAULTS.server })
    expect((await stage.prompt(await stage.session(), 'hello')).text).toBe('answer of beta/b-1')
    expect(stage.llm.routes()).toEqual(['alpha/a-1', 'alpha/a-1', 'beta/b-1'])
  })

  it('are skipped where no retry helps: a stall costs one wait, not one per retry', async () => {
    await open()
    stage.llm.retry = { ...stage.llm.retry, maxRetries: 5 }
    stage.llm.plan('alpha/a-1', { failure: FAULTS.timeout })
    expect((await stage.prompt(await stage.session(), 'hello')).text).toBe('answer of beta/b-1')
    expect(stage.llm.routes()).toEqual(['alpha/a-1', 'beta/b-1'])
  })

  it('without an end are ended: `mode: always` moves after three failures', async () => {
    await open()
    stage.llm.retry = { ...stage.llm.retry, mode: 'always' }
    stage.llm.plan('alpha/a-1', { failure: FAULTS.server })
    expect((await stage.prompt(await stage.session(), 'hello')).text).toBe('answer of beta/b-1')
    expect(stage.llm.routes()).toEqual(['alpha/a-1', 'alpha/a-1', 'alpha/a-1', 'beta/b-1'])
  })

  it('without an end are ended for a history that is too long, once compaction had its chance', async () => {
    await open({ routes: { 'alpha/a-1': {}, 'beta/b-1': { window: 200_000 }, 'gamma/c-1': {} } })
    stage.llm.retry = { ...stage.llm.retry, mode: 'always' }
    stage.llm.plan('alpha/a-1', { failure: FAULTS.tooLong })
    expect((await stage.prompt(await stage.session(), 'hello')).text).toBe('answer of beta/b-1')
    expect(stage.llm.routes()).toEqual(['alpha/a-1', 'alpha/a-1', 'alpha/a-1', 'beta/b-1'])
  })

  it('without an end do not repeat a request that every model refuses', async () => {
    await open()
    stage.llm.retry = { ...stage.llm.retry, mode: 'always' }
    const refused = { code: 'INVALID_REQUEST', status: 400, message: "400: Unsupported parameter: 'store'" }
    for (const route of ['alpha/a-1', 'beta/b-1', 'gamma/c-1']) stage.llm.plan(route, { failure: refused })
    const turn = await stage.prompt(await stage.session(), 'hello')
    expect(errorOf(turn)).toMatchObject(refused)
    expect(stage.llm.routes().length).toBeLessThanOrEqual(4)
  })

  it('are ridden where that was asked for: the second failure sends the retry to the next model', async () => {
    await open({ row: { patience: 'ride' } })
    stage.llm.retry = { ...stage.llm.retry, maxRetries: 3 }
    stage.llm.plan('alpha/a-1', { failure: FAULTS.server })
    const agent = await stage.session()
    expect((await stage.prompt(agent, 'hello')).text).toBe('answer of beta/b-1')
    expect(stage.llm.routes()).toEqual(['alpha/a-1', 'alpha/a-1', 'beta/b-1'])
    expect(agent.session.ofType('llm/retry').map(({ data }) => data['policyKey'])).toEqual(['host', 'host'])
  })

  it('are redirected when another session marks the route while this one still retries', async () => {
    await open()
    stage.llm.retry = { ...stage.llm.retry, maxRetries: 5 }
    let go = (): void => {}
    const later = new Promise<void>((resolve) => { go = resolve })
    stage.llm.plan('alpha/a-1', [{ hold: later, failure: FAULTS.server }, { failure: FAULTS.quota }])
    const [slow, quick] = [await stage.session(), await stage.session()]
    const waiting = stage.prompt(slow, 'hello')
    await stage.prompt(quick, 'hello')
    go()
    expect((await waiting).text).toBe('answer of beta/b-1')
    expect(stage.llm.routes(slow.id)).toEqual(['alpha/a-1', 'beta/b-1'])
  })

  it('always come first for a history that is too long, because compaction is one of them', async () => {
    await open()
    let compacted = 0
    stage.root.on('agent/request-error', (payload: { failure: { code: string } }, next: () => unknown) => {
      if (payload.failure.code !== 'CONTEXT_WINDOW_EXCEEDED' || compacted > 0) return next()
      compacted++
      return { kind: 'retry' }
    })
    stage.llm.plan('alpha/a-1', [{ failure: FAULTS.tooLong }])
    expect((await stage.prompt(await stage.session(), 'hello')).text).toBe('answer of alpha/a-1')
    expect(compacted).toBe(1)
  })
})
