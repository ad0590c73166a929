import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bindingsDocument, concurrencyDocument, defaultBindingDocument, groupsDocument } from '../contract/group.ts'
import { failedDocument } from '../contract/health.ts'
import { settingsDocument } from '../contract/settings.ts'
import { readGroups } from './legacy-groups.ts'
import { readBindings, readDefault, readFailed, readLimits, readSettings } from './legacy.ts'

const NOW = Date.UTC(2025, 2, 3, 4)
const known = new Set(['g-1'])

/** What a reader gives and what it says it left out. */
function run<T>(read: (skip: (what: string) => void) => T): { value: T; skipped: string[] } {
  const skipped: string[] = []
  return { value: read((what) => skipped.push(what)), skipped }
}
const groups = (raw: unknown) => {
  let n = 0
  return run((skip) => readGroups(raw, () => `new-${++n}`, skip))
}

describe('older groups', () => {
  const one = { id: 'g-1', name: 'Free', models: [{ provider: 'p', model: 'm', priority: 3, windows: [{ from: 22, to: 6 }], until: '2025-12-31', disabled: true }] }
  const expected = [{ id: 'g-1', rev: 1, name: 'Free', enabled: true, models: one.models }]

  it.each([['a list', [one]], ['wrapped', { groups: [one] }], ['a map by id', { 'g-1': { ...one, id: undefined } }], ['a wrapped map', { version: 3, groups: { 'g-1': one } }]])('as %s', (_form, raw) => {
    expect(groups(raw)).toEqual({ value: expected, skipped: [] })
  })

  it.each([[null], [''], [[]], [undefined]])('hours %j mean the whole day', (windows) => {
    expect(groups([{ ...one, models: [{ provider: 'p', model: 'm', priority: 1, windows, until: '' }] }]).value[0]?.models).toEqual([{ provider: 'p', model: 'm', priority: 1 }])
  })

  it('hours as texts and a window without a list', () => {
    expect(groups([{ ...one, models: [{ provider: 'p', model: 'm', windows: { from: '22', to: '06:00' } }] }]).value[0]?.models[0]?.windows).toEqual([{ from: 22, to: 6 }])
  })

  it('entries without a priority get their place in the list, others are brought into range', () => {
    const models = [{ provider: 'p', model: 'a' }, 'p/b', { provider: 'p', model: 'c', priority: 5000 }, { provider: 'p', model: 'd', priority: 0 }, { provider: 'p', model: 'e', priority: '7' }]
    expect(groups([{ name: 'x', models }]).value[0]?.models.map(({ model, priority }) => [model, priority])).toEqual([['a', 1], ['b', 2], ['c', 999], ['d', 1], ['e', 7]])
  })

  it('a bad piece is named and left out, the rest stays', () => {
    const { value, skipped } = groups([7, { name: 'x', models: [{ provider: 'p', model: 'm' }, { provider: 'p' }, { provider: 'p', model: 'm' }, { provider: 'p', model: 'n', until: '2025-02-30', windows: [{ from: 1 }] }] }])
    expect(value).toHaveLength(1)
    expect(value[0]?.models.map(({ model }) => model)).toEqual(['m', 'n'])
    expect(skipped).toHaveLength(5)
    expect(skipped.join('\n')).toMatch(/twice/)
  })

  it('two of one name are told apart', () => {
    expect(groups([{ name: 'A' }, { name: 'a' }]).value.map(({ name }) => name)).toEqual(['A', 'a (2)'])
  })
})

it('older bindings in every form', () => {
  const record = { groupId: 'g-1', mode: 'route', pin: false, home: null, override: null, rejections: [], consents: [], seenAt: NOW }
  for (const raw of [{ s: { groupId: 'g-1', mode: 'route' } }, { bindings: { s: { groupId: 'g-1', mode: 'route' } } }, [{ sessionId: 's', groupId: 'g-1', mode: 'route' }]]) {
    expect(run((skip) => readBindings(raw, known, NOW, skip))).toEqual({ value: { s: record }, skipped: [] })
  }
  expect(run((skip) => readBindings(JSON.parse('{"__proto__":"g-1","s":"g-1"}'), known, NOW, skip))).toMatchObject({ value: { s: { groupId: 'g-1' } }, skipped: [expect.stringContaining('no session')] })
  expect(run((skip) => readBindings({ s: 'g-1', t: { groupId: 'gone' }, u: { groupId: null }, v: 7 }, known, NOW, skip))).toMatchObject({ value: { s: { mode: 'failover' } }, skipped: [expect.stringContaining('gone'), expect.stringContaining('"v"')] })
})

