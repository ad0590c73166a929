// The fault wall: for every way a model can fail, the user's turn ends with the right text, once, on the next model.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DemoProvider } from '../../dev/upstream/catalogue.ts'
import { DEMO_PROVIDERS } from '../../dev/upstream/catalogue.ts'
import { FAULTS } from '../../src/contract/faults.ts'
import { makeGroup, openWorld, type World } from '../support/world.ts'

const UNAVAILABLE = FAULTS.filter(({ id }) => !['ok', 'slow', 'tool-call', 'error-as-text'].includes(id))
const REJECTIONS = new Set(['400-context', '400-parameter', '400-image', '400-filter'])

/** A provider of its own per fault, so that a hold on one says nothing about another. */
const walls: DemoProvider[] = UNAVAILABLE.map(({ id }) => ({
  id: `wall-${id}`, name: `Wall ${id}`, models: [{ id: `m-fault-${id}`, name: id, contextWindow: 8192, maxTokens: 1024 }],
}))

let world: World

beforeAll(async () => {
  world = await openWorld({
    upstreamProviders: [...DEMO_PROVIDERS, ...walls],
    defaultModel: { provider: 'beta', model: 'b-1' },
    idleTimeoutMs: 1000,
    rowConfig: { enableProbe: false },
  })
})
afterAll(() => world.close())

/** A session whose own model is the wall, bound to a group with two healthy models behind it. */
async function sessionOn(id: string): Promise<string> {
  const { host } = world
  const group = await makeGroup(host, `wall ${id}`, [`wall-${id}/m-fault-${id}`, 'gamma/c-1', 'beta/b-2'])
  const session = await host.createSession()
  await host.rpc('session.selectModel', { sessionId: session, provider: `wall-${id}`, model: `m-fault-${id}` })
  const bound = await host.api('/session-group', { body: { sessionId: session, groupId: group, mode: 'failover', asDefault: false } })
  expect(bound.status).toBe(200)
  return session
}

describe('a failure that means "this model cannot serve now"', () => {
  it.each(UNAVAILABLE.map(({ id }) => id))('%s: the turn is saved by the next model, in the same step', async (id) => {
    const { host, upstream, home } = world
    const session = await sessionOn(id)
    const settings = readFileSync(join(home.path, 'settings.yaml'), 'utf8')
    const before = upstream.log.length
    const turn = await host.turn(session, `hello ${id}`)

    expect(turn.end).toBe('completed')
    // After an overflow the host's own compaction comes first, so the model may answer to a condensed history.
    expect(turn.text).toMatch(id === '400-context' ? /^Here is gamma\/c-1\. / : `Here is gamma/c-1. You wrote: hello ${id}`)
    expect(turn.headers.at(-1)).toBe('gamma/c-1')
    const messages = turn.events.filter(({ type }) => type === 'assistant/message')
    expect(messages).toHaveLength(1)
    expect(messages[0]?.data['message']).toMatchObject({ source: { provider: 'gamma', model: 'c-1' } })
    const sources = turn.events.filter(({ type }) => type === 'user/message').map(({ data }) => data['source'] as { readonly kind: string; readonly plugin?: string })
    expect(sources.filter(({ kind }) => kind === 'user')).toHaveLength(1)
    expect(sources.filter(({ plugin }) => plugin === 'model-failover')).toEqual([])
    expect(turn.events.filter(({ type }) => type === 'turn/start')).toHaveLength(1)
    const chats = upstream.log.slice(before).filter(({ purpose }) => purpose === 'chat').map(({ provider }) => provider)
    expect(chats.filter((provider) => provider.startsWith('wall-')).length).toBeLessThanOrEqual(2)
    expect(readFileSync(join(home.path, 'settings.yaml'), 'utf8')).toBe(settings)

    const info = (await host.api(`/session-info?sessionId=${session}`)).body as { readonly override: { readonly kind: string } | null; readonly home: unknown }
    expect(info.home).toMatchObject({ provider: `wall-${id}`, model: `m-fault-${id}` })
    expect(info.override).toMatchObject({ provider: 'gamma', model: 'c-1' })
    const { failed } = (await host.api('/status')).body as { readonly failed: readonly { readonly provider: string }[] }
    if (REJECTIONS.has(id)) expect(failed.filter(({ provider }) => provider === `wall-${id}`)).toEqual([])
  })

  it('leaves no error of ours in the host', () => {
    expect(world.host.stderr()).toBe('')
  })
})
