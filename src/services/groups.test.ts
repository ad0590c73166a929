import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { MemoryDocument, steadyRandom } from '../../tests/support/memory-document.ts'
import { groupsDocument, type GroupsDocument } from '../contract/group.ts'
import type { Entry } from '../contract/route.ts'
import { createGroups, MOST_GROUPS, type Groups } from './groups.ts'

let document: MemoryDocument<GroupsDocument>
let groups: Groups
let told: number
const entry = (model: string, priority = 1, more: Partial<Entry> = {}): Entry => ({ provider: 'p', model, priority, ...more })

beforeEach(() => {
  document = new MemoryDocument<GroupsDocument>({ version: 1, groups: [] })
  groups = createGroups({ document, random: steadyRandom() })
  told = 0
  groups.onChange(() => { told++ })
})

describe('making a group', () => {
  it('gives it an id of its own, rev 1, enabled, and tells once it is committed', async () => {
    const made = groups.create({ name: ' Daily ' })
    expect([groups.list().length, told]).toEqual([0, 0])
    expect(await made).toEqual({ id: expect.stringMatching(/^g-[a-z2-9]{8}$/) as string, rev: 1, name: 'Daily', enabled: true, models: [] })
    expect([groups.list().length, told]).toEqual([1, 1])
  })

  it.each(['Daily', 'daily', ' DAILY ', 'Caf\u0065\u0301'])('refuses the name %j when it is taken', async (name) => {
    await groups.create({ name: 'Daily' })
    await groups.create({ name: 'Caf\u00e9' })
    await expect(groups.create({ name })).rejects.toMatchObject({ kind: 'invalid', details: [{ path: 'name' }] })
    expect(groups.list()).toHaveLength(2)
  })

  it('never gives an id twice, even if chance repeats itself', async () => {
    let turn = 0
    groups = createGroups({ document, random: () => (turn++ < 16 ? 0 : 0.5) })
    const [a, b] = [await groups.create({ name: 'a' }), await groups.create({ name: 'b' })]
    expect(a.id).not.toBe(b.id)
  })

  it('refuses two of one name made at the same time', async () => {
    const results = await Promise.allSettled([groups.create({ name: 'x' }), groups.create({ name: 'X' })])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })

  it('stops at the largest number of groups', async () => {
    document.value = { version: 1, groups: Array.from({ length: MOST_GROUPS }, (_, n) => ({ id: `g${n}`, rev: 1, name: `n${n}`, enabled: true, models: [] })) }
    await expect(groups.create({ name: 'one more' })).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('changes nothing and tells nobody when the disk refuses', async () => {
    document.failing = true
    await expect(groups.create({ name: 'x' })).rejects.toMatchObject({ kind: 'unavailable' })
    expect([groups.list(), told]).toEqual([[], 0])
  })
})

describe('changing a group', () => {
  it('counts the rev up and changes only what is given', async () => {
    const { id } = await groups.create({ name: 'a', models: [entry('m')] })
    expect(await groups.update({ id, rev: 1, enabled: false })).toEqual({ id, rev: 2, name: 'a', enabled: false, models: [entry('m')] })
    expect(await groups.update({ id, rev: 2, name: 'b', models: [] })).toEqual({ id, rev: 3, name: 'b', enabled: false, models: [] })
  })

  it('keeps the rev and writes nothing when nothing differs', async () => {
    const group = await groups.create({ name: 'a', models: [entry('m', 1, { effort: 'high' })] })
    const before = document.commits
    expect(await groups.update({ id: group.id, rev: 1, name: 'a', models: [{ effort: 'high', ...entry('m') }] })).toBe(groups.get(group.id))
    expect([document.commits, groups.get(group.id)?.rev]).toEqual([before, 1])
  })

  it('refuses a stale rev with the group as it is', async () => {
    const { id } = await groups.create({ name: 'a' })
    await groups.update({ id, rev: 1, name: 'b' })
    await expect(groups.update({ id, rev: 1, name: 'c' })).rejects.toMatchObject({ kind: 'conflict', code: 'STALE_REV', details: { group: { id, rev: 2, name: 'b' } } })
  })

  it('lets one of two changes of the same rev win', async () => {
    const { id } = await groups.create({ name: 'a' })
    const results = await Promise.allSettled([groups.update({ id, rev: 1, name: 'b' }), groups.update({ id, rev: 1, name: 'c' })])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(groups.get(id)?.rev).toBe(2)
  })

  it('may keep its own name, in another case too, but not take another group\'s', async () => {
    const { id } = await groups.create({ name: 'a' })
    await groups.create({ name: 'b' })
    expect((await groups.update({ id, rev: 1, name: 'A' })).name).toBe('A')
    await expect(groups.update({ id, rev: 2, name: 'B' })).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('refuses an unknown id in every operation', async () => {
    for (const refused of [groups.update({ id: 'x', rev: 1 }), groups.remove('x'), groups.reorder({ groupId: 'x', start: 1, order: [] })]) await expect(refused).rejects.toMatchObject({ kind: 'unknown', code: 'UNKNOWN_GROUP' })
  })
})

it('deletes a group and says which', async () => {
  const made = await groups.create({ name: 'a' })
  expect(await groups.remove(made.id)).toEqual(made)
  expect(groups.get(made.id)).toBeNull()
})

describe('barring a model', () => {
  it('reaches every group that holds it and no other, both ways', async () => {
    const a = await groups.create({ name: 'a', models: [entry('m'), entry('n', 2)] })
    const b = await groups.create({ name: 'b', models: [entry('m', 7, { ask: true })] })
    const c = await groups.create({ name: 'c', models: [entry('n')] })
    await groups.modelDisabled({ provider: 'p', model: 'm' }, true)
    expect([a, b, c].map(({ id }) => groups.get(id)).map((group) => [group?.rev, group?.models.map(({ disabled }) => disabled === true)])).toEqual([[2, [true, false]], [2, [true]], [1, [false]]])
    await groups.modelDisabled({ provider: 'p', model: 'm' }, false)
    expect(groups.get(b.id)?.models).toEqual([entry('m', 7, { ask: true })])
  })

  it('refuses a model no group holds', async () => {
    await expect(groups.modelDisabled({ provider: 'p', model: 'm' }, true)).rejects.toMatchObject({ kind: 'unknown', code: 'UNKNOWN_ENTRY' })
  })
})

describe('reordering', () => {
  const route = (model: string) => ({ provider: 'p', model })

  it('numbers the named entries from start; strangers and repetitions are passed over, others keep theirs', async () => {
    const { id } = await groups.create({ name: 'a', models: [entry('x', 50), entry('y', 60), entry('z', 70)] })
    const { models, rev } = await groups.reorder({ groupId: id, start: 10, order: [route('z'), route('nobody'), route('z'), route('x')] })
    expect(models.map(({ model, priority }) => [model, priority])).toEqual([['x', 11], ['y', 60], ['z', 10]])
    expect(rev).toBe(2)
  })

  it('refuses to go past 999, counting only what it would number', async () => {
    const { id } = await groups.create({ name: 'a', models: [entry('x'), entry('y')] })
    await expect(groups.reorder({ groupId: id, start: 999, order: [route('x'), route('y')] })).rejects.toMatchObject({ kind: 'invalid', details: [{ path: 'start', allowed: '1–998' }] })
    expect((await groups.reorder({ groupId: id, start: 999, order: [route('x'), route('nobody')] })).models[0]?.priority).toBe(999)
  })

  it('whatever is named, each named entry is numbered once and consecutively, all stay within 1–999', () => fc.assert(fc.asyncProperty(
    fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 }), fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 12 }), fc.integer({ min: 1, max: 999 }),
    async (held, order, start) => {
      document.value = { version: 1, groups: [{ id: 'g', rev: 1, name: 'g', enabled: true, models: held.map((model) => entry(model, 500)) }] }
      const named = held.filter((model) => order.includes(model)).sort((a, b) => order.indexOf(a) - order.indexOf(b))
      const run = groups.reorder({ groupId: 'g', start, order: order.map(route) })
      if (start + named.length - 1 > 999) { await expect(run).rejects.toMatchObject({ kind: 'invalid' }); return }
      const after = new Map((await run).models.map(({ model, priority }) => [model, priority]))
      named.forEach((model, index) => expect(after.get(model)).toBe(start + index))
      held.filter((model) => !named.includes(model)).forEach((model) => expect(after.get(model)).toBe(500))
      groupsDocument.parse(document.value)
    },
  ), { numRuns: 100 }))
})

it('a restored list counts at once', async () => {
  const before = groups.list()
  await groups.create({ name: 'a' })
  groups.restore(before)
  expect(groups.list()).toBe(before)
})
