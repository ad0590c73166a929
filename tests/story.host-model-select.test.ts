// Hosts whose agents own their model (`agent.model.select`) and fix it before a step, as far as they are publicly
// described. Never run against a real host of such a version.
import { afterEach, describe, expect, it } from 'vitest'
import { breathe, type StageAgent } from './support/stage/agent.ts'
import { StageGoals } from './support/stage/goals.ts'
import { FAULTS } from './support/stage/models.ts'
import { openStage, type Stage, type StageOptions, type TurnResult } from './support/stage/index.ts'

let stage: Stage
afterEach(() => stage.close())

const GROUP: StageOptions = { host: 'model-select', groups: { g: ['alpha/a-1', 'beta/b-1', 'gamma/c-1'] }, defaultBinding: { groupId: 'g', mode: 'failover' }, row: { enableProbe: false } }
const open = async (more: StageOptions = {}): Promise<void> => { stage = await openStage({ ...GROUP, ...more }) }
const failing = (route: string): void => stage.llm.plan(route, { failure: FAULTS.quota })
const selected = (): string[] => (stage.generation as unknown as { selected: string[] }).selected
const ends = (turn: TurnResult): string[] => turn.events.filter(({ type }) => type === 'turn/end').map(({ data }) => (data['reason'] as { kind: string }).kind)
const said = (agent: StageAgent): string[] => agent.session.ofType('user/message').map(({ data }) => (data['source'] as { kind: string }).kind)

/** The prompt and whatever turns follow by themselves. */
async function promptToRest(agent: StageAgent, text: string): Promise<TurnResult> {
  const since = agent.session.events.length
  await stage.prompt(agent, text)
  for (let seen = -1; seen !== agent.session.events.length;) {
    seen = agent.session.events.length
    await agent.whenIdle()
    await breathe(10)
  }
  return stage.since(agent, since)
}

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
    const turns = await promptToRest(agent, 'please write the report about bears')
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
    const turns = await promptToRest(agent, 'hello')
    expect(ends(turns)).toEqual(['error', 'error', 'error', 'error'])
    expect(stage.llm.routes()).toEqual(['alpha/a-1', 'alpha/a-2', 'beta/b-1', 'beta/b-2'])
    expect(said(agent)).toEqual(['user', 'plugin', 'plugin', 'plugin'])
  })

  it('that two models share by turns never goes back and forth between them', async () => {
    await open({ groups: { g: ['alpha/a-1', 'beta/b-1', 'gamma/c-1'] } })
    for (const route of ['alpha/a-1', 'beta/b-1']) stage.llm.plan(route, { failure: FAULTS.server })
    const agent = await stage.session()
    const turns = await promptToRest(agent, 'hello')
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
    expect((await promptToRest(child, 'part')).text).toBe('answer of beta/b-1')
    expect(selected()).toEqual([`${child.id} beta/b-1`])
  })
})

describe('a subagent', () => {
  it('starts where its parent was moved to, though it was made with the dead model', async () => {
    await open()
    failing('alpha/a-1')
    const parent = await stage.session()
    await promptToRest(parent, 'hello')
    const child = await stage.session({ parent })
    expect((await promptToRest(child, 'part')).routes).toEqual(['beta/b-1'])
  })
})

describe('the user', () => {
  it('who cancels gets no continuation', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { hold: new Promise(() => {}), failure: FAULTS.quota })
    const agent = await stage.session()
    const waiting = promptToRest(agent, 'hello')
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
    await promptToRest(agent, 'hello')
    expect(said(agent)).toEqual(['user'])
    refuse = false
    expect((await promptToRest(agent, 'never mind, do this')).text).toBe('answer of beta/b-1')
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
    await promptToRest(agent, 'hello')
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
    await promptToRest(agent, 'hello')
    await stage.generation.pick(agent, { provider: 'gamma', model: 'c-1' })
    expect((await promptToRest(agent, 'again')).text).toBe('answer of gamma/c-1')
    await expect.poll(() => stage.record(agent)).toMatchObject({ home: { provider: 'gamma', model: 'c-1' }, override: null })
  })
})

