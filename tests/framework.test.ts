// The plugin leans on the framework's contract only: the same stories on the host's own copy and on upstream Cordis.
import { Context as HostContext } from '@deepseek-ai/cordis'
import * as upstream from 'cordis'
import { afterEach, describe, expect, it } from 'vitest'
import { FAULTS } from './support/stage/models.ts'
import { openStage, Stage, type Root, type StageOptions } from './support/stage/index.ts'

let stage: Stage
afterEach(() => stage.close())

// Its declarations do not resolve under this module system, so its one export is named here.
const { Context: UpstreamContext } = upstream as unknown as { readonly Context: new () => Root }

const FRAMEWORKS = [
  ['the host\'s framework', () => new HostContext() as unknown as Root],
  ['upstream Cordis', () => new UpstreamContext()],
] as const

describe.each(FRAMEWORKS)('on %s', (_name, framework) => {
  const options: StageOptions = { framework, groups: { g: ['alpha/a-1', 'beta/b-1'] }, defaultBinding: { groupId: 'g', mode: 'failover' } }

  it.each(['api-proxy', 'controller', 'model-select'] as const)('a failing model is replaced on a host of kind %s', async (host) => {
    stage = await openStage({ ...options, host })
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    const agent = await stage.session()
    await stage.prompt(agent, 'hello')
    await expect.poll(() => stage.since(agent, 0).text).toBe('answer of beta/b-1')
  })

  it('an auxiliary call is replaced inside itself, and only once', async () => {
    stage = await openStage(options)
    stage.llm.plan('alpha/a-1', { failure: FAULTS.server })
    const agent = await stage.session()
    const chunks = []
    for await (const chunk of stage.llm.stream({ provider: 'alpha', model: 'a-1', sessionId: agent.id, purpose: 'session-title' })) chunks.push(chunk)
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', reason: { kind: 'stop' } })
    expect(stage.llm.calls.map(({ route }) => route)).toEqual(['alpha/a-1', 'beta/b-1'])
  })

  it('services that come late or go are taken as they are', async () => {
    stage = new Stage({ ...options, services: {} })
    await stage.mount()
    let skills = 0
    const provided = stage.root.plugin({ name: 'late', apply: (ctx: Root) => { ctx.provide('skills', { register: () => { skills++; return () => { skills-- } } }) } })
    await provided
    await expect.poll(() => skills).toBe(1)
    await provided.dispose()
    await expect.poll(() => skills).toBe(0)
    expect((await stage.prompt(await stage.session(), 'hello')).text).toBe('answer of alpha/a-1')
  })

  it('removal takes every listener along, and the plugin can be mounted again', async () => {
    stage = new Stage(options)
    const before = stage.listeners
    for (let life = 0; life < 2; life++) {
      await stage.mount()
      expect((await stage.prompt(await stage.session(), 'hello')).end).toBe('completed')
      await stage.unmount()
      expect(stage.listeners).toBe(before)
    }
  })

  it('a bad row never keeps the context from starting', async () => {
    stage = await openStage({ ...options, row: { routingChainMax: 'many', nonsense: 1 } })
    expect((await stage.prompt(await stage.session(), 'hello')).end).toBe('completed')
    const { configErrors } = await stage.api<{ configErrors: { key: string }[] }>('/status')
    expect(configErrors.map(({ key }) => key).toSorted()).toEqual(['nonsense', 'routingChainMax'])
  })
})

it('`apply` itself never rejects, whatever the host lacks', async () => {
  const { apply } = await import('../host.mts')
  stage = new Stage({ groups: {} })
  const bare = { on: () => () => true, emit: () => {}, get: () => { throw new Error('no services here') }, inject: () => {}, effect: () => { throw new Error('not active') } }
  await expect(apply(bare as never, { dataDir: stage.home })).resolves.toBeUndefined()
})
