import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entry, group, status } from '../testing/builders.ts'
import { createWorld } from '../testing/world.ts'
import { inOrder, moved, nextPriority, withEntry, withRoute, withoutRoute } from './groups.ts'

const a = { provider: 'alpha', model: 'a-1' }
const b = { provider: 'beta', model: 'b-1' }
const c = { provider: 'gamma', model: 'c-1' }
const two = [entry({ ...a, priority: 1 }), entry({ ...b, priority: 2 })]
const world = (models = two) => createWorld({ status: status({ groups: [group({ models })] as never }) })
const names = (models: readonly { readonly model: string }[]) => models.map(({ model }) => model)

describe('entries', () => {
  it('are added at the end, once', () => {
    expect(withRoute(two, c).at(-1)).toEqual({ ...c, priority: 3 })
    expect(withRoute(two, a)).toBe(two)
    expect(nextPriority([entry({ ...a, priority: 999 })])).toBe(999)
  })
  it('lose a field that is given as undefined', () => {
    expect(withEntry([entry({ ...a, until: '2026-12-01', ask: true })], a, { until: undefined, ask: undefined })).toEqual([{ ...a, priority: 1 }])
  })
  it('are numbered from 1 when one is moved, in the order that results', () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 2, maxLength: 9 }), fc.nat(), fc.nat(), fc.boolean(), (priorities, from, to, behind) => {
      const models = priorities.map((priority, index) => entry({ provider: 'p', model: `m${index}`, priority }))
      const [route, target] = [models[from % models.length]!, models[to % models.length]!]
      const out = moved(models, route, target, behind)
      expect(names(out)).toEqual(names(models))
      if (route === target) return
      expect(inOrder(out).map(({ priority }) => priority)).toEqual(models.map((_, index) => index + 1))
      const order = names(inOrder(out))
      expect(order.indexOf(route.model) - order.indexOf(target.model)).toBe(behind ? 1 : -1)
    }))
  })
})

describe('edits', () => {
  it('go out one after another on the newest state, so none is lost', async () => {
    const { groups, ready, mock, app } = world()
    await ready()
    await Promise.all([groups.edit('g-1', (models) => withRoute(models, c)), groups.edit('g-1', (models) => withoutRoute(models, a)), groups.change('g-1', { name: 'New' })])
    expect(app.groups.value[0]).toMatchObject({ rev: 4, name: 'New' })
    expect(names(app.groups.value[0]!.models)).toEqual(['b-1', 'c-1'])
    expect(mock.log.filter(({ method }) => method === 'PUT').map(({ body }) => (body as { rev: number }).rev)).toEqual([1, 2, 3])
  })
  it('are applied once more when the group was changed elsewhere', async () => {
    const { groups, ready, mock, app } = world()
    await ready()
    mock.answer('PUT', '/api/model-failover/groups', { id: 'g-1', rev: 1, name: 'Elsewhere' })
    expect(await groups.edit('g-1', (models) => withRoute(models, c))).toBe(true)
    expect(app.groups.value[0]).toMatchObject({ rev: 3, name: 'Elsewhere' })
    expect(names(app.groups.value[0]!.models)).toContain('c-1')
  })
  it('tell a refusal and leave what the host has', async () => {
    const { groups, ready, mock, app } = world()
    await ready()
    mock.once('PUT', '/groups', { status: 400, body: { error: { code: 'INVALID_INPUT', message: 'models[0].priority: must be 1–999' } } })
    expect(await groups.edit('g-1', () => [])).toBe(false)
    expect(app.notices.list.value[0]?.text).toContain('must be 1–999')
    expect(app.groups.value[0]!.models).toHaveLength(2)
  })
})

it('makes, renumbers and deletes groups', async () => {
  const { groups, ready, app } = world()
  await ready()
  expect((await groups.create('Second', two))?.id).toBe('g-2')
  expect(await groups.reorder('g-1', 5, [b, a])).toBe(true)
  expect(app.groups.value[0]!.models.map(({ priority }) => priority)).toEqual([6, 5])
  await groups.remove('g-1')
  expect(app.groups.value.map(({ id }) => id)).toEqual(['g-2'])
})
