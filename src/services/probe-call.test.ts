import { describe, expect, it } from 'vitest'
import type { CallOptions, Chunk, HostFailure, Stream } from '../ports.ts'
import { ManualTime, settle } from '../../tests/support/manual-time.ts'
import type { OutcomeFailure } from './health-outcomes.ts'
import { createProbeCall } from './probe-call.ts'

const CLASSES: Record<string, OutcomeFailure['class']> = { SERVER: 'server', INVALID_REQUEST: 'invalid_request', EMPTY_RESPONSE: 'empty_response', STREAM_CLOSED: 'bad_output', UNKNOWN: 'unknown' }
const judge = (failure: HostFailure): OutcomeFailure => ({
  class: CLASSES[failure.code] ?? 'unknown', scope: 'route', reset: null, rule: 'test', endOfLife: false, code: failure.code, message: failure.message,
})
const text: Chunk = { type: 'text-delta', index: 0, text: 'OK' }
const usage: Chunk = { type: 'usage', usage: { inputTokens: 12, outputTokens: 3 } }
const start: Chunk = { type: 'block-start', index: 0, blockType: 'text' }
const stop: Chunk = { type: 'finish', reason: { kind: 'stop' } }
const error = (code: string): Chunk => ({ type: 'finish', reason: { kind: 'error', failure: { code, message: `it says ${code}` } } })

async function* frames(...chunks: Chunk[]): Stream { for (const chunk of chunks) yield chunk }

async function probe(stream: (options: CallOptions) => Stream, maxTokens = 8) {
  const call = createProbeCall({ time: new ManualTime(), stream, judge })
  return call({ provider: 'p', model: 'm' }, maxTokens, new AbortController().signal)
}

describe('one probe', () => {
  it('asks the route itself, without a session, in the shape the host takes', async () => {
    let seen: CallOptions | null = null
    await probe((options) => { seen = options; return frames(stop) })
    expect(seen).toMatchObject({ provider: 'p', model: 'm', purpose: 'probe', maxTokens: 8 })
    expect(seen).not.toHaveProperty('sessionId')
    expect(seen!.messages).toEqual([{ id: expect.stringMatching(/./), role: 'user', content: [{ type: 'text', text: expect.any(String) }], source: { kind: 'plugin', plugin: 'model-failover' } }])
  })

  it('succeeds by a first valid frame, and counts the tokens that are reported', async () => {
    expect(await probe(() => frames(start, text, usage, stop))).toEqual({ ok: true, conclusive: true, failure: null, tokens: 15 })
  })

  it('succeeds by a valid frame even if the stream breaks after it, and guesses the tokens', async () => {
    expect(await probe(() => frames(start, text, error('SERVER')))).toMatchObject({ ok: true, tokens: 24 })
  })

  it('succeeds by a clean finish without any content', async () => {
    expect(await probe(() => frames(start, { type: 'finish', reason: { kind: 'max-tokens' } }))).toMatchObject({ ok: true })
  })

  it('is not taken in by frames that dead upstreams send too', async () => {
    expect(await probe(() => frames(start, usage, error('SERVER')))).toMatchObject({ ok: false, conclusive: true, failure: { class: 'server', message: 'it says SERVER' } })
  })

  it('says that a refused request proves nothing', async () => {
    expect(await probe(() => frames(error('INVALID_REQUEST')))).toMatchObject({ ok: false, conclusive: false, failure: { class: 'invalid_request' } })
  })

  it('does not blame a model that only thought within so small a limit', async () => {
    expect(await probe(() => frames(error('EMPTY_RESPONSE')))).toMatchObject({ conclusive: false })
    expect(await probe(() => frames(error('EMPTY_RESPONSE')), 64)).toMatchObject({ conclusive: true, failure: { class: 'empty_response' } })
  })

  it('fails on a stream without a finish and on one that throws, now or later', async () => {
    expect(await probe(() => frames(start))).toMatchObject({ ok: false, failure: { class: 'bad_output' } })
    expect(await probe(() => { throw new Error('no runtime') })).toMatchObject({ ok: false, failure: { class: 'unknown', message: 'no runtime' } })
    expect(await probe(async function* () { yield start; throw new Error('broken') })).toMatchObject({ ok: false, failure: { message: 'broken' } })
  })

  it('ends when it is cut off, even if the source never listens', async () => {
    const cut = new AbortController()
    let left = false
    const silent: Stream = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: () => { left = true; return new Promise(() => {}) } }) }
    const call = createProbeCall({ time: new ManualTime(), stream: () => silent, judge })
    const reply = call({ provider: 'p', model: 'm' }, 8, cut.signal)
    await settle()
    cut.abort()
    expect(await reply).toEqual({ ok: false, conclusive: false, failure: null, tokens: 0 })
    expect(left).toBe(true)
  })

  it('waits only a little for the token report of a stream that serves but does not end', async () => {
    const time = new ManualTime()
    const endless: Stream = { [Symbol.asyncIterator]: () => { let sent = false; return { next: () => { if (sent) return new Promise(() => {}); sent = true; return Promise.resolve({ done: false as const, value: text }) } } } }
    const call = createProbeCall({ time, stream: () => endless, judge })
    const reply = call({ provider: 'p', model: 'm' }, 8, new AbortController().signal)
    await time.run(5000)
    expect(await reply).toMatchObject({ ok: true })
    expect(time.pending).toBe(0)
  })
})
