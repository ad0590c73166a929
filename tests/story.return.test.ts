// An automatic move is temporary: the session comes home when home works again, also after a restart, and never while it does not.
import { afterEach, describe, expect, it } from 'vitest'
import { FAULTS } from './support/stage/models.ts'
import { breathe, type StageAgent } from './support/stage/agent.ts'
import { openStage, Stage, type StageOptions } from './support/stage/index.ts'
import { StageSession } from './support/stage/session.ts'

let stage: Stage
afterEach(() => stage.close())

const GROUP: StageOptions = { groups: { g: ['alpha/a-1', 'beta/b-1', 'gamma/c-1'] }, defaultBinding: { groupId: 'g', mode: 'failover' }, row: { enableProbe: false } }

/** A session that was moved from alpha to beta. */
async function moved(failure: object = FAULTS.quota, more: StageOptions = {}): Promise<StageAgent> {
  stage = await openStage({ ...GROUP, ...more })
  stage.llm.plan('alpha/a-1', { failure })
  const agent = await stage.session()
  expect((await stage.prompt(agent, 'hello')).text).toBe('answer of beta/b-1')
  return agent
}

describe('the way home', () => {
  it('opens at the next turn when the mark of the day is cleared by hand', async () => {
    const agent = await moved()
    stage.llm.plan('alpha/a-1', {})
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of beta/b-1')
    await stage.api('/failed/reset', {})
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of alpha/a-1')
    await expect.poll(() => stage.record(agent)).toMatchObject({ override: null })
    expect(stage.told.map(({ data }) => data)).toMatchObject([{ to: { provider: 'beta' } }, { to: { provider: 'alpha' } }])
  })

  it('opens when the usage day is over', async () => {
    const agent = await moved()
    stage.llm.plan('alpha/a-1', {})
    await stage.time.run(21 * 3_600_000, 3_600_000)
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of alpha/a-1')
  })

  it('opens at the instant the upstream stated, not before', async () => {
    const agent = await moved({ code: 'RATE_LIMIT', status: 429, message: 'Usage limit reached. Your limit resets in 3 hours' })
    stage.llm.plan('alpha/a-1', {})
    await stage.time.run(2.9 * 3_600_000, 3_600_000)
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of beta/b-1')
    await stage.time.run(0.2 * 3_600_000, 3_600_000)
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of alpha/a-1')
  })

  it('is told to be held on the dashboard, until the instant the upstream stated', async () => {
    await moved({ ...FAULTS.quota, providerRetryAfterMs: 600_000 })
    const home = async (): Promise<unknown> => {
      const { rows } = await stage.api<{ rows: { provider: string; state: string; until: number | null; lastErrorCode: string | null }[] }>('/metrics')
      const { state, until, lastErrorCode } = rows.find(({ provider }) => provider === 'alpha') ?? {}
      return [state, until && until - stage.time.now(), lastErrorCode]
    }
    expect(await home()).toEqual(['held', 600_000, 'QUOTA'])
    stage.time.advance(600_000)
    expect(await home()).toEqual(['normal', null, 'QUOTA'])
  })

  it('is asked at the beginning of a turn only: a turn that began away ends away', async () => {
    const agent = await moved()
    stage.llm.plan('alpha/a-1', {})
    let reset: Promise<unknown> = Promise.resolve()
    stage.llm.plan('beta/b-1', [{ tool: 'none' }])
    stage.root.on('session/event', (_session: unknown, event: { type: string }) => { if (event.type === 'tool/result') reset = stage.api('/failed/reset', {}) })
    stage.root.on('agent/pre-step', async (_payload: unknown, next: () => unknown) => { await reset; return next() })
    const turn = await stage.prompt(agent, 'again')
    expect(turn.text).toBe('answer of beta/b-1')
  })

  it('stays shut for a request that was refused for what it is, while the history has not shrunk', async () => {
    const agent = await moved({ code: 'INVALID_REQUEST', status: 400, message: 'This model does not support image input' })
    stage.llm.plan('alpha/a-1', {})
    await stage.time.run(48 * 3_600_000, 12 * 3_600_000)
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of beta/b-1')
    expect((await stage.api<{ failed: unknown[] }>('/status')).failed).toEqual([])
  })

  it('can be taken by hand', async () => {
    const agent = await moved()
    stage.llm.plan('alpha/a-1', {})
    expect(await stage.api('/send-home', { sessionId: agent.id })).toMatchObject({ returned: [agent.id] })
    await stage.api('/failed/reset', {})
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of alpha/a-1')
  })
})

describe('after a restart', () => {
  const restarted = async (agent: StageAgent): Promise<StageAgent> => {
    const old = stage
    await old.unmount()
    stage = new Stage({ ...GROUP, home: old.home, start: old.time.now() + 1000 })
    await stage.mount()
    const log = new StageSession(agent.id, {}, (session, event) => stage.root.emit('session/event', session, event))
    log.events.push(...agent.session.events)
    const resumed = stage.agent(log, agent.options)
    stage.root.emit('agent/created', { agent: resumed })
    stage.root.emit('agent/session-start', { agent: resumed, source: 'resume' })
    await breathe()
    return resumed
  }

  it('the host\'s last header is not taken for the user\'s choice: home is remembered', async () => {
    const agent = await restarted(await moved())
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of beta/b-1')
    await stage.api('/failed/reset', {})
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of alpha/a-1')
  })

  it('a session that only resumes gets no default binding', async () => {
    stage = await openStage({ ...GROUP })
    const agent = await stage.session({ source: 'resume' })
    const { binding } = await stage.api<{ binding: unknown }>(`/session-group?sessionId=${agent.id}`)
    expect(binding).toBeNull()
  })
})

describe('a provider that vanishes', () => {
  it('takes its sessions along to a model that is still served, and lets them return with it', async () => {
    stage = await openStage(GROUP)
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    const models = stage.llm.providers.get('alpha')
    stage.llm.providers.delete('alpha')
    stage.llm.changed()
    await breathe()
    // The host refuses a prompt whose own selection no adapter serves, so that selection has to be another.
    expect(stage.generation.choice.base(agent)).toBeDefined()
    expect((await stage.prompt(agent, 'again')).text).toBe('answer of beta/b-1')
    if (models) stage.llm.providers.set('alpha', models)
    stage.llm.changed()
    await breathe()
    expect((await stage.prompt(agent, 'more')).text).toBe('answer of alpha/a-1')
  })

  it('never rewrites the user\'s default model', async () => {
    stage = await openStage(GROUP)
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    stage.llm.providers.delete('alpha')
    stage.llm.changed()
    await breathe()
    await stage.prompt(agent, 'again')
    expect((stage.generation as unknown as { savedDefaults: unknown[] }).savedDefaults).toEqual([])
  })
})
