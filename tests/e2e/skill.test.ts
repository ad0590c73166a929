// The set-up skill on the real host, followed to the letter by a scripted model: it loads the skill, reads, proposes, shows, applies, checks and takes back, all with the host's own tools.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ToolCall } from '../../dev/upstream/script.ts'
import { API } from '../../dev/host.mts'
import { openWorld, type World } from '../support/world.ts'

interface Message { readonly role: string; readonly content?: unknown }
interface Document { readonly format: string; readonly version: number; groups: unknown[]; [part: string]: unknown }

let world: World
let session = ''
/** The address as the skill tells it to the model. */
let address = ''

beforeAll(async () => {
  world = await openWorld({ rowConfig: { enableProbe: false } })
  session = await world.host.createSession()
})

afterAll(() => world.close())

/** What the tools answered in the last request the model got, oldest first. */
function toolResults(): string[] {
  const messages = (world.upstream.log.findLast(({ purpose }) => purpose === 'chat')?.body.messages ?? []) as readonly Message[]
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
}

/** What each of these tools said to the model, which calls one of them per turn. */
async function turn(words: string, calls: readonly ToolCall[]): Promise<string[]> {
  const before = toolResults().length
  for (const tool of calls) {
    world.upstream.set('alpha', 'a-1', [{ fault: 'tool-call', times: 1, purpose: 'chat', tool }])
    expect((await world.host.turn(session, words, 60_000)).end).toBe('completed')
  }
  return toolResults().slice(before)
}

const quoted = (text: string): string => `'${text.replaceAll('\'', String.raw`'\''`)}'`

/** A call of the interface from the host's shell, as a model would make it; Node stands for whatever HTTP client is there. */
function request(method: string, path: string, body?: unknown): ToolCall {
  const script = 'const [method, url, body] = process.argv.slice(1); fetch(url, { method, headers: { "content-type": "application/json" }, ...(body ? { body } : {}) }).then((reply) => reply.text()).then((text) => console.log(text))'
  const command = [process.execPath, '-e', script, method, `${address}${path}`, ...(body === undefined ? [] : [JSON.stringify(body)])].map(quoted).join(' ')
  return { name: 'bash', arguments: { command, description: `${method} ${path}` } }
}

/** The JSON in what a tool said. */
function json(result: string | undefined): unknown {
  const text = result ?? ''
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
}

let kept: Document
let proposal: Document

it('is loaded by its name and tells where the interface is', async () => {
  const [skill = ''] = await turn('请帮我配置模型故障转移', [{ name: 'skill', arguments: { name: 'configure-model-failover' } }])
  address = /http:\/\/\S+\/api\/model-failover/.exec(skill)?.[0] ?? ''
  expect(address).toBe(new URL(API, world.host.url).href)
  expect(skill).toContain('POST /config/import?dryRun=1')
})

it('looks: models, status, and the document that is the way back', async () => {
  const [models, status, exported] = await turn('先看看现状', [request('GET', '/models'), request('GET', '/status'), request('GET', '/config/export')])
  expect(models).toContain('"a-1"')
  expect(json(status)).toMatchObject({ enabled: true, groups: [] })
  kept = json(exported) as Document
  expect(kept).toMatchObject({ format: 'model-failover-config', version: 1, groups: [] })
})

it('shows the difference without changing anything', async () => {
  proposal = {
    ...kept,
    groups: [{
      name: '日常', enabled: true,
      models: [
        { provider: 'alpha', model: 'a-1', priority: 10 },
        { provider: 'beta', model: 'b-1', priority: 20, windows: [{ from: 22, to: 6 }] },
        { provider: 'gamma', model: 'c-1', priority: 30, ask: true },
      ],
    }],
    limits: { 'beta/b-1': 2 },
  }
  const [shown] = await turn('白天用 alpha，晚上可以用 beta，gamma 要先问我', [request('POST', '/config/import?dryRun=1', proposal)])
  expect(shown).toContain('日常')
  expect((await world.host.api('/groups')).body).toEqual({ groups: [] })
})

it('applies it after a yes, and the group exists with everything that was agreed', async () => {
  const [again] = await turn('好的，应用', [request('GET', '/config/export'), request('POST', '/config/import', proposal)])
  expect((json(again) as Document).groups).toEqual([])
  const { groups } = (await world.host.api('/groups')).body as { readonly groups: readonly { readonly id: string }[] }
  expect(groups).toMatchObject([{ name: '日常', enabled: true, models: [{ model: 'a-1', priority: 10 }, { model: 'b-1', priority: 20, windows: [{ from: 22, to: 6 }] }, { model: 'c-1', priority: 30, ask: true }] }])
  const [preview] = await turn('现在的顺序呢', [request('POST', '/chain/preview', { groupId: groups[0]?.id })])
  expect((json(preview) as { verdicts: { route: { model: string } }[] }).verdicts.map(({ route }) => route.model).sort()).toEqual(['a-1', 'b-1', 'c-1'])
})

it('checks it with a speed test', async () => {
  const { groups } = (await world.host.api('/groups')).body as { readonly groups: readonly { readonly id: string }[] }
  await turn('测一下', [request('POST', '/speedtest', { groupId: groups[0]?.id })])
  const done = async () => json((await turn('好了吗', [request('GET', '/speedtest')]))[0]) as { readonly running: boolean; readonly results: readonly { readonly ok: boolean }[] }
  await expect.poll(async () => (await done()).running, { timeout: 30_000 }).toBe(false)
  expect(JSON.stringify(await done())).toContain('"b-1"')
})

it('takes everything back with the document it kept', async () => {
  const [shown] = await turn('还是撤销吧', [request('POST', '/config/import?dryRun=1', kept)])
  expect(shown).toContain('日常')
  await turn('确定', [request('POST', '/config/import', kept)])
  expect((await world.host.api('/groups')).body).toEqual({ groups: [] })
  expect(json((await turn('再看一眼', [request('GET', '/config/export')]))[0])).toEqual({ ...kept, exportedAt: expect.any(Number) })
})

it('gives an error back that says what would be right', async () => {
  const [refused] = await turn('故意写错', [request('POST', '/config/import', { ...kept, groups: [{ name: 'x', models: [{ provider: 'alpha', model: 'a-1', priority: 0 }] }] })])
  expect(refused).toMatch(/priority.*1.*999/)
})
