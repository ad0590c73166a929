import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Chunk, FinishReason } from './chunks.ts'
import { feed, follow, HOLD_CAP_BYTES, inBandError, isDecisive, NO_ANSWER, openGate, type Gate } from './frames.ts'

const start: Chunk = { type: 'block-start', index: 0, blockType: 'text' }
const delta = (text: string, index = 0): Chunk => ({ type: 'text-delta', index, text })
const end = (text: string, index = 0): Chunk => ({ type: 'block-end', index, block: { type: 'text', text } })
const usage = (inputTokens: number, outputTokens: number): Chunk => ({ type: 'usage', usage: { inputTokens, outputTokens } })
const stop: FinishReason = { kind: 'stop' }
const finish = (reason: FinishReason): Chunk => ({ type: 'finish', reason })
const failed: FinishReason = { kind: 'error', failure: { code: 'SERVER', message: 'down' } }

/** Feeds frames until one is not held; the number of held frames and the last verdict. */
function run(chunks: readonly Chunk[], cap?: number): { held: number; verdict: string } {
  let gate: Gate = openGate(cap)
  for (const chunk of chunks) {
    const judged = feed(gate, chunk)
    if (judged.kind !== 'hold') return { held: gate.held, verdict: judged.kind === 'refuse' ? judged.failure.code : judged.kind }
    gate = judged.gate
  }
  return { held: gate.held, verdict: 'hold' }
}

it('holds block starts, usage reports and empty deltas', () => {
  expect(run([start, delta(''), usage(0, 0), end(''), { type: 'tool-call-delta', index: 1, id: 'x', argumentsDelta: '' }])).toEqual({ held: 5, verdict: 'hold' })
})

it.each<[string, Chunk]>([
  ['text', delta('a')],
  ['reasoning', { type: 'reasoning-delta', index: 0, text: 'a' }],
  ['a named tool call', { type: 'tool-call-delta', index: 0, id: 'x', name: 'read', argumentsDelta: '' }],
  ['tool call arguments', { type: 'tool-call-delta', index: 0, id: 'x', argumentsDelta: '{' }],
  ['a block with text', end('a')],
  ['a block of another kind', { type: 'block-end', index: 0, block: { type: 'tool-call', id: 'x', name: 'y', arguments: '{}' } }],
])('commits on %s', (_name, chunk) => {
  expect(run([start, usage(5, 0), chunk])).toEqual({ held: 2, verdict: 'commit' })
})

it('refuses an error that comes before anything decisive', () => {
  expect(run([start, usage(0, 0), finish(failed)])).toEqual({ held: 2, verdict: 'SERVER' })
})

it('refuses a stop without content, but no other finish without content', () => {
  expect(run([start, end(''), usage(9, 0), finish(stop)]).verdict).toBe('EMPTY_RESPONSE')
  expect(run([finish({ kind: 'max-tokens' })]).verdict).toBe('commit')
  expect(run([finish({ kind: 'tool-calls' })]).verdict).toBe('commit')
})

it('lets everything through when what is held grows beyond the cap', () => {
  const frames = Array.from({ length: 5000 }, () => start)
  expect(run(frames).verdict).toBe('commit')
  expect(run(frames, HOLD_CAP_BYTES * 2).verdict).toBe('hold')
})

it('holds frame types it does not know, by their size', () => {
  const strange = { type: 'image-delta', data: 'x'.repeat(1000) } as unknown as Chunk
  expect(isDecisive(strange)).toBe(false)
  expect(run([strange, strange]).verdict).toBe('hold')
  expect(run(Array.from({ length: 200 }, () => strange)).verdict).toBe('commit')
})

const rule = (text: string): { code: string; message: string } | null => (/^the upstream is overloaded\.?$/i.test(text) ? { code: 'MALFORMED_RESPONSE', message: text } : null)
const judge = (chunks: readonly Chunk[], reason: FinishReason = stop): string | null => inBandError(chunks.reduce(follow, NO_ANSWER), reason, rule)?.code ?? null

it('finds an error that is the whole answer, from deltas or from the closed block', () => {
  expect(judge([start, delta('The upstream '), delta('is overloaded'), end('The upstream is overloaded')])).toBe('MALFORMED_RESPONSE')
  expect(judge([end('The upstream is overloaded.')])).toBe('MALFORMED_RESPONSE')
  expect(judge([delta('The upstream is overloaded')])).toBe('MALFORMED_RESPONSE')
})

it('takes no answer for an error that is more than that text, or that came with usage, or did not stop', () => {
  const text = 'The upstream is overloaded'
  expect(judge([delta(`${text}, it said`)])).toBeNull()
  expect(judge([start, delta(text), end(text), usage(5, 6)])).toBeNull()
  expect(judge([start, delta(text), end(text), usage(0, 0)])).toBe('MALFORMED_RESPONSE')
  expect(judge([delta(text), delta(text, 1)])).toBeNull()
  expect(judge([end(text), end(text, 1)])).toBeNull()
  expect(judge([{ type: 'reasoning-delta', index: 0, text: 'x' }, end(text, 1)])).toBeNull()
  expect(judge([start, delta(text), end(text), { type: 'tool-call-delta', index: 1, id: 'x', argumentsDelta: '{}' }])).toBeNull()
  expect(judge([delta(text)], { kind: 'max-tokens' })).toBeNull()
  expect(judge([delta('x'.repeat(301))])).toBeNull()
})

const anyChunk: fc.Arbitrary<Chunk> = fc.oneof(
  fc.record({ type: fc.constant<'block-start'>('block-start'), index: fc.nat(2), blockType: fc.constantFrom('text', 'reasoning') }),
  fc.record({ type: fc.constantFrom<'text-delta' | 'reasoning-delta'>('text-delta', 'reasoning-delta'), index: fc.nat(2), text: fc.string({ maxLength: 3 }) }),
  fc.record({ type: fc.constant<'block-end'>('block-end'), index: fc.nat(2), block: fc.record({ type: fc.constantFrom('text', 'tool-call'), text: fc.string({ maxLength: 2 }) }) }),
  fc.record({ type: fc.constant<'usage'>('usage'), usage: fc.record({ inputTokens: fc.nat(3), outputTokens: fc.nat(3) }) }),
  fc.record({ type: fc.constant<'finish'>('finish'), reason: fc.constantFrom<FinishReason>(stop, failed, { kind: 'max-tokens' }) }),
)

it('commits exactly at the first decisive frame or finish, whatever came before', () => {
  fc.assert(fc.property(fc.array(anyChunk, { maxLength: 20 }), (chunks) => {
    const first = chunks.findIndex((chunk) => chunk.type === 'finish' || isDecisive(chunk))
    expect(run(chunks).held).toBe(first < 0 ? chunks.length : first)
  }))
})
