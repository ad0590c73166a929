import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { ManualTime } from '../../tests/support/manual-time.ts'
import { MemoryDocument, steadyRandom } from '../../tests/support/memory-document.ts'
import { readConfig } from '../contract/config.ts'
import type { BindingsDocument, ConcurrencyDocument, DefaultBindingDocument, GroupsDocument } from '../contract/group.ts'
import type { SettingsDocument } from '../contract/settings.ts'
import { configDocument, diffLine, type ConfigDocument } from '../contract/transfer.ts'
import { createBindings } from './bindings.ts'
import { createGroups } from './groups.ts'
import { createLimits } from './limits.ts'
import { createSettings } from './settings.ts'
import { createTransfer } from './transfer.ts'

function world() {
  const time = new ManualTime()
  const documents = {
    groups: new MemoryDocument<GroupsDocument>({ version: 1, groups: [] }),
    bindings: new MemoryDocument<BindingsDocument>({ version: 1, sessions: {} }),
    defaultBinding: new MemoryDocument<DefaultBindingDocument>({ version: 1, binding: null }),
    limits: new MemoryDocument<ConcurrencyDocument>({ version: 1, limits: {} }),
    settings: new MemoryDocument<SettingsDocument>({ version: 1, settings: {} }),
  }
  const groups = createGroups({ document: documents.groups, random: steadyRandom() })
  const bindings = createBindings({ document: documents.bindings, defaultDocument: documents.defaultBinding, groups, time, isSubagent: () => false, groupsKnown: true })
  const limits = createLimits({ document: documents.limits })
  const settings = createSettings({ document: documents.settings, config: readConfig({}).config, configured: new Set() })
  return { documents, groups, bindings, limits, settings, transfer: createTransfer({ groups, bindings, limits, settings, time }) }
}

const state = ({ documents }: ReturnType<typeof world>) => JSON.stringify(Object.values(documents).map(({ value }) => value))
const bare = (groups: ConfigDocument['groups'] = []): ConfigDocument => ({ format: 'model-failover-config', version: 1, groups })
const group = (name: string, more: Partial<ConfigDocument['groups'][number]> = {}): ConfigDocument['groups'][number] => ({ name, enabled: true, models: [], ...more })

let at: ReturnType<typeof world>
beforeEach(async () => {
  at = world()
  await at.groups.create({ name: 'Daily', models: [{ provider: 'p', model: 'm', priority: 3 }] })
  await at.groups.create({ name: 'Night' })
  await at.bindings.bind({ sessionId: 's', groupId: at.groups.list()[0]!.id, mode: 'route' })
  await at.limits.set({ provider: 'p', model: 'm' }, 2)
  await at.settings.update({ dialogMode: false })
})

