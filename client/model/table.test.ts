import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { models, row, usedRow } from '../testing/builders.ts'
import { COLUMNS, rankable, sortValue, sorted, successShare, toLines, tokenSum, warns } from './table.ts'

const route = (model: string) => ({ provider: 'alpha', model })
const inGroup = (id: string, priority: number) => ({ id, name: id, priority, disabled: false })

describe('lines', () => {
  it('are one per model and group, models without a group last', () => {
    const lines = toLines([row(route('free')), row({ ...route('both'), groups: [inGroup('g1', 2), inGroup('g2', 1)] }), row({ ...route('first'), groups: [inGroup('g1', 1)] })])
    expect(lines.map(({ group, row: { model } }) => `${group?.id ?? '-'} ${model}`)).toEqual(['g1 first', 'g1 both', 'g2 both', '- free'])
    expect(new Set(lines.map(({ key }) => key)).size).toBe(4)
  })
})

describe('order', () => {
  const rows = [row(route('empty')), usedRow(route('b'), 2), usedRow(route('a'), 1), row(route('none')), usedRow(route('c'), 3)]
  const lines = toLines(rows)

  it('puts rows without data last in either direction', () => {
    for (const column of COLUMNS.filter((name) => !['model', 'state'].includes(name))) {
      for (const direction of ['asc', 'desc'] as const) {
        const values = sorted(lines, { column, direction }, models()).map((line) => sortValue(line, column, models()))
        expect(values.slice(values.indexOf(null)).every((value) => value === null) || !values.includes(null), column).toBe(true)
      }
    }
  })
  it('sorts tokens by the sum that the cell shows', () => {
    expect(sorted(lines, { column: 'tokens', direction: 'desc' }, null).slice(0, 3).map(({ row: { model } }) => model)).toEqual(['c', 'b', 'a'])
  })
  it('keeps every line and, among equals, the default order', () => {
    fc.assert(fc.property(fc.array(fc.nat({ max: 3 }), { maxLength: 12 }), fc.constantFrom(...COLUMNS), fc.constantFrom('asc' as const, 'desc' as const), (kinds, column, direction) => {
      const given = toLines(kinds.map((kind, index) => (kind === 0 ? row(route(`m${index}`)) : usedRow(route(`m${index}`), kind))))
      const out = sorted(given, { column, direction }, null)
      expect([...out].sort((a, b) => a.key.localeCompare(b.key))).toEqual([...given].sort((a, b) => a.key.localeCompare(b.key)))
      out.forEach((line, index) => {
        const next = out[index + 1]
        if (next && sortValue(line, column, null) === sortValue(next, column, null)) expect(given.indexOf(line)).toBeLessThan(given.indexOf(next))
      })
    }))
  })
  it('is the default order without a sort', () => expect(sorted(lines, null, null)).toBe(lines))
})

describe('figures', () => {
  it('add up what was reported and nothing else', () => {
    expect(tokenSum({ inTokens: 5, outTokens: null, cacheReadTokens: 7, cacheWriteTokens: null })).toBe(12)
    expect(tokenSum({ inTokens: null, outTokens: null, cacheReadTokens: null, cacheWriteTokens: null })).toBeNull()
    expect(tokenSum({ inTokens: 0, outTokens: null, cacheReadTokens: null, cacheWriteTokens: null })).toBe(0)
  })
  it('judge a success rate from five samples on, and only below 90 %', () => {
    expect(successShare({ rated: 0, successes: 0 })).toBeNull()
    expect([[4, 0], [5, 4], [10, 9], [10, 8]].map(([rated = 0, successes = 0]) => warns({ rated, successes }))).toEqual([false, true, false, true])
  })
  it('number only rows of the group that have samples, as they stand', () => {
    const lines = sorted(toLines([
      usedRow(route('slow'), 9, { groups: [inGroup('g1', 1)] }), usedRow(route('fast'), 1, { groups: [inGroup('g1', 2)] }),
      row({ ...route('unused'), groups: [inGroup('g1', 3)] }), usedRow(route('other'), 1, { groups: [inGroup('g2', 1)] }),
    ]), { column: 'ttft', direction: 'asc' }, null)
    expect(rankable(lines, 'g1')).toEqual([route('fast'), route('slow')])
  })
})
