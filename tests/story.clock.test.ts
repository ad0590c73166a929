// The clock of the machine jumps, forward or back, or stands still in a sleep: turns go on, nothing is blamed for it, and nothing is lost.
import { afterEach, describe, expect, it } from 'vitest'
import { FAULTS } from './support/stage/models.ts'
import { openStage, type LogLine, type Stage } from './support/stage/index.ts'

const HOUR_MS = 3_600_000
const errors: LogLine[] = []
let stage: Stage
afterEach(async () => {
  await stage.close()
  expect(errors.splice(0)).toEqual([])
})

const JUMPS: readonly (readonly [what: string, jump: (time: Stage['time']) => void])[] = [
  ['an hour forward', (time) => { time.jumpWall(HOUR_MS) }],
  ['two days forward', (time) => { time.jumpWall(48 * HOUR_MS) }],
  ['ten years forward', (time) => { time.jumpWall(10 * 365 * 24 * HOUR_MS) }],
  ['an hour back', (time) => { time.jumpWall(-HOUR_MS) }],
  ['two days back', (time) => { time.jumpWall(-48 * HOUR_MS) }],
  ['to the beginning of time', (time) => { time.jumpWall(-time.now()) }],
  ['through a night of sleep', (time) => { time.sleep(9 * HOUR_MS) }],
]

async function open(): Promise<void> {
  stage = await openStage({
    groups: { g: ['alpha/a-1', 'beta/b-1', 'gamma/c-1'] }, defaultBinding: { groupId: 'g', mode: 'failover' }, row: { enableProbe: false },
    listen: (line) => { if (line.type === 'error') errors.push(line) },
  })
}

const failed = async (): Promise<readonly { readonly model: string }[]> => (await stage.api<{ failed: readonly { readonly model: string }[] }>('/status')).failed

describe.each(JUMPS)('a clock that is set %s', (_what, jump) => {
  it('between two turns: both complete on a model that answers, and groups and bindings stay', async () => {
    await open()
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    const agent = await stage.session()
    expect((await stage.prompt(agent, 'one')).text).toBe('answer of beta/b-1')
    jump(stage.time)
    await stage.time.run(20_000)
    expect((await stage.prompt(agent, 'two')).text).toBe('answer of beta/b-1')
    const status = await stage.api<{ groups: unknown; bindings: unknown; storeProblems: unknown }>('/status')
    expect(status).toMatchObject({ groups: [{ id: 'g' }], storeProblems: [] })
    expect(stage.record(agent)).toMatchObject({ home: { model: 'a-1' }, override: { model: 'b-1' } })
  })

  it('while a model is asked: its failure is answered as ever, and one marked by hand stays so on its day', async () => {
    await open()
    await stage.api('/failed/mark', { provider: 'beta', model: 'b-1' })
    const day = (await stage.api<{ usageDay: string }>('/status')).usageDay
    stage.llm.plan('alpha/a-1', { failure: FAULTS.quota })
    const agent = await stage.session()
    const turn = stage.prompt(agent, 'one')
    jump(stage.time)
    expect((await turn).end).toBe('completed')
    await stage.time.run(20_000)
    const later = (await stage.api<{ usageDay: string }>('/status')).usageDay
    expect((await failed()).some(({ model }) => model === 'b-1')).toBe(later <= day)
    expect((await stage.prompt(agent, 'two')).end).toBe('completed')
  })
})
