import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compare, DIFF_LIMIT } from './exchange.ts'

const user = (content: string) => ({ role: 'user', content })

it('tells shorter content from merely other content', () => {
  expect(compare([user('a'), user('long text')], [user('a'), user('short')])).toEqual({
    beforeCount: 2, afterCount: 2, beforeContent: 10, afterContent: 6, contentShrank: true, changed: true,
    diff: [{ index: 1, kind: 'shrunk', role: 'user', beforeLen: 9, afterLen: 5, delta: -4 }],
  })
  expect(compare([user('a')], [{ role: 'system', content: 'preamble' }, user('a')])).toMatchObject({
    contentShrank: false, changed: true, diff: [{ index: 0, kind: 'added', role: 'system', beforeLen: 0, afterLen: 8, delta: 8 }],
  })
  expect(compare([user('a'), user('b'), user('c')], [user('a'), user('c')])).toMatchObject({ diff: [{ index: 1, kind: 'removed', role: 'user', beforeLen: 1, afterLen: 0, delta: -1 }] })
  expect(compare([user('ab')], [user('ba')])).toMatchObject({ contentShrank: false, changed: true, diff: [{ kind: 'changed', delta: 0 }] })
})

it('finds nothing in equal messages, and its deltas add up otherwise', () => {
  const messages = fc.array(fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.string({ maxLength: 8 }) }), { maxLength: 12 })
  fc.assert(fc.property(messages, (list) => { expect(compare(list, structuredClone(list))).toMatchObject({ changed: false, contentShrank: false, diff: [] }) }))
  fc.assert(fc.property(messages, messages, (before, after) => {
    const { diff, beforeContent, afterContent } = compare(before, after)
    expect(diff.reduce((sum, { delta }) => sum + delta, 0)).toBe(afterContent - beforeContent)
  }))
})

it('lists a bounded number of differences and no text', () => {
  const many = Array.from({ length: 200 }, (_, index) => user(`private ${index}`))
  const exchange = compare(many, many.map(() => user('x')))
  expect(exchange.diff).toHaveLength(DIFF_LIMIT)
  expect(JSON.stringify(exchange)).not.toContain('private')
})