describe('the start of a turn', () => {
  const dead = async (host: 'model-select' | 'model-select-early'): Promise<StageAgent> => {
    await open({ host })
    const agent = await stage.session()
    await stage.time.run(1, 1)
    await stage.prompt(agent, 'hello')
    await stage.api('/failed/mark', { provider: 'alpha', model: 'a-1' })
    return agent
  }

  it('moves before anything is sent when home is known to be dead', async () => {
    const agent = await dead('model-select')
    const turn = await promptToRest(agent, 'again')
    expect(turn).toMatchObject({ text: 'answer of beta/b-1', routes: ['beta/b-1'] })
    expect(ends(turn)).toEqual(['completed'])
  })

  it('does so also where the host fixes its choice as soon as the driver starts', async () => {
    const agent = await dead('model-select-early')
    Object.assign(stage.generation.choice, { assembled: () => {} })
    stage.root.on('agent/status', ((event: { agent: StageAgent; status: string }) => {
      const generation = stage.generation as unknown as { fix(agent: StageAgent): void }
      if (event.status === 'running') generation.fix(event.agent)
    }) as never)
    const turn = await promptToRest(agent, 'again')
    expect(turn).toMatchObject({ text: 'answer of beta/b-1', routes: ['beta/b-1'] })
  })

  it('of a queued message is decided as well', async () => {
    const agent = await dead('model-select')
    await stage.api('/failed/reset', {})
    let go = (): void => {}
    stage.llm.plan('alpha/a-1', [{ hold: new Promise<void>((resolve) => { go = resolve }) }])
    const waiting = promptToRest(agent, 'one')
    await breathe(5)
    const second = stage.prompt(agent, 'two')
    await stage.api('/failed/mark', { provider: 'alpha', model: 'a-1' })
    go()
    await Promise.all([waiting, second])
    expect(stage.llm.routes().at(-1)).toBe('beta/b-1')
    expect(ends(stage.since(agent, 0))).toEqual(['completed', 'completed', 'completed'])
  })

  it('brings the session home when home works again', async () => {
    const agent = await dead('model-select')
    await promptToRest(agent, 'again')
    await stage.api('/failed/reset', {})
    expect((await promptToRest(agent, 'more')).routes).toEqual(['alpha/a-1'])
    await expect.poll(() => stage.record(agent)).toMatchObject({ override: null })
  })

  it('has home on disk before the request leaves on another route', async () => {
    const agent = await dead('model-select')
    let seen: unknown
    stage.root.on('llm/stream', ((options: { provider: string }, next: () => unknown) => {
      if (options.provider === 'beta') seen = stage.record(agent)
      return next()
    }) as never)
    await promptToRest(agent, 'again')
    expect(seen).toMatchObject({ home: { provider: 'alpha', model: 'a-1' } })
  })

  it('in route mode puts the session on the first model of its group', async () => {
    await open()
    const agent = await stage.session({ model: 'beta/b-2' })
    await stage.prompt(agent, 'hello')
    await stage.api('/session-group', { sessionId: agent.id, groupId: 'g', mode: 'route', asDefault: false })
    await breathe()
    expect((await promptToRest(agent, 'again')).text).toBe('answer of alpha/a-1')
  })
})

describe('a selection that the host refuses', () => {
  it('breaks nothing: the request goes out on the host\'s choice', async () => {
    await open()
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    Object.assign(stage.generation, { refuse: true })
    await stage.api('/failed/mark', { provider: 'alpha', model: 'a-1' })
    expect((await promptToRest(agent, 'again'))).toMatchObject({ text: 'answer of alpha/a-1' })
  })

  it('falls back to the older way where the host has it too', async () => {
    const taken: string[] = []
    await open({ services: { sessionController: { agents: { selectForNextRequest: (_agent: unknown, to: { provider: string }) => { taken.push(to.provider) } } } } })
    Object.assign(stage.generation, { refuse: true })
    failing('alpha/a-1')
    await promptToRest(await stage.session(), 'hello')
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
