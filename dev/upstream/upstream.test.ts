import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FAULTS, faultOfModel } from '../../src/contract/faults.ts'
import { startUpstream } from './index.ts'
import type { Upstream } from './index.ts'

let upstream: Upstream

beforeEach(async () => {
  upstream = await startUpstream()
})

afterEach(() => upstream.close())

/** One streaming request; `signal` ends it from outside. */
const ask = (model: string, more: Readonly<Record<string, unknown>> = {}, signal?: AbortSignal) => fetch(`${upstream.url}/alpha/v1/chat/completions`, {
  method: 'POST',
  body: JSON.stringify({ model, stream: true, tools: [{}], messages: [{ role: 'user', content: 'hello' }], ...more }),
  ...(signal ? { signal } : {}),
})

/** The content of a stream, up to the point where it breaks. */
async function words(reply: Response): Promise<{ text: string; finish: string | null; error: unknown; broken: boolean }> {
  let raw = ''
  let broken = false
  try {
    const decoder = new TextDecoder()
    for await (const part of reply.body ?? []) raw += decoder.decode(part as Uint8Array, { stream: true })
  } catch {
    broken = true
  }
  const frames = raw.split('\n\n').filter((line) => line.startsWith('data: {')).map((line) => JSON.parse(line.slice(6)) as { error?: unknown; choices?: { delta: { content?: string }; finish_reason: string | null }[] })
  const choices = frames.flatMap((frame) => frame.choices ?? [])
  return {
    text: choices.map(({ delta }) => delta.content ?? '').join(''),
    finish: choices.find(({ finish_reason }) => finish_reason !== null)?.finish_reason ?? null,
    error: frames.find((frame) => frame.error !== undefined)?.error ?? null,
    broken,
  }
}

describe('an answering model', () => {
  it('names itself and repeats the question, the same way every time', async () => {
    const first = await words(await ask('a-1'))
    expect(first).toEqual({ text: 'Here is alpha/a-1. You wrote: hello', finish: 'stop', error: null, broken: false })
    expect(await words(await ask('a-1'))).toEqual(first)
    expect(upstream.routes()).toEqual(['alpha/a-1', 'alpha/a-1'])
  })

  it('lists the models of its provider', async () => {
    const reply = await (await fetch(`${upstream.url}/beta/v1/models`)).json() as { data: { id: string }[] }
    expect(reply.data.map(({ id }) => id)).toEqual(['b-1', 'b-2'])
  })

  it('tells titles, compactions and probes from the conversation', async () => {
    await ask('a-1', { tools: [], messages: [{ role: 'system', content: 'Create a concise title.' }, { role: 'user', content: 'x' }] })
    await ask('a-1', { messages: [{ role: 'system', content: 'A title is not asked for.' }, { role: 'user', content: 'x' }] })
    await ask('a-1', { messages: [{ role: 'user', content: 'x' }, { role: 'user', content: 'You are now acting as a compaction engine.' }] })
    await ask('a-1', { tools: [] })
    expect(upstream.log.map(({ purpose }) => purpose)).toEqual(['title', 'chat', 'compaction', 'other'])
  })
})

