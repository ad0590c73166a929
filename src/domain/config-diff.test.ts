import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Group } from '../contract/group.ts'
import type { Entry } from '../contract/route.ts'
import { diffConfiguration, sameEntries, type Configuration } from './config-diff.ts'

const entry = (model: string, more: Partial<Entry> = {}): Entry => ({ provider: 'p', model, priority: 1, ...more })
const group = (id: string, models: readonly Entry[] = [], more: Partial<Group> = {}): Group => ({ id, rev: 1, name: id.toUpperCase(), enabled: true, models, ...more })
const configuration = (groups: readonly Group[], more: Partial<Configuration> = {}): Configuration => ({ groups, defaultBinding: null, limits: {}, settings: {}, ...more })
const paths = (before: Configuration, after: Configuration) => diffConfiguration(before, after).map(({ op, path }) => `${op} ${path}`)

describe('the lines between two configurations', () => {
  it('name what differs in a group, field by field', () => {
    const before = configuration([group('a', [entry('m', { effort: 'low' }), entry('n')])])
    const after = configuration([group('a', [entry('m', { effort: 'high', ask: true }), entry('o')], { name: 'Other', enabled: false, rev: 7 })])
    expect(paths(before, after)).toEqual(['change groups/A/name', 'change groups/A/enabled', 'change groups/A/p/m/effort', 'add groups/A/p/m/ask', 'remove groups/A/p/n', 'add groups/A/p/o'])
  })

  it('tell another order of groups and of entries', () => {
    expect(paths(configuration([group('a'), group('b')]), configuration([group('b'), group('a')]))).toEqual(['change groups/order'])
    expect(paths(configuration([group('a', [entry('m'), entry('n')])]), configuration([group('a', [entry('n'), entry('m')])]))).toEqual(['change groups/A/order'])
  })

  it('tell a new group or entry that does not simply stand at the end', () => {
    expect(paths(configuration([group('a')]), configuration([group('b'), group('a')]))).toEqual(['add groups/B', 'change groups/order'])
    expect(paths(configuration([group('a')]), configuration([group('a'), group('b')]))).toEqual(['add groups/B'])
  })

  it('name the default by its group, limits and settings by their keys', () => {
    const before = configuration([group('a')], { limits: { 'p/m': 1 }, settings: { drill: true } })
    const after = configuration([group('a')], { defaultBinding: { groupId: 'a', mode: 'route' }, limits: { 'p/n': 1 }, settings: { drill: false } })
    expect(diffConfiguration(before, after)).toEqual([
      { op: 'add', path: 'defaultBinding', after: { group: 'A', groupId: 'a', mode: 'route' } },
      { op: 'remove', path: 'limits/p/m', before: 1 }, { op: 'add', path: 'limits/p/n', after: 1 }, { op: 'change', path: 'settings/drill', before: true, after: false },
    ])
  })

  it('see no difference in the order of fields, in the rev, or in absent against undefined', () => {
    const messy = { priority: 1, ask: undefined, model: 'm', provider: 'p' } as unknown as Entry
    expect(paths(configuration([group('a', [entry('m')])]), configuration([group('a', [messy], { rev: 9 })]))).toEqual([])
    expect(sameEntries([entry('m')], [messy])).toBe(true)
  })
})

it('there is no line exactly when the two are equal', () => {
  const entries = fc.uniqueArray(fc.record({ provider: fc.constant('p'), model: fc.constantFrom('m', 'n'), priority: fc.constantFrom(1, 2) }), { selector: ({ model }) => model })
  const groups = fc.uniqueArray(fc.record({ id: fc.constantFrom('a', 'b'), rev: fc.constant(1), name: fc.constantFrom('A', 'B'), enabled: fc.boolean(), models: entries }), { selector: ({ id }) => id })
  const whole = fc.record({
    groups, defaultBinding: fc.constantFrom(null, { groupId: 'a', mode: 'route' as const }, { groupId: 'b', mode: 'route' as const }),
    limits: fc.dictionary(fc.constantFrom('p/m'), fc.constantFrom(1, 2)), settings: fc.dictionary(fc.constantFrom('drill'), fc.boolean()),
  })
  fc.assert(fc.property(whole, whole, (before, after) => {
    expect(diffConfiguration(before, after).length === 0).toBe(JSON.stringify(before) === JSON.stringify(after))
    expect(diffConfiguration(before, before)).toEqual([])
  }), { numRuns: 2000 })
})