it('older default binding', () => {
  for (const raw of [{ groupId: 'g-1', mode: 'route' }, { binding: { groupId: 'g-1', mode: 'route' } }]) expect(run((skip) => readDefault(raw, known, skip)).value).toEqual({ groupId: 'g-1', mode: 'route' })
  expect(run((skip) => readDefault({ groupId: 'x' }, known, skip))).toMatchObject({ value: null, skipped: [expect.stringContaining('no such group')] })
  expect(run((skip) => readDefault({ groupId: null }, known, skip))).toEqual({ value: null, skipped: [] })
})

it('older marks in every form', () => {
  const mark = { provider: 'p', model: 'a/b', class: null, code: 'QUOTA', reason: 'no', count: 1, at: NOW, manual: false }
  for (const raw of [
    { day: '2025-03-03', models: { 'p/a/b': { code: 'QUOTA', reason: 'no' } } },
    { date: '2025-03-03', failed: [{ provider: 'p', model: 'a/b', code: 'QUOTA', message: 'no' }] },
    { '2025-03-02': { 'p/x': {} }, '2025-03-03': { 'p/a/b': { errorCode: 'QUOTA', reason: 'no' } } },
    { day: '2025-03-03', 'p/a/b': { code: 'QUOTA', reason: 'no' } },
  ]) expect(run((skip) => readFailed(raw, NOW, skip))).toEqual({ value: { version: 1, day: '2025-03-03', marks: [mark] }, skipped: [] })
  expect(readFailed({ day: '2025-03-03', failed: { 'p/m': { code: 'MANUAL' } } }, NOW, () => undefined)?.marks[0]?.manual).toBe(true)
})

it('older settings, with an unknown order read as the default order', () => {
  expect(run((skip) => readSettings({ dialogMode: true, metricsSort: { key: 'ttft', dir: 'desc' }, strange: 1 }, skip))).toMatchObject({ value: { dialogMode: true, metricsSort: { column: 'ttft', direction: 'desc' } }, skipped: [expect.stringContaining('strange')] })
  expect(readSettings({ settings: { metricsSort: { column: 'moon' } } }, () => undefined)).toEqual({})
})

it('older limits', () => {
  expect(run((skip) => readLimits({ 'p/a': 3, 'p/b': 0, 'p/c': null, 'p/d': '', 'p/e': '4', 'p/f': -1, g: 2 }, skip))).toMatchObject({ value: { 'p/a': 3, 'p/e': 4 }, skipped: [expect.stringContaining('p/f'), expect.stringContaining('"g"')] })
})

it('whatever the files hold, every reader gives a legal document and throws nothing', () => {
  const shapes = fc.jsonValue({ maxDepth: 5 })
  const keyed = fc.dictionary(fc.constantFrom('groups', 'id', 'name', 'models', 'provider', 'model', 'priority', 'windows', 'from', 'to', 'until', 'day', 'marks', 'code', 'at', 'count', 'p/m', 'sessionId', 'groupId', '2025-03-03', '__proto__', 'settings', 'metricsSort'), fc.oneof(shapes, fc.constantFrom('p', 'g-1', '2025-03-03', 22, -1)))
  const nested = fc.oneof(shapes, keyed, fc.array(keyed), keyed.map((value) => ({ groups: [value] })), keyed.map((value) => [{ name: 'n', models: [value] }]))
  fc.assert(fc.property(nested, (raw) => {
    const skip = () => undefined
    let n = 0
    groupsDocument.parse({ version: 1, groups: readGroups(raw, () => `id-${++n}`, skip) })
    bindingsDocument.parse({ version: 1, sessions: readBindings(raw, known, NOW, skip) })
    defaultBindingDocument.parse({ version: 1, binding: readDefault(raw, known, skip) })
    const failed = readFailed(raw, NOW, skip)
    if (failed) failedDocument.parse(failed)
    settingsDocument.parse({ version: 1, settings: readSettings(raw, skip) })
    concurrencyDocument.parse({ version: 1, limits: readLimits(raw, skip) })
  }), { numRuns: 500 })
})
