// Hosts whose agents own their model (`agent.model.select`) and fix it before a step, as far as they are publicly
// described. Never run against a real host of such a version.
import { afterEach, describe, expect, it } from 'vitest'
import { breathe, type StageAgent } from './support/stage/agent.ts'
import { StageGoals } from './support/stage/goals.ts'
import { FAULTS } from './support/stage/models.ts'
import { openStage, type Stage, type StageOptions, type TurnResult } from './support/stage/index.ts'
import { ends, promptToRest, said } from './support/stage/turns.ts'

let stage: Stage
afterEach(() => stage.close())

const GROUP: StageOptions = { host: 'model-select', groups: { g: ['alpha/a-1', 'beta/b-1', 'gamma/c-1'] }, defaultBinding: { groupId: 'g', mode: 'failover' }, row: { enableProbe: false } }
const open = async (more: StageOptions = {}): Promise<void> => { stage = await openStage({ ...GROUP, ...more }) }
const failing = (route: string): void => stage.llm.plan(route, { failure: FAULTS.quota })
const selected = (): string[] => (stage.generation as unknown as { selected: string[] }).selected
const toRest = (agent: StageAgent, text: string): Promise<TurnResult> => promptToRest(stage, agent, text)

describe('a healthy session', () => {
  it('is never selected for, and its requests pass as the very object the host made', async () => {
    await open()
    const agent = await stage.session()
    for (let n = 0; n < 3; n++) expect((await stage.prompt(agent, 'hello')).end).toBe('completed')
    expect(selected()).toEqual([])
    expect(stage.told).toEqual([])
  })
})

describe('a failure', () => {
  it('selects the next model, lets the turn close, and goes on with exactly one short message of plugin source', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    const turns = await toRest(agent, 'please write the report about bears')
    expect(ends(turns)).toEqual(['error', 'completed'])
    expect(turns.text).toBe('answer of beta/b-1')
    expect(selected()).toEqual([`${agent.id} beta/b-1`])
    expect(said(agent)).toEqual(['user', 'plugin'])
    const message = agent.session.ofType('user/message').at(-1)?.data as { content: { text: string }[]; source: object }
    expect(message.source).toMatchObject({ kind: 'plugin', plugin: 'model-failover' })
    expect(message.content[0]?.text).not.toContain('bears')
    expect(message.content[0]?.text.length).toBeLessThan(400)
  })

  it('revives the goal that it disarmed, by its revision; the goal\'s own round is the continuation', async () => {
    const goals = new StageGoals(2)
    await open({ goals })
    failing('alpha/a-1')
    const agent = await stage.session()
    goals.create(agent)
    await agent.whenIdle()
    await breathe(20)
    await agent.whenIdle()
    await breathe(20)
    expect(said(agent)).toEqual(['goal', 'goal'])
    expect(goals.get(agent)).toMatchObject({ phase: 'active', activation: 'armed', revision: 2 })
    expect(stage.llm.routes()).toEqual(['alpha/a-1', 'beta/b-1'])
  })

  it('never revives a goal that the user paused meanwhile', async () => {
    const goals = new StageGoals(3)
    await open({ goals })
    let fail = (): void => {}
    stage.llm.plan('alpha/a-1', { hold: new Promise<void>((resolve) => { fail = resolve }), failure: FAULTS.quota })
    const agent = await stage.session()
    goals.create(agent)
    await breathe(10)
    goals.pause(agent)
    fail()
    await agent.whenIdle()
    await breathe(20)
    expect(goals.get(agent)).toMatchObject({ phase: 'paused', activation: 'disarmed', revision: 2 })
    expect(said(agent).filter((kind) => kind === 'goal')).toHaveLength(1)
  })

  it('of one model after the other tries each once, three continuations at most, then leaves the session to its user', async () => {
    await open({ groups: { g: ['alpha/a-1', 'alpha/a-2', 'beta/b-1', 'beta/b-2', 'gamma/c-1'] } })
    for (const route of ['alpha/a-1', 'alpha/a-2', 'beta/b-1', 'beta/b-2', 'gamma/c-1']) failing(route)
    const agent = await stage.session()
    const turns = await toRest(agent, 'hello')
    expect(ends(turns)).toEqual(['error', 'error', 'error', 'error'])
    expect(stage.llm.routes()).toEqual(['alpha/a-1', 'alpha/a-2', 'beta/b-1', 'beta/b-2'])
    expect(said(agent)).toEqual(['user', 'plugin', 'plugin', 'plugin'])
  })

  it('that two models share by turns never goes back and forth between them', async () => {
    await open({ groups: { g: ['alpha/a-1', 'beta/b-1', 'gamma/c-1'] } })
    for (const route of ['alpha/a-1', 'beta/b-1']) stage.llm.plan(route, { failure: FAULTS.server })
    const agent = await stage.session()
    const turns = await toRest(agent, 'hello')
    expect(turns.text).toBe('answer of gamma/c-1')
    expect(stage.llm.routes()).toEqual(['alpha/a-1', 'alpha/a-1', 'beta/b-1', 'beta/b-1', 'gamma/c-1'])
  })

  it('before any stream goes the same way', async () => {
    await open()
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    const find = stage.llm.find.bind(stage.llm)
    let broken = true
    stage.llm.find = (route) => { if (route.provider === 'alpha' && broken) throw Object.assign(new Error('Incorrect API key provided'), { code: 'INVALID_CREDENTIAL' }); return find(route) }
    const since = agent.session.events.length
    await stage.prompt(agent, 'again')
    // No stream was opened, so the decision is made after the turn, and its record goes to the disk first.
    await expect.poll(() => ends(stage.since(agent, since))).toEqual(['error', 'completed'])
    broken = false
    expect(stage.since(agent, since).text).toBe('answer of beta/b-1')
  })

  it('of a subagent selects for the subagent', async () => {
    await open()
    const parent = await stage.session()
    const child = await stage.session({ parent })
    failing('alpha/a-1')
    expect((await toRest(child, 'part')).text).toBe('answer of beta/b-1')
    expect(selected()).toEqual([`${child.id} beta/b-1`])
  })
})

