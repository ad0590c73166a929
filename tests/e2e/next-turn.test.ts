// The way of hosts that fix a model before the step, forced on the real host: the turn closes, and the work goes on by itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeGroup, openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ rowConfig: { enableProbe: false }, env: { MODEL_FAILOVER_NEXT_TURN: '1' } })
  const groupId = await makeGroup(world.host, 'Chain', ['alpha/a-1', 'beta/b-1', 'gamma/c-1'])
  await world.host.api('/default-group', { body: { groupId, mode: 'failover' } })
})
afterAll(() => world.close())

/** A new session in a world where every model is well. */
async function open(): Promise<string> {
  world.upstream.clear()
  await world.host.api('/failed/reset', { body: {} })
  return world.host.createSession()
}

interface Heard { readonly ends: readonly string[]; readonly sources: readonly string[]; readonly goal: readonly unknown[]; readonly texts: readonly string[] }

function heard(session: string, from: number): Heard {
  const events = world.host.feed.events.slice(from).filter(({ sessionId }) => sessionId === session)
  const said = events.filter(({ type }) => type === 'user/message').map(({ data }) => data as { readonly source: { readonly kind: string; readonly plugin?: string }; readonly content: readonly { readonly text?: string }[] })
  const ours = said.filter(({ source }) => source.plugin === 'model-failover' || source.kind !== 'plugin')
  return {
    ends: events.filter(({ type }) => type === 'turn/end').map(({ data }) => (data['reason'] as { readonly kind: string }).kind),
    sources: ours.map(({ source }) => source.kind).filter((kind) => kind === 'user' || kind === 'plugin' || kind === 'goal'),
    goal: events.filter(({ type }) => type === 'goal/change').map(({ data }) => data['operation']),
    texts: ours.map(({ content }) => content.map(({ text }) => text ?? '').join('')),
  }
}

const ended = (session: string, from: number, count: number): Promise<void> => expect.poll(() => heard(session, from).ends.length, { timeout: 20_000, interval: 20 }).toBe(count)

/** Long enough for a continuation too many to show. */
const rest = (): Promise<void> => new Promise((resolve) => { setTimeout(resolve, 1500) })

describe('without a goal', () => {
  it('exactly one short message of ours continues, on the next model', async () => {
    const session = await open()
    world.upstream.set('alpha', 'a-1', { fault: 'quota', purpose: 'chat' })
    const from = world.host.feed.events.length
    await world.host.prompt(session, 'write about bears')
    await ended(session, from, 2)
    await rest()
    const { ends, sources, texts } = heard(session, from)
    expect(ends).toEqual(['error', 'completed'])
    expect(sources).toEqual(['user', 'plugin'])
    expect(texts.at(-1)).not.toContain('bears')
    expect(world.upstream.routes()).toEqual(['alpha/a-1', 'beta/b-1'])
    expect((await world.host.api(`/session-info?sessionId=${session}`)).body).toMatchObject({ home: { model: 'a-1' }, override: { model: 'b-1' } })
  })

  it('each model that fails in turn is tried once, and then nothing follows', async () => {
    const session = await open()
    for (const [provider, model] of [['alpha', 'a-1'], ['beta', 'b-1'], ['gamma', 'c-1']] as const) world.upstream.set(provider, model, { fault: 'quota', purpose: 'chat' })
    const from = world.host.feed.events.length
    await world.host.prompt(session, 'hello')
    await ended(session, from, 3)
    await rest()
    expect(heard(session, from)).toMatchObject({ ends: ['error', 'error', 'error'], sources: ['user', 'plugin', 'plugin'] })
    expect(world.upstream.routes()).toEqual(['alpha/a-1', 'beta/b-1', 'gamma/c-1'])
  })

  it('a cancel is the end of it', async () => {
    const session = await open()
    world.upstream.set('alpha', 'a-1', { fault: 'hang', purpose: 'chat' })
    const from = world.host.feed.events.length
    await world.host.prompt(session, 'hello')
    await expect.poll(() => world.upstream.routes(), { timeout: 10_000 }).toEqual(['alpha/a-1'])
    await world.host.rpc('session.cancel', { sessionId: session })
    await ended(session, from, 1)
    await rest()
    expect(heard(session, from)).toMatchObject({ ends: ['aborted'], sources: ['user'] })
    expect(world.upstream.routes()).toEqual(['alpha/a-1'])
  })
})

describe('with a goal', () => {
  it('the goal that the error disarmed is resumed by its revision, its round continues, and no message is added', async () => {
    const session = await open()
    world.upstream.set('alpha', 'a-1', { fault: 'quota', purpose: 'chat' })
    const from = world.host.feed.events.length
    await world.host.rpc('goal.create', { sessionId: session, objective: 'count to three', maxGoalRounds: 2 })
    await ended(session, from, 2)
    await rest()
    expect(heard(session, from)).toMatchObject({ ends: ['error', 'completed'], goal: ['create', 'resume', 'block'] })
    expect(heard(session, from).sources).not.toContain('plugin')
    expect(world.upstream.routes()).toEqual(['alpha/a-1', 'beta/b-1'])
  })

  it('a goal that the user paused meanwhile stays paused', async () => {
    const session = await open()
    world.upstream.set('alpha', 'a-1', { fault: 'hang', purpose: 'chat' })
    const from = world.host.feed.events.length
    const { ref } = await world.host.rpc<{ readonly ref: unknown }>('goal.create', { sessionId: session, objective: 'count to three', maxGoalRounds: 3 })
    await expect.poll(() => world.upstream.routes(), { timeout: 10_000 }).toEqual(['alpha/a-1'])
    await world.host.rpc('goal.pause', { sessionId: session, ref })
    await expect.poll(() => heard(session, from).ends.length, { timeout: 20_000 }).toBeGreaterThan(0)
    await rest()
    const { goal, sources } = heard(session, from)
    expect(goal).toEqual(['create', 'pause'])
    expect(sources.filter((kind) => kind === 'goal')).toHaveLength(1)
  })
})

it('says in its status that moves wait for the next turn', async () => {
  await open()
  expect((await world.host.api('/status')).body).toMatchObject({ abilities: { sameStep: false, reduced: expect.arrayContaining(['next-turn']) as unknown } })
})
