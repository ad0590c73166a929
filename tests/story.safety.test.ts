// A failure of ours never breaks a request that would have worked, a cancel moves nothing, and nothing is left behind.
import { afterEach, describe, expect, it } from 'vitest'
import { FAULTS } from './support/stage/models.ts'
import { breathe } from './support/stage/agent.ts'
import { openStage, Stage, type StageOptions } from './support/stage/index.ts'

let stage: Stage
afterEach(() => stage.close())

const GROUP: StageOptions = { groups: { g: ['alpha/a-1', 'beta/b-1', 'gamma/c-1'] }, defaultBinding: { groupId: 'g', mode: 'failover' } }
const open = async (more: StageOptions = {}): Promise<void> => { stage = await openStage({ ...GROUP, ...more }) }

describe('a cancel by the user', () => {
  it('while a decision waits ends the turn at once; nothing moves, nothing is marked, nothing goes on', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    const agent = await stage.session()
    // The lookup of the candidates never answers.
    stage.llm.slowLookup('beta/b-1', new Promise(() => {}))
    const waiting = stage.prompt(agent, 'hello')
    await breathe(20)
    agent.cancel()
    const turn = await waiting
    expect(turn.end).toBe('aborted')
    expect(stage.llm.routes().filter((route) => route !== 'alpha/a-1')).toEqual([])
    expect(stage.record(agent)?.override ?? null).toBeNull()
    expect((await stage.api<{ failed: unknown[]; continuations: unknown[] }>('/status'))).toMatchObject({ continuations: [] })
  })

  it('while the answer streams is no failure of the model', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { hold: new Promise(() => {}), failure: FAULTS.quota })
    const agent = await stage.session()
    const waiting = stage.prompt(agent, 'hello')
    await breathe(20)
    agent.cancel()
    expect((await waiting).end).toBe('aborted')
    const { failed, failureLog } = await stage.api<{ failed: unknown[]; failureLog: unknown[] }>('/status')
    expect({ failed, failureLog }).toEqual({ failed: [], failureLog: [] })
    stage.llm.plan('alpha/a-1', {})
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of alpha/a-1')
  })
})

describe('a service of the host that fails', () => {
  it.each(['tokenMeter', 'settings', 'goals', 'sessions', 'accountPool', 'loader'])('%s: the request goes out all the same', async (service) => {
    stage = new Stage(GROUP)
    const broken = new Proxy({}, { get: (_target, key) => (typeof key === 'symbol' ? undefined : () => { throw new Error(`${service} is broken`) }) })
    try { stage.root.provide(service, broken) } catch { Object.assign((stage.root as unknown as { get(name: string): object }).get(service), { measure: () => { throw new Error('broken') } }) }
    await stage.mount()
    const agent = await stage.session()
    expect((await stage.prompt(agent, 'hello')).text).toBe('answer of alpha/a-1')
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    expect((await stage.prompt(agent, 'again')).end).toBe('completed')
  })

  it('a lookup of models that throws leaves the host\'s choice alone', async () => {
    await open()
    stage.llm.resolveModelInfo = () => Promise.reject(new Error('catalogue down'))
    const agent = await stage.session()
    expect((await stage.prompt(agent, 'hello')).text).toBe('answer of alpha/a-1')
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of beta/b-1')
  })

  it('a disk that refuses costs the memory of a move, not the turn', async () => {
    // A folder below a file can never be made.
    await open({ row: { dataDir: '$DSH_HOME/model-failover/groups.json/data', fallbacks: [{ provider: 'gamma', model: 'c-1' }] } })
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    const agent = await stage.session()
    expect(await stage.prompt(agent, 'hello')).toMatchObject({ end: 'completed', text: 'answer of gamma/c-1' })
  })

  it('an adapter that throws is a failure like any other', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { throws: new Error('adapter bug') })
    expect((await stage.prompt(await stage.session(), 'hello')).end).toBe('completed')
  })
})

describe('listeners of other plugins', () => {
  it('see the request as it is sent, and their changes to it survive', async () => {
    await open()
    stage.root.on('agent/request', async (_payload: unknown, next: () => Promise<object>) => ({ ...await next(), temperature: 0.5 }))
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    await stage.prompt(await stage.session(), 'hello')
    expect(stage.llm.calls.map(({ options }) => options['temperature'])).toEqual([0.5, 0.5])
  })

  it('may throw in the error waterfall: the turn ends with that error, and the host goes on', async () => {
    await open()
    stage.root.on('agent/request-error', () => { throw new Error('another plugin') })
    stage.llm.plan('alpha/a-1', { failure: FAULTS.server })
    const agent = await stage.session()
    stage.llm.retry = { ...stage.llm.retry, maxRetries: 0 }
    await stage.prompt(agent, 'hello')
    stage.llm.plan('alpha/a-1', {})
    expect((await stage.prompt(agent, 'again')).end).toBe('completed')
  })

  it('that keep a failure from us are no way around it: the work goes on in the next turn', async () => {
    await open()
    stage.root.on('agent/request-error', () => undefined, { prepend: true })
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    await expect.poll(() => stage.since(agent, 0).text).toBe('answer of beta/b-1')
    expect(agent.session.ofType('user/message').map(({ data }) => (data['source'] as { kind: string }).kind)).toEqual(['user', 'plugin'])
  })

  it('that break a request before it is sent are not answered with one move after the other', async () => {
    await open()
    let broken = true
    stage.root.on('agent/request', (_payload: unknown, next: () => unknown) => { if (broken) throw new Error('another plugin is broken'); return next() })
    const agent = await stage.session()
    for (let n = 0; n < 3; n++) await stage.prompt(agent, 'hello')
    broken = false
    expect(await stage.prompt(agent, 'again')).toMatchObject({ end: 'completed', text: 'answer of alpha/a-1' })
    expect(agent.session.ofType('user/message').filter(({ data }) => (data['source'] as { kind: string }).kind === 'plugin')).toEqual([])
  })
})

describe('disposal', () => {
  it('leaves no listener, no timer and no route behind, and a second life works', async () => {
    stage = new Stage(GROUP)
    const before = stage.listeners
    for (let life = 0; life < 3; life++) {
      await stage.mount()
      expect(stage.listeners).toBeGreaterThan(before)
      stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
      expect((await stage.prompt(await stage.session(), 'hello')).text).toBe('answer of beta/b-1')
      await stage.unmount()
      expect({ listeners: stage.listeners, timers: stage.time.pending }).toEqual({ listeners: before, timers: 0 })
    }
  })

  it('in the middle of a call lets that call end as the host wants it', async () => {
    await open()
    let go = (): void => {}
    stage.llm.plan('alpha/a-1', { hold: new Promise<void>((resolve) => { go = resolve }) })
    const agent = await stage.session()
    const waiting = stage.prompt(agent, 'hello')
    await breathe(10)
    const began = performance.now()
    await stage.unmount()
    expect(performance.now() - began).toBeLessThan(2000)
    go()
    expect(await waiting).toMatchObject({ end: 'completed', text: 'answer of alpha/a-1' })
  })

  it('in the middle of a decision leaves the turn to the host', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    let answer = (): void => {}
    stage.llm.slowLookup('beta/b-1', new Promise<void>((resolve) => { answer = resolve }))
    const agent = await stage.session()
    const waiting = stage.prompt(agent, 'hello')
    await breathe(20)
    await stage.unmount()
    answer()
    expect((await waiting).end).not.toBe('none')
    expect(stage.time.pending).toBe(0)
  })
})