describe('a subagent', () => {
  it('starts where its parent was moved to, though it was made with the dead model', async () => {
    await open()
    failing('alpha/a-1')
    const parent = await stage.session()
    await toRest(parent, 'hello')
    const child = await stage.session({ parent })
    expect((await toRest(child, 'part')).routes).toEqual(['beta/b-1'])
  })
})

describe('the user', () => {
  it('who cancels gets no continuation', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { hold: new Promise(() => {}), failure: FAULTS.quota })
    const agent = await stage.session()
    const waiting = toRest(agent, 'hello')
    await breathe(10)
    agent.cancel()
    expect(ends(await waiting)).toEqual(['aborted'])
    expect(said(agent)).toEqual(['user'])
    expect(selected()).toEqual([])
  })

  it('who sends something before the continuation does is not interrupted by it', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    const followup = agent.followup.bind(agent)
    let refuse = true
    agent.followup = (message) => { if (refuse && message.source?.['kind'] === 'plugin') throw new Error('busy'); followup(message) }
    await toRest(agent, 'hello')
    expect(said(agent)).toEqual(['user'])
    refuse = false
    expect((await toRest(agent, 'never mind, do this')).text).toBe('answer of beta/b-1')
    await stage.time.run(61_000, 10_000)
    expect(said(agent)).toEqual(['user', 'user'])
  })

  it('whose continuation was refused gets it with the next attempt, 30 seconds later', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    const followup = agent.followup.bind(agent)
    let refuse = true
    agent.followup = (message) => { if (message.source?.['kind'] === 'plugin' && refuse) throw new Error('busy'); followup(message) }
    await toRest(agent, 'hello')
    refuse = false
    expect((await stage.api<{ continuations: unknown[] }>('/status')).continuations).toHaveLength(1)
    await stage.time.run(31_000, 1000)
    await agent.whenIdle()
    expect(said(agent)).toEqual(['user', 'plugin'])
    expect((await stage.api<{ continuations: unknown[] }>('/status')).continuations).toEqual([])
  })

  it('who picks a model by hand has it as home, told by the session\'s log', async () => {
    await open()
    failing('alpha/a-1')
    const agent = await stage.session()
    await toRest(agent, 'hello')
    await stage.generation.pick(agent, { provider: 'gamma', model: 'c-1' })
    expect((await toRest(agent, 'again')).text).toBe('answer of gamma/c-1')
    await expect.poll(() => stage.record(agent)).toMatchObject({ home: { provider: 'gamma', model: 'c-1' }, override: null })
  })
})

describe('a selection that the host refuses', () => {
  it('breaks nothing: the request goes out on the host\'s choice', async () => {
    await open()
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    Object.assign(stage.generation, { refuse: true })
    await stage.api('/failed/mark', { provider: 'alpha', model: 'a-1' })
    expect((await toRest(agent, 'again'))).toMatchObject({ text: 'answer of alpha/a-1' })
  })

  it('falls back to the older way where the host has it too', async () => {
    const taken: string[] = []
    await open({ services: { sessionController: { agents: { selectForNextRequest: (_agent: unknown, to: { provider: string }) => { taken.push(to.provider) } } } } })
    Object.assign(stage.generation, { refuse: true })
    failing('alpha/a-1')
    await toRest(await stage.session(), 'hello')
    expect(taken[0]).toBe('beta')
  })
})

it('an accessor that throws is no ability, and the older path is taken', async () => {
  await open({ host: 'api-proxy' })
  failing('alpha/a-1')
  const agent = await stage.session()
  Object.defineProperty(agent, 'model', { get: () => { throw new Error('not ready') } })
  expect(await stage.prompt(agent, 'hello')).toMatchObject({ end: 'completed', text: 'answer of beta/b-1' })
})

it('the abilities say what is reduced', async () => {
  await open({ goals: new StageGoals() })
  await stage.session()
  expect(await stage.api('/status')).toMatchObject({ abilities: { switch: 'model-select', sameStep: false, handPickSensor: 'event', reduced: ['next-turn'] } })
})
