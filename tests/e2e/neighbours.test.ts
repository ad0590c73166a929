// Neighbour plugins beside ours on the real host: each is helped while it is there, and nothing is touched while it is not.
import { connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { statusReply, type StatusReply } from '../../src/contract/status.ts'
import { installNeighbours, type NeighbourName } from '../support/neighbour-plugins.ts'
import { SECRET, serve, toyUpstream, unscramble } from '../support/neighbours.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World | null = null

afterEach(async () => {
  await world?.close()
  world = null
})

async function open(neighbours: Readonly<Partial<Record<NeighbourName, unknown>>>, rowConfig: Readonly<Record<string, unknown>> = {}): Promise<World> {
  world = await openWorld({ rowConfig, prepare: (home) => { installNeighbours(home, neighbours) } })
  return world
}

async function status({ host }: World): Promise<StatusReply> {
  const { body } = await host.api('/status')
  expect(JSON.stringify(body)).not.toContain(SECRET)
  return statusReply.parse(body)
}

async function turnOn({ host }: World, provider: string, model: string, text = 'good morning'): Promise<{ readonly end: string; readonly text: string }> {
  const sessionId = await host.createSession()
  await host.rpc('session.selectModel', { sessionId, provider, model })
  return host.turn(sessionId, text)
}

/** A port nobody listens on now. */
async function freePort(): Promise<number> {
  const server = await serve(() => undefined)
  await server.close()
  return server.port
}

it('hands a failed model over to the next account of a pool, within the turn', async () => {
  const here = await open({ 'account-pool': { accounts: ['a', 'b', 'c'], broken: ['a', 'b'] } })
  expect(await turnOn(here, 'free', 'free-1')).toMatchObject({ end: 'completed', text: 'from account c' })
  const { neighbours, failed } = await status(here)
  expect(neighbours.accountPool).toMatchObject({ present: true, handoffs: 2, lastError: null })
  expect(failed).toEqual([])
})

it('restarts the codearts plugin when its pool can choose nobody, within the turn', async () => {
  const here = await open({ 'dsh-codearts': {} })
  expect(await turnOn(here, 'codearts', 'glm')).toMatchObject({ end: 'completed', text: 'healed at load 2' })
  expect((await status(here)).neighbours.codearts).toMatchObject({ present: true, heals: 1, failures: 0 })
})

it('leaves no mark on a codearts model when the restart does not help', async () => {
  const here = await open({ 'dsh-codearts': { gone: true } })
  expect(await turnOn(here, 'codearts', 'glm')).toMatchObject({ end: 'error' })
  const { neighbours, failed } = await status(here)
  expect(neighbours.codearts).toMatchObject({ heals: 0, failures: 1 })
  expect(failed).toEqual([])
})

it('lets a compactor read encrypted requests, which reach their upstream encrypted again', async () => {
  const toy = await toyUpstream(['sealed reply'])
  const here = await open({ 'billion-context': { keep: 40 }, 'dsh-our-free-model': { upstream: toy.url } }, { qoderShimPort: await freePort() })
  await expect.poll(async () => (await status(here)).qoderShim.effective).toBe(true)
  const text = `a message far longer than forty characters ${'x'.repeat(200)}`
  expect(await turnOn(here, 'qoder', 'dfmodel', text)).toMatchObject({ end: 'completed', text: 'sealed reply' })
  const { qoderShim, compressionGuard } = await status(here)
  expect(qoderShim).toMatchObject({ installed: true, liveSeen: true, fallback: 0, lastError: null, targets: ['pack:__mfQoderEncryptor'] })
  expect(qoderShim.folded).toBeGreaterThan(0)
  expect(qoderShim.forwarded).toBe(qoderShim.intercepted)
  expect(compressionGuard).toMatchObject({ biliActive: true, shimCovered: ['qoder', 'qodercn'], downgradedModels: [] })
  expect(toy.seen[0]?.headers.authorization).toContain(SECRET)
  expect(toy.seen.map(({ body }) => unscramble(body)).join('')).not.toContain('x'.repeat(60))
  await toy.close()
})

it('puts a sealed provider last while nothing carries it past the compactor', async () => {
  const toy = await toyUpstream(['sealed reply'])
  const here = await open({ 'billion-context': {}, 'dsh-our-free-model': { upstream: toy.url, hookAfterMs: null } })
  const { body } = await here.host.api('/groups', { body: { name: 'G', models: [{ provider: 'qoder', model: 'dfmodel', priority: 1 }, { provider: 'alpha', model: 'a-1', priority: 2 }] } })
  const { group } = body as { readonly group: { readonly id: string } }
  expect((await status(here)).compressionGuard).toMatchObject({ shimCovered: [], downgradedModels: [{ groupId: group.id, provider: 'qoder', model: 'dfmodel' }] })
  const preview = await here.host.api('/chain/preview', { body: { groupId: group.id } })
  expect((preview.body as { readonly verdicts: readonly { readonly route: { readonly provider: string } }[] }).verdicts.map(({ route }) => route.provider)).toEqual(['alpha', 'qoder'])
  await toy.close()
})

it('is silent without neighbours: no port, nothing present, and the skill says so to agents', async () => {
  const qoderShimPort = await freePort()
  const here = await open({}, { qoderShimPort })
  expect(await here.host.turn(await here.host.createSession(), 'good morning')).toMatchObject({ end: 'completed' })
  expect(await status(here)).toMatchObject({
    neighbours: { accountPool: { present: false, handoffs: 0 }, codearts: { present: false, heals: 0 } },
    qoderShim: { installed: false, effective: false, targets: [], portals: 0, hookRepair: { state: 'absent' }, lastError: null },
    compressionGuard: { biliActive: false, downgradedModels: [], lastDiagnosis: null },
  })
  await expect(new Promise((resolve, reject) => { connect(qoderShimPort, '127.0.0.1', () => { resolve('open') }).on('error', reject) })).rejects.toThrow('ECONNREFUSED')
  expect(JSON.stringify(here.upstream.log[0]?.body)).toContain('configure-model-failover')
})
