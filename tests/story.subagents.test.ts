// Subagents follow the route their parent runs on now, are saved like anybody, and keep what was chosen in their own session.
import { afterEach, expect, it } from 'vitest'
import { FAULTS } from './support/stage/models.ts'
import { openStage, type Stage, type StageOptions } from './support/stage/index.ts'

let stage: Stage
afterEach(() => stage.close())

const GROUP: StageOptions = { groups: { g: ['alpha/a-1', 'beta/b-1', 'gamma/c-1'] }, defaultBinding: { groupId: 'g', mode: 'failover' } }
const open = async (more: StageOptions = {}): Promise<void> => { stage = await openStage({ ...GROUP, ...more }) }
const failing = (route: string): void => stage.llm.plan(route, { failure: FAULTS.quota })

it('a child starts on the route its parent was moved to, not on the dead one it was made with', async () => {
  await open()
  failing('alpha/a-1')
  const parent = await stage.session()
  await stage.prompt(parent, 'hello')
  const child = await stage.session({ parent })
  expect((await stage.prompt(child, 'part')).routes).toEqual(['beta/b-1'])
})

it('a child follows a model its parent picked by hand', async () => {
  await open()
  const parent = await stage.session()
  await stage.generation.pick(parent, { provider: 'gamma', model: 'c-1' })
  await stage.prompt(parent, 'hello')
  const child = await stage.session({ parent })
  expect((await stage.prompt(child, 'part')).text).toBe('answer of gamma/c-1')
})

it('a child that fails itself is saved within the group of its parent', async () => {
  await open()
  const parent = await stage.session()
  await stage.prompt(parent, 'hello')
  failing('alpha/a-1')
  const child = await stage.session({ parent })
  expect(await stage.prompt(child, 'part')).toMatchObject({ end: 'completed', text: 'answer of beta/b-1' })
})

it('a child of a child finds the group through both', async () => {
  await open()
  failing('alpha/a-1')
  const parent = await stage.session()
  const child = await stage.session({ parent })
  const grandchild = await stage.session({ parent: child })
  expect((await stage.prompt(grandchild, 'part')).text).toBe('answer of beta/b-1')
})

it('the tool call of a parent whose child is saved never fails', async () => {
  await open()
  const parent = await stage.session()
  stage.llm.plan('alpha/a-1', [{ tool: 'subagent' }, { failure: FAULTS.quota }])
  const turn = await stage.prompt(parent, 'hello')
  expect(turn.end).toBe('completed')
  expect(turn.events.find(({ type }) => type === 'tool/result')?.data['text']).toBe('answer of beta/b-1')
})

it('a model chosen in the child\'s own session stays its own, and is never the default of new sessions', async () => {
  await open()
  const parent = await stage.session()
  const child = await stage.session({ parent })
  await stage.api('/session-model', { sessionId: child.id, provider: 'gamma', model: 'c-1' })
  expect((await stage.prompt(child, 'part')).text).toBe('answer of gamma/c-1')
  failing('alpha/a-1')
  await stage.prompt(parent, 'hello')
  expect((await stage.prompt(child, 'part')).text).toBe('answer of gamma/c-1')
  expect((await stage.prompt(parent, 'more')).text).toBe('answer of beta/b-1')
})

it('a group bound in the child\'s own session stays there', async () => {
  await open({ groups: { ...GROUP.groups, own: ['gamma/c-1'] } })
  const parent = await stage.session()
  const child = await stage.session({ parent })
  await stage.api('/session-group', { sessionId: child.id, groupId: 'own', mode: 'route' })
  expect((await stage.prompt(child, 'part')).text).toBe('answer of gamma/c-1')
  expect((await stage.api<{ defaultBinding: { groupId: string } }>('/default-group')).defaultBinding.groupId).toBe('g')
})

it('the binding of a child that was never bound itself is only looked up, never stored', async () => {
  await open()
  const parent = await stage.session()
  const child = await stage.session({ parent })
  await stage.prompt(child, 'part')
  await stage.time.run(500, 100)
  expect(stage.record(child)?.groupId ?? null).toBeNull()
  expect(stage.record(child)?.home ?? null).toBeNull()
})
