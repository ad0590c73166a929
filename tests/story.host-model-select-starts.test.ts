// Where a turn starts on hosts whose agents own their model and fix it before a step, as far as they are publicly
// described. Never run against a real host of such a version.
import { afterEach, describe, expect, it } from 'vitest'
import { breathe, type StageAgent } from './support/stage/agent.ts'
import { openStage, type Stage, type StageOptions, type TurnResult } from './support/stage/index.ts'
import { ends, promptToRest } from './support/stage/turns.ts'

let stage: Stage
afterEach(() => stage.close())

const GROUP: StageOptions = { host: 'model-select', groups: { g: ['alpha/a-1', 'beta/b-1', 'gamma/c-1'] }, defaultBinding: { groupId: 'g', mode: 'failover' }, row: { enableProbe: false } }
const open = async (more: StageOptions = {}): Promise<void> => { stage = await openStage({ ...GROUP, ...more }) }
const toRest = (agent: StageAgent, text: string): Promise<TurnResult> => promptToRest(stage, agent, text)

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
    const turn = await toRest(agent, 'again')
    expect(turn).toMatchObject({ text: 'answer of beta/b-1', routes: ['beta/b-1'] })
    expect(ends(turn)).toEqual(['completed'])
  })

  it('does so also where the host fixes its choice as soon as the driver starts', async () => {
    const agent = await dead('model-select-early')
    Object.assign(stage.generation.choice, { assembled: () => {} })
    stage.root.on('agent/status', (event: { agent: StageAgent; status: string }) => {
      const generation = stage.generation as unknown as { fix(agent: StageAgent): void }
      if (event.status === 'running') generation.fix(event.agent)
    })
    const turn = await toRest(agent, 'again')
    expect(turn).toMatchObject({ text: 'answer of beta/b-1', routes: ['beta/b-1'] })
  })

  it('of a queued message is decided as well', async () => {
    const agent = await dead('model-select')
    await stage.api('/failed/reset', {})
    let go = (): void => {}
    stage.llm.plan('alpha/a-1', [{ hold: new Promise<void>((resolve) => { go = resolve }) }])
    const waiting = toRest(agent, 'one')
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
    await toRest(agent, 'again')
    await stage.api('/failed/reset', {})
    expect((await toRest(agent, 'more')).routes).toEqual(['alpha/a-1'])
    await expect.poll(() => stage.record(agent)).toMatchObject({ override: null })
  })

  it('has home on disk before the request leaves on another route', async () => {
    const agent = await dead('model-select')
    let seen: unknown
    stage.root.on('llm/stream', (options: { provider: string }, next: () => unknown) => {
      if (options.provider === 'beta') seen = stage.record(agent)
      return next()
    })
    await toRest(agent, 'again')
    expect(seen).toMatchObject({ home: { provider: 'alpha', model: 'a-1' } })
  })

  it('in route mode puts the session on the first model of its group', async () => {
    await open()
    const agent = await stage.session({ model: 'beta/b-2' })
    await stage.prompt(agent, 'hello')
    await stage.api('/session-group', { sessionId: agent.id, groupId: 'g', mode: 'route', asDefault: false })
    await breathe()
    expect((await toRest(agent, 'again')).text).toBe('answer of alpha/a-1')
  })
})
