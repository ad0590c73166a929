import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { at } from '../../tests/support/routing.ts'
import { effortFor, NO_NEED, outgoing, refusal, unfit, type Facts } from './fit.ts'

const facts = (more: Partial<Facts> = {}): Facts => ({ contextWindow: null, inputs: null, efforts: [], ...more })

describe('fit', () => {
  it('refuses a model the host does not know, and not one nobody asked about yet', () => {
    expect(unfit(null, NO_NEED)?.why).toBe('unknown-model')
    expect(unfit(undefined, { ...NO_NEED, images: true, usedTokens: 9 })).toBeNull()
  })

  it('wants a window that holds what the session used, without a margin, when both are known', () => {
    const need = { ...NO_NEED, usedTokens: 8000 }
    expect([7999, 8000, null].map((contextWindow) => unfit(facts({ contextWindow }), need)?.why)).toEqual(['too-small', undefined, undefined])
    expect(unfit(facts({ contextWindow: 1 }), NO_NEED)).toBeNull()
  })

  it('wants a larger window than the one that overflowed, whatever the estimate said', () => {
    const need = { ...NO_NEED, usedTokens: 10, overflowed: { window: 100 } }
    expect([99, 100, 101, null].map((contextWindow) => unfit(facts({ contextWindow }), need)?.why)).toEqual(['too-small', 'too-small', undefined, undefined])
  })

  it('wants image input only when there are images and the host lists the inputs', () => {
    const need = { ...NO_NEED, images: true }
    expect(unfit(facts({ inputs: ['text'] }), need)?.why).toBe('no-images')
    expect(unfit(facts({ inputs: ['text', 'image'] }), need)).toBeNull()
    expect(unfit(facts(), need)).toBeNull()
    expect(unfit(facts({ inputs: ['text'] }), NO_NEED)).toBeNull()
  })
})

describe('a refusal', () => {
  const rejections = [{ ...at('a'), class: 'context_too_long' as const, tokens: 900, at: 0 }]

  it('stands for this history or a longer one, and ends when it has shrunk below', () => {
    expect([901, 900, 899].map((used) => refusal(rejections, at('a'), { usedTokens: used })?.why)).toEqual(['rejected', 'rejected', undefined])
  })

  it('stands while a size is unknown', () => {
    expect(refusal(rejections, at('a'), { usedTokens: null })?.class).toBe('context_too_long')
    expect(refusal([{ ...rejections[0]!, tokens: null }], at('a'), { usedTokens: 1 })?.why).toBe('rejected')
  })

  it('is the word of one route only', () => {
    expect(refusal(rejections, at('q/a'), { usedTokens: 999 })).toBeNull()
  })
})

describe('the effort that is sent', () => {
  const offered = facts({ efforts: ['low', 'high'] })

  it.each([
    ['the entry has its own', { effort: 'low' }, 'high', true, 'low'],
    ['none when the target does not offer the one of the entry, for the host would refuse the request', { effort: 'max' }, 'high', true, undefined],
    ['the one of the session then, where it may be carried over', { effort: 'max' }, 'high', false, 'high'],
    ['none when it is to be dropped', {}, 'high', true, undefined],
    ['the one of the session when the target offers it', {}, 'high', false, 'high'],
    ['none when the target does not offer it', {}, 'ultra', false, undefined],
    ['none when the session has none', {}, undefined, false, undefined],
  ])('%s', (_title, entry, effort, strip, sent) => {
    expect(effortFor(entry, offered, { effort, strip })).toBe(sent)
  })

  it.each([null, undefined])('is the one of the entry while nobody knows what the target offers (%s)', (unknown) => {
    expect(effortFor({ effort: 'max' }, unknown, { effort: 'high', strip: true })).toBe('max')
  })

  it('law: is a missing key when there is none', () => {
    fc.assert(fc.property(fc.option(fc.string({ minLength: 1 }), { nil: undefined }), (effort) => {
      expect('effort' in outgoing({ provider: 'p', model: 'm' }, effort)).toBe(effort !== undefined)
    }))
  })
})