describe('taking a document in', () => {
  it('that was given out changes nothing', async () => {
    const before = state(at)
    expect(await at.transfer.importAll(configDocument.parse(at.transfer.exportAll()), false)).toEqual({ diff: [], applied: true })
    expect(state(at)).toBe(before)
  })

  it('shows the difference by name and field, and a dry run changes nothing', async () => {
    const before = state(at)
    const document = { ...bare([group('daily', { models: [{ provider: 'p', model: 'm', priority: 4 }, { provider: 'p', model: 'n', priority: 9 }] }), group('New')]), limits: {}, settings: { dialogMode: true } }
    const { diff, applied } = await at.transfer.importAll(document, true)
    expect(applied).toBe(false)
    expect(state(at)).toBe(before)
    expect(diff.map(({ op, path }) => `${op} ${path}`)).toEqual([
      'change groups/Daily/name', 'change groups/Daily/p/m/priority', 'add groups/Daily/p/n', 'remove groups/Night', 'add groups/New', 'remove limits/p/m', 'change settings/dialogMode',
    ])
    expect(diff.find(({ path }) => path.endsWith('priority'))).toMatchObject({ before: 3, after: 4 })
    diff.forEach((line) => diffLine.parse(line))
  })

  it('keeps the ids of groups it knows by id or name, so that sessions stay bound', async () => {
    const [daily] = at.groups.list()
    await at.transfer.importAll(bare([group('Renamed', { id: daily!.id }), group(' NIGHT')]), false)
    expect(at.groups.get(daily!.id)).toMatchObject({ name: 'Renamed', rev: 2 })
    expect(at.bindings.binding('s')?.groupId).toBe(daily!.id)
    expect(at.groups.list()).toHaveLength(2)
  })

  it('leaves alone what the document does not have', async () => {
    await at.transfer.importAll(bare(at.transfer.exportAll().groups), false)
    expect(at.limits.all()).toEqual({ 'p/m': 2 })
    expect(at.settings.stored()).toEqual({ dialogMode: false })
    expect(at.bindings.defaultBinding()).not.toBeNull()
  })

  it('without the group of a session unbinds it and clears the default', async () => {
    const { diff } = await at.transfer.importAll(bare(), false)
    expect(diff.map(({ path }) => path)).toContain('defaultBinding')
    expect([at.bindings.binding('s'), at.bindings.defaultBinding()]).toEqual([null, null])
  })

  it.each<[string, ConfigDocument, string]>([
    ['two groups of one name', bare([group('a'), group('A ')]), 'groups[1].name'],
    ['one id twice', bare([group('a', { id: 'x' }), group('b', { id: 'x' })]), 'groups[1].id'],
    ['a default it does not hold', { ...bare([group('a', { id: 'x' })]), defaultBinding: { groupId: 'y', mode: 'route' } }, 'defaultBinding.groupId'],
    ['a limit of no model', { ...bare(), limits: { model: 1 } }, 'limits.model'],
  ])('refuses a document with %s', async (_what, document, path) => {
    const before = state(at)
    await expect(at.transfer.importAll(document, false)).rejects.toMatchObject({ kind: 'invalid', details: [{ path }] })
    await expect(at.transfer.importAll(document, true)).rejects.toMatchObject({ kind: 'invalid' })
    expect(state(at)).toBe(before)
  })

  it.each(['groups', 'defaultBinding', 'limits', 'settings'] as const)('changes nothing at all when %s cannot be written', async (which) => {
    const before = state(at)
    at.documents[which].failing = true
    const document = { ...bare([group('Other', { id: 'o' })]), defaultBinding: { groupId: 'o', mode: 'route' as const }, limits: { 'p/x': 1 }, settings: {} }
    await expect(at.transfer.importAll(document, false)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(state(at)).toBe(before)
  })
})

const entries = fc.uniqueArray(fc.record({ provider: fc.constantFrom('p', 'q/r'), model: fc.constantFrom('a', 'b', 'c'), priority: fc.integer({ min: 1, max: 999 }), ask: fc.constantFrom(undefined, true) }), { selector: ({ provider, model }) => `${provider} ${model}`, maxLength: 4 })
const documents = fc.record({
  groups: fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'Daily'), enabled: fc.boolean(), models: entries }), { selector: ({ name }) => name, maxLength: 4 }),
  limits: fc.dictionary(fc.constantFrom('p/a', 'q%2Fr/b'), fc.integer({ min: 1, max: 1000 })),
  settings: fc.record({ drill: fc.boolean(), patience: fc.constantFrom('exhaust', 'ride') }, { requiredKeys: [] }),
}).map((parts) => configDocument.parse({ format: 'model-failover-config', version: 1, ...JSON.parse(JSON.stringify(parts)) as object }))

it('whatever the document, importing it twice finds no difference the second time, and none only if nothing changed', () => fc.assert(fc.asyncProperty(fc.array(documents, { minLength: 1, maxLength: 3 }), async (sequence) => {
  const here = world()
  for (const document of sequence) {
    const strip = () => JSON.stringify({ ...here.transfer.exportAll(), exportedAt: 0 })
    const before = strip()
    const { diff } = await here.transfer.importAll(document, false)
    expect(diff.length === 0).toBe(strip() === before)
    expect((await here.transfer.importAll(document, false)).diff).toEqual([])
    expect(here.groups.list().map(({ name }) => name)).toEqual(document.groups.map(({ name }) => name))
  }
}), { numRuns: 150 }))
