// Nothing goes on for ever: hops per step, time per step, moves per session; then the honest error.
import { afterEach, describe, expect, it } from 'vitest'
import { FAULTS } from './support/stage/models.ts'
import { openStage, type Stage } from './support/stage/index.ts'
import { errorOf } from './support/stage/turns.ts'

let stage: Stage
afterEach(() => stage.close())

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}/m`)

async function open(count: number): Promise<void> {
  const routes = names(count)
  stage = await openStage({
    routes: Object.fromEntries(routes.map((route) => [route, {}])), groups: { g: routes }, defaultBinding: { groupId: 'g', mode: 'failover' }, row: { enableProbe: false },
  })
}

describe('one step', () => {
  it('asks at most three other routes, then says which and with what result', async () => {
    await open(6)
    for (const route of names(6)) stage.llm.plan(route, { failure: FAULTS.quota })
    const agent = await stage.session({ model: 'p0/m' })
    const turn = await stage.prompt(agent, 'hello')
    expect(turn.end).toBe('error')
    expect(stage.llm.routes()).toEqual(['p0/m', 'p1/m', 'p2/m', 'p3/m'])
    for (const route of ['p0/m', 'p1/m', 'p2/m', 'p3/m']) expect(errorOf(turn).message).toContain(route)
  })

  it('skips held routes without counting them', async () => {
    await open(6)
    for (const provider of ['p1', 'p2']) await stage.api('/failed/mark', { provider, model: 'm' })
    stage.llm.plan('p0/m', { failure: FAULTS.quota })
    stage.llm.plan('p3/m', { failure: FAULTS.quota })
    stage.llm.plan('p4/m', { failure: FAULTS.quota })
    const agent = await stage.session({ model: 'p0/m' })
    expect((await stage.prompt(agent, 'hello')).text).toBe('answer of p5/m')
  })

  it('spends at most 45 seconds on further hops, and always has its first', async () => {
    await open(4)
    for (const route of names(3)) stage.llm.plan(route, { failure: FAULTS.quota })
    stage.root.on('llm/stream', (options: { provider: string }, next: () => unknown) => {
      if (options.provider === 'p1') stage.time.advance(46_000)
      return next()
    })
    const turn = await stage.prompt(await stage.session({ model: 'p0/m' }), 'hello')
    expect(turn.end).toBe('error')
    expect(stage.llm.routes()).toEqual(['p0/m', 'p1/m'])
  })
})

describe('one session', () => {
  it('moves at most six times in ten minutes, then stops and says so; later it may move again', async () => {
    await open(12)
    const agent = await stage.session({ model: 'p0/m' })
    for (let n = 0; n < 6; n++) {
      stage.llm.plan(`p${n}/m`, { failure: FAULTS.quota })
      expect((await stage.prompt(agent, 'hello')).text).toBe(`answer of p${n + 1}/m`)
    }
    stage.llm.plan('p6/m', { failure: FAULTS.quota })
    const turn = await stage.prompt(agent, 'hello')
    expect(turn.end).toBe('error')
    expect(errorOf(turn).message).toMatch(/6|six/i)
    await stage.time.run(601_000, 60_000)
    expect((await stage.prompt(agent, 'hello')).end).toBe('completed')
  })
})

describe('when every model is down', () => {
  it('the first error is still the upstream\'s, completed by what was tried, when something returns and the one act that helps', async () => {
    await open(2)
    stage.llm.plan('p0/m', { failure: { ...FAULTS.quota, message: 'Usage limit reached. Your limit resets in 3 hours' } })
    stage.llm.plan('p1/m', { failure: FAULTS.auth })
    const turn = await stage.prompt(await stage.session({ model: 'p0/m' }), 'hello')
    expect(turn.end).toBe('error')
    const text = errorOf(turn).message
    expect(text).toContain(FAULTS.auth.message)
    expect(text).toContain('p0/m')
    expect(text).toContain('p1/m')
  })

  it('the error of a local outage says so: no model is to blame, and another one would not help', async () => {
    await open(2)
    for (const route of names(2)) stage.llm.plan(route, { failure: { code: 'TRANSPORT', message: 'Connection error.' } })
    const text = errorOf(await stage.prompt(await stage.session({ model: 'p0/m' }), 'hello')).message
    expect(text).toMatch(/network of this machine/)
    expect(text).not.toMatch(/Restore a model/)
  })

  it('no prompt hangs and no route is asked twice in one step', async () => {
    await open(3)
    for (const route of names(3)) stage.llm.plan(route, { failure: FAULTS.quota })
    const agent = await stage.session({ model: 'p0/m' })
    await stage.prompt(agent, 'hello')
    expect(new Set(stage.llm.routes()).size).toBe(stage.llm.routes().length)
  })
})