describe('a model that was told to fail', () => {
  it.each(FAULTS.filter(({ play }) => play.kind === 'reply').map(({ id }) => id))('answers %s with its status, headers and body', async (id) => {
    upstream.set('alpha', 'a-1', id)
    const play = FAULTS.find((fault) => fault.id === id)?.play as { status: number; headers: Record<string, string>; body: unknown }
    const reply = await ask('a-1')
    expect(reply.status).toBe(play.status)
    for (const [name, value] of Object.entries(play.headers)) expect(reply.headers.get(name)).toBe(value)
    expect(await reply.text()).toBe(typeof play.body === 'string' ? play.body : JSON.stringify(play.body))
  })

  it.each([
    ['close-mid', { text: 'Here is alpha/a-1. ', finish: null, error: null, broken: false }],
    ['reset-mid', { text: 'Here is alpha/a-1. ', finish: null, error: null, broken: true }],
    ['error-first', { text: '', finish: null, error: expect.objectContaining({ type: 'overloaded_error' }) as unknown, broken: false }],
    ['error-mid', { text: 'Here is alpha/a-1. ', finish: null, error: expect.objectContaining({ type: 'server_error' }) as unknown, broken: false }],
    ['empty', { text: '', finish: 'stop', error: null, broken: false }],
    ['filtered', { text: '', finish: 'content_filter', error: null, broken: false }],
  ] as const)('breaks its stream in the manner of %s', async (id, outcome) => {
    upstream.set('alpha', 'a-1', id)
    expect(await words(await ask('a-1'))).toEqual(outcome)
  })

  it('resets the connection before any header', async () => {
    upstream.set('alpha', 'a-1', 'reset')
    await expect(ask('a-1')).rejects.toThrow()
  })

  it('notices that the client of a hanging request left', async () => {
    upstream.set('alpha', 'a-1', 'hang')
    const client = new AbortController()
    const reply = ask('a-1', {}, client.signal)
    await expect.poll(() => upstream.log.length).toBe(1)
    client.abort()
    await expect(reply).rejects.toThrow()
    await expect.poll(() => upstream.log[0]?.gone).toBe(true)
  })

  it('calls a tool first and answers after its result', async () => {
    upstream.set('alpha', 'a-1', 'tool-call')
    expect((await words(await ask('a-1'))).finish).toBe('tool_calls')
    const after = await words(await ask('a-1', { messages: [{ role: 'user', content: 'hello' }, { role: 'tool', content: 'done' }] }))
    expect(after).toMatchObject({ text: 'Here is alpha/a-1. You wrote: hello', finish: 'stop' })
  })
})

describe('orders', () => {
  it('may name the tool that is called', async () => {
    upstream.set('alpha', 'a-1', { fault: 'tool-call', tool: { name: 'subagent', arguments: { prompt: 'a part' } } })
    const raw = await (await ask('a-1')).text()
    expect(raw).toContain('"name":"subagent"')
    expect(raw).toContain('a part')
  })

  it('are played in order, each for its number of requests, then the model answers again', async () => {
    upstream.set('alpha', 'a-1', ['500', { fault: '503', times: 2 }])
    const statuses: number[] = []
    for (let i = 0; i < 4; i += 1) statuses.push((await ask('a-1')).status)
    expect(statuses).toEqual([500, 503, 503, 200])
  })

  it('may apply to one purpose only', async () => {
    upstream.set('alpha', 'a-1', { fault: '500', purpose: 'title' })
    expect((await ask('a-1')).status).toBe(200)
    expect((await ask('a-1', { tools: [], messages: [{ role: 'system', content: 'Create a title.' }] })).status).toBe(500)
  })

  it('may be hidden in the name of a model', async () => {
    expect(faultOfModel('any-fault-429-retry-after')?.id).toBe('429-retry-after')
    expect((await ask('x-fault-402')).status).toBe(402)
    expect(faultOfModel('fault-unheard-of')).toBeNull()
  })

  it('come by HTTP too, and an unknown fault is refused with the known ones', async () => {
    const order = (body: unknown) => fetch(`${upstream.url}/control`, { method: 'POST', body: JSON.stringify(body) })
    expect((await order({ provider: 'alpha', model: 'a-1', fault: '529', times: 1 })).status).toBe(200)
    expect((await ask('a-1')).status).toBe(529)
    const refused = await order({ provider: 'alpha', model: 'a-1', fault: 'tired' })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('429-retry-after')
    const log = await (await fetch(`${upstream.url}/control/log`)).json() as { calls: { fault: string }[] }
    expect(log.calls.map(({ fault }) => fault)).toEqual(['529'])
  })
})

it('closes although clients hang', async () => {
  upstream.set('alpha', 'a-1', 'hang')
  const reply = ask('a-1')
  await expect.poll(() => upstream.log.length).toBe(1)
  await Promise.all([upstream.close(), expect(reply).rejects.toThrow()])
})
