import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toyAsk } from '../../../../tests/support/neighbours.ts'
import { messagesOf, plainRequest, readAsk, rebuild, type Ask, type PlainMessage } from './ask.ts'

const ask = (texts?: readonly string[], extra?: Readonly<Record<string, unknown>>): Ask => {
  const read = readAsk(toyAsk(texts, extra))
  if (!read) throw new Error('the fixture is no ask')
  return read
}
const back = (from: Ask, change: Readonly<Record<string, unknown>> = {}) => rebuild(from, JSON.parse(JSON.stringify({ ...plainRequest(from), ...change })))

describe('an ask', () => {
  it('is refused when its shape is in doubt', () => {
    for (const value of [null, 7, 'x', [], {}, { modelKey: '' }, { modelKey: 'm' }, { modelKey: 'm', history: [] }, { modelKey: 'm', history: 'x' }, { modelKey: 'm', history: [{}] }, { modelKey: 'm', history: [{ role: 3 }], userText: 'x' }]) expect(readAsk(value)).toBeNull()
    expect(readAsk({ modelKey: 'm', userText: 'x' })).not.toBeNull()
  })

  it('becomes a plain request with everything the compactor should see', () => {
    expect(plainRequest(ask(['a', 'b', 'c'], { reasoningEffort: 'high', temperature: 0 }))).toEqual({
      model: 'dfmodel', stream: true, max_tokens: 4096, reasoning_effort: 'high', temperature: 0,
      tools: [{ type: 'function', function: { name: 'read', parameters: {} } }],
      messages: [{ role: 'system', content: 'be short' }, { role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }, { role: 'user', content: 'c' }],
    })
  })

  it('without a history sends its user text', () => {
    expect(messagesOf(ask([], { history: undefined, systemText: undefined, userText: 'hi' }))).toEqual([{ role: 'user', content: 'hi' }])
  })
})

describe('on the way back', () => {
  it('an untouched request gives the very same ask', () => {
    const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'tool', 'system'), content: fc.oneof(fc.string(), fc.array(fc.record({ type: fc.constant('text'), text: fc.string() }))) })
    fc.assert(fc.property(fc.array(message, { minLength: 1 }), fc.option(fc.string(), { nil: undefined }), (history, systemText) => {
      fc.pre(history.some(({ role }) => role !== 'system'))
      const from = ask(['x'], { history, systemText })
      const result = back(from)
      expect(result.kind === 'ask' && result.ask === from).toBe(true)
    }))
  })

  it('shortened messages replace the history, and the last user text follows', () => {
    const from = ask(['one', 'two', 'three'])
    const result = back(from, { messages: [{ role: 'system', content: 'be short' }, { role: 'user', content: 'folded' }] })
    expect(result).toMatchObject({ kind: 'ask', ask: { history: [{ role: 'user', content: 'folded' }], userText: 'folded', systemText: 'be short', business: { type: 'agent' }, tools: from.tools, maxTokens: 4096 } })
  })

  it('a preamble of the compactor joins the system text', () => {
    const result = back(ask(['a']), { messages: [{ role: 'system', content: 'preamble' }, { role: 'system', content: 'be short' }, { role: 'user', content: 'a' }] })
    expect(result).toMatchObject({ ask: { systemText: 'preamble\n\nbe short', history: [{ role: 'user', content: 'a' }] } })
  })

  it('a system message of the history stays where it was', () => {
    const history: PlainMessage[] = [{ role: 'system', content: 'own' }, { role: 'user', content: 'a' }]
    const from = ask(['a'], { history })
    expect(back(from, { messages: [{ role: 'system', content: 'changed' }, ...history] })).toMatchObject({ ask: { systemText: 'changed', history } })
  })

  it('a lost system text is kept', () => {
    expect(back(ask(['a']), { messages: [{ role: 'user', content: 'short' }] })).toMatchObject({ ask: { systemText: 'be short', history: [{ content: 'short' }] } })
  })

  it('tool calls, tool ids and images travel as they are', () => {
    const history = [{ role: 'user', content: [{ type: 'text', text: 'see' }, { type: 'image_url', image_url: { url: 'data:x' } }] }, { role: 'assistant', content: '', tool_calls: [{ id: 't1' }] }, { role: 'tool', content: 'r', tool_call_id: 't1' }]
    const from = ask(['x'], { history })
    expect(back(from, { messages: [{ role: 'system', content: 'new' }, ...history] })).toMatchObject({ ask: { history, systemText: 'new', userText: 'see' } })
  })

  it('changed tools and parameters are taken over, others are left', () => {
    const from = ask(['a'])
    expect(back(from, { tools: [{ type: 'function', function: { name: 'compress' } }], max_tokens: 100, temperature: 'hot' })).toMatchObject({ ask: { tools: [{ function: { name: 'compress' } }], maxTokens: 100 } })
    expect(back(from, { temperature: 'hot' })).toMatchObject({ ask: from })
  })

  it('every doubt is named', () => {
    const from = ask(['a'])
    for (const body of [null, 3, [], {}, { messages: [] }, { messages: 'x' }, { messages: [{ content: 'no role' }] }, { messages: [null] }, { messages: [{ role: 'system', content: 'only' }] }]) expect(rebuild(from, body).kind).toBe('doubt')
  })
})
