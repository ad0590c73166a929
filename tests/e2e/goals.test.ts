// Goals on the real host: a model that fails in a goal's round costs the goal nothing.
import { afterEach, expect, it } from 'vitest'
import { makeGroup, openWorld, type World } from '../support/world.ts'

let world: World
afterEach(() => world.close())

it('a goal stays armed, at its revision, through a move in the same step', async () => {
  world = await openWorld({ rowConfig: { enableProbe: false } })
  const { host, upstream } = world
  const groupId = await makeGroup(host, 'Chain', ['alpha/a-1', 'beta/b-1'])
  await host.api('/default-group', { body: { groupId, mode: 'failover' } })
  upstream.set('alpha', 'a-1', { fault: 'quota', purpose: 'chat' })
  const session = await host.createSession()
  const from = host.feed.events.length
  await host.rpc('goal.create', { sessionId: session, objective: 'count to three', maxGoalRounds: 2 })
  const limit = await host.feed.wait(({ sessionId, type, data }) => sessionId === session && type === 'goal/change' && data['operation'] === 'block', 'end of the rounds', 40_000, from)

  // Revision 1 to the end of its rounds: nobody had to resume it.
  const changes = host.feed.events.slice(from).filter(({ sessionId, type }) => sessionId === session && type === 'goal/change').map(({ data }) => data['operation'])
  expect(changes).toEqual(['create', 'block'])
  expect(limit.data['goal']).toMatchObject({ revision: 2, blockedReason: { code: 'round-limit' } })
  const ends = host.feed.events.slice(from).filter(({ sessionId, type }) => sessionId === session && type === 'turn/end').map(({ data }) => (data['reason'] as { kind: string }).kind)
  expect(ends).toEqual(['completed', 'completed'])
  expect(upstream.routes()).toEqual(['alpha/a-1', 'beta/b-1', 'beta/b-1'])
})
