// The fault wall once more through the host's own DeepSeek adapter, which hands over status and Retry-After but hides in-stream errors.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FAULTS, type FaultId } from '../../src/contract/faults.ts'
import { makeGroup, openWorld, type World } from '../support/world.ts'

const FLASH = 'deepseek-v4-flash'
const PRO = 'deepseek-v4-pro'
/** Faults whose memory lasts get the second model, and come last; the others are forgotten by hand after each turn. */
const LASTING: readonly FaultId[] = ['503', '403']
const LAST: readonly FaultId[] = ['401']
/** An overflow only moves to a larger window, and the group has none. */
const SKIPPED = new Set<FaultId>(['ok', 'slow', 'tool-call', 'error-as-text', '429-retry-after', 'quota-reset', '400-context', ...LASTING, ...LAST])
const PASSING = FAULTS.map(({ id }) => id).filter((id) => !SKIPPED.has(id))

let world: World
let group: string

beforeAll(async () => {
  world = await openWorld({
    idleTimeoutMs: 1000, defaultModel: { provider: 'deepseek-official', model: FLASH },
    rowConfig: { enableProbe: false, endpointHealth: false, modelCircuitThreshold: 100, modelCooldownMs: 1000, capacityCooldownMs: 1000 },
  })
  group = await makeGroup(world.host, 'Official', [`deepseek-official/${FLASH}`, `deepseek-official/${PRO}`, 'beta/b-1'])
})
afterAll(() => world.close())

async function turn(model: string, fault: FaultId): Promise<{ end: string; text: string; calls: number }> {
  const { host, upstream } = world
  await host.api('/failed/reset', { body: {} })
  upstream.clear()
  upstream.set('deepseek-official', FLASH, { fault, purpose: 'chat' })
  upstream.set('deepseek-official', PRO, { fault, purpose: 'chat' })
  const session = await host.createSession()
  await host.rpc('session.selectModel', { sessionId: session, provider: 'deepseek-official', model })
  await host.api('/session-group', { body: { sessionId: session, groupId: group, mode: 'failover', asDefault: false } })
  const { end, text } = await host.turn(session, `hello ${fault}`)
  return { end, text, calls: upstream.routes().filter((route) => route.startsWith('deepseek')).length }
}

it.each([...PASSING, ...LASTING, ...LAST])('%s: the turn is saved', async (fault) => {
  const { end, text, calls } = await turn(FLASH, fault)
  expect(end).toBe('completed')
  expect(text).toMatch(/^Here is beta\/b-1\. /)
  expect(calls).toBeLessThanOrEqual(4)
})

it('believes the Retry-After of the official adapter: the route rests for the stated time and no day mark is set', async () => {
  const { holds } = ((await world.host.api('/status')).body as { readonly health: { readonly holds: readonly { readonly class: string; readonly provider: string }[] } }).health
  expect(holds.some((hold) => hold.provider === 'deepseek-official' && hold.class === 'server')).toBe(true)
})
