// Subagents on the real host: they follow their parent's route, are saved like any session, and keep their own choice.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ToolCall } from '../../dev/upstream/script.ts'
import { makeGroup, openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ rowConfig: { enableProbe: false } })
  const groupId = await makeGroup(world.host, 'Chain', ['alpha/a-1', 'beta/b-1', 'gamma/c-1'])
  await world.host.api('/default-group', { body: { groupId, mode: 'failover' } })
})
afterAll(() => world.close())

const DELEGATE: ToolCall = { name: 'subagent', arguments: { description: 'Do a part', prompt: 'please do the part', run_in_background: false } }
const WAIT: ToolCall = { name: 'bash', arguments: { command: 'sleep 3', description: 'Wait' } }

/** A new session in a world where every model is well. */
async function open(): Promise<string> {
  world.upstream.clear()
  await world.host.api('/failed/reset', { body: {} })
  return world.host.createSession()
}

/** Routes of the chat calls whose conversation holds the delegated task, oldest first. */
const ofChild = (): string[] => world.upstream.log.filter(({ purpose, body }) => purpose === 'chat' && asked(body) === 'child').map(({ provider, model }) => `${provider}/${model}`)
const ofParent = (): string[] => world.upstream.log.filter(({ purpose, body }) => purpose === 'chat' && asked(body) === 'parent').map(({ provider, model }) => `${provider}/${model}`)

/** Whose request it is: the parent's history begins with what the user said. */
function asked(body: { readonly messages?: readonly { readonly role: string; readonly content?: unknown }[] }): 'parent' | 'child' {
  return JSON.stringify((body.messages ?? []).filter(({ role }) => role === 'user')).includes('delegate this') ? 'parent' : 'child'
}

it('a child that fails is saved, and its parent gets the result', async () => {
  const session = await open()
  world.upstream.set('alpha', 'a-1', [{ fault: 'tool-call', times: 1, purpose: 'chat', tool: DELEGATE }, { fault: 'quota', purpose: 'chat' }])
  const turn = await world.host.turn(session, 'delegate this', 60_000)
  expect(turn.end).toBe('completed')
  expect(ofChild()).toEqual(['alpha/a-1', 'beta/b-1'])
  expect(JSON.stringify(turn.events.filter(({ type }) => type.startsWith('tool')))).toContain('Here is beta/b-1')
  expect(turn.text).toContain('Here is beta/b-1')
})

it('a child of a parent that was moved starts where its parent is, without asking the dead model', async () => {
  const session = await open()
  world.upstream.set('alpha', 'a-1', { fault: 'quota', purpose: 'chat' })
  world.upstream.set('beta', 'b-1', [{ fault: 'tool-call', times: 1, purpose: 'chat', tool: DELEGATE }])
  const turn = await world.host.turn(session, 'delegate this', 60_000)
  expect(turn.end).toBe('completed')
  expect(ofChild()).toEqual(['beta/b-1'])
  expect(ofParent()).toEqual(['alpha/a-1', 'beta/b-1', 'beta/b-1'])
})

it('a model chosen for the child itself is the child\'s alone', async () => {
  const session = await open()
  world.upstream.set('alpha', 'a-1', [{ fault: 'tool-call', times: 1, purpose: 'chat', tool: DELEGATE }, { fault: 'tool-call', times: 1, purpose: 'chat', tool: WAIT }])
  const from = world.host.feed.events.length
  const turning = world.host.turn(session, 'delegate this', 60_000)
  const began = await world.host.feed.wait((event) => event.sessionId !== session && event.type === 'request/header', 'request of the child', 30_000, from)
  const chosen = await world.host.api('/session-model', { body: { sessionId: began.sessionId, provider: 'gamma', model: 'c-1' } })
  expect(chosen.body).toMatchObject({ subagent: true, home: { provider: 'gamma', model: 'c-1' } })
  expect((await turning).end).toBe('completed')
  expect(ofChild()).toEqual(['alpha/a-1', 'gamma/c-1'])
  expect(ofParent()).toEqual(['alpha/a-1', 'alpha/a-1'])
  expect((await world.host.api('/default-group')).body).toMatchObject({ defaultBinding: { mode: 'failover' } })
})

it('a child that is over still tells what it ran on, also after a restart, and takes a model for its next message', async () => {
  const session = await open()
  world.upstream.set('alpha', 'a-1', [{ fault: 'tool-call', times: 1, purpose: 'chat', tool: DELEGATE }, { fault: 'quota', purpose: 'chat' }])
  const from = world.host.feed.events.length
  await world.host.turn(session, 'delegate this', 60_000)
  const child = (await world.host.feed.wait((event) => event.sessionId !== session && event.type === 'turn/end', 'end of the child', 30_000, from)).sessionId
  const info = async (id: string) => (await world.host.api(`/session-info?sessionId=${id}`)).body
  await expect.poll(() => info(child)).toMatchObject({ subagent: true, inheritedFrom: session, route: { provider: 'beta', model: 'b-1' } })
  await world.restart()
  expect(await info(child)).toMatchObject({ subagent: true, inheritedFrom: session, route: { provider: 'beta', model: 'b-1' } })
  expect(await info(session)).toMatchObject({ subagent: false, home: { provider: 'alpha', model: 'a-1' } })
  const chosen = await world.host.api('/session-model', { body: { sessionId: child, provider: 'gamma', model: 'c-1' } })
  expect(chosen.body).toMatchObject({ subagent: true, home: { provider: 'gamma', model: 'c-1' }, route: { provider: 'gamma', model: 'c-1' } })
  expect(await info('no-such-session')).toMatchObject({ error: { code: 'UNKNOWN_SESSION' } })
  // Its binding is its own too, although only its record is in memory after another start.
  await world.restart()
  const { groups } = (await world.host.api('/groups')).body as { readonly groups: readonly { readonly id: string }[] }
  expect((await world.host.api('/session-group', { body: { sessionId: child, groupId: groups[0]?.id, mode: 'route' } })).status).toBe(200)
  expect((await world.host.api('/default-group')).body).toMatchObject({ defaultBinding: { mode: 'failover' } })
})
