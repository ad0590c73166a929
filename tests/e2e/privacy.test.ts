// What the plugin keeps to itself: no key and no word of a conversation reaches its files, its log or its interface, and it writes nowhere else.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { addEar, type Ear } from '../../dev/ear.mts'
import { FAULTS } from '../../src/contract/faults.ts'
import { makeGroup, openWorld, type World } from '../support/world.ts'

/** Keys of the shapes that providers give out, and a word that only the user's message holds. */
const KEYS = ['sk-proj-Zq7bW2nX9cV4mL1kJ8hG5fD3', '9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c', 'AIzaSyD4mQ7xW2bN8vK1jH6gF3dS9aP0oI5uY7t']
const WORD = 'quokkaberry'

let world: World | null = null
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  await world?.close()
  world = null
  for (const close of closing.splice(0)) await close()
})

/** A service that repeats the key it was given in its refusals, as some do. */
async function babbler(): Promise<string> {
  let asked = 0
  const server = createServer((request, response) => {
    request.resume()
    const bearer = request.headers.authorization ?? ''
    const key = bearer.replace(/^Bearer /, '')
    const texts = [`Incorrect API key provided: ${key}. You can find your API key in your account.`, `Authentication failed for "${bearer}"`, `invalid token=${key} (request headers: {"authorization":"${bearer}"})`]
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: texts[asked++ % texts.length], type: 'authentication_error', code: 'invalid_api_key' } }))
  })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  closing.push(() => new Promise((resolve) => { server.close(() => { resolve() }); server.closeAllConnections() }))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** Every file below a folder, as its path and content. */
function* filesBelow(folder: string): Generator<readonly [path: string, text: string]> {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    if (statSync(path).isFile()) yield [name, readFileSync(path, 'latin1')]
  }
}

it('no key and no word of a message is in a data file, the log or the interface', async () => {
  const baseURL = await babbler()
  let ear: Ear | null = null
  const names = KEYS.map((_, index) => `babbler-${index}`)
  world = await openWorld({
    rowConfig: { enableProbe: false },
    env: Object.fromEntries(KEYS.map((key, index) => [`BABBLER_KEY_${index}`, key])),
    prepare: (home) => {
      const file = join(home.path, 'settings.yaml')
      const settings = parse(readFileSync(file, 'utf8')) as { readonly 'llm-pi-ai': { readonly providers: Record<string, unknown> } }
      for (const [index, name] of names.entries()) {
        settings['llm-pi-ai'].providers[name] = {
          displayName: name, apiKeyEnv: `BABBLER_KEY_${index}`, api: 'openai-completions', baseURL, models: [{ id: 'm', name: 'm', contextWindow: 9000, maxTokens: 100 }],
          retryPolicy: { mode: 'normal', maxRetries: 0, backoff: { initialDelayMs: 10, maxDelayMs: 10, jitterRatio: 0 } },
        }
      }
      writeFileSync(file, stringify(settings))
      ear = addEar(home)
    },
  })
  const { host, upstream, home } = world
  const groupId = await makeGroup(host, 'Chatty', [...names.map((name) => `${name}/m`), 'alpha/a-1', 'beta/b-1'])
  await host.api('/default-group', { body: { groupId, mode: 'route' } })
  const told: string[] = []
  const hear = async (path: string, body?: unknown): Promise<void> => { told.push(JSON.stringify((await host.api(path, body === undefined ? {} : { body })).body)) }
  for (const fault of ['500', '400-filter', '429', 'reset-mid'] as const) {
    upstream.set('alpha', 'a-1', fault)
    const session = await host.createSession()
    expect((await host.turn(session, `please remember ${WORD} and ${KEYS[0]}`)).end).toBe('completed')
    for (const path of [`/decisions?sessionId=${session}`, `/session-info?sessionId=${session}`, `/debug/status-log?sessionId=${session}`]) await hear(path)
    await host.api('/failed/reset', { body: {} })
  }
  await hear('/explain', { code: 'AUTH', message: `401: {"error":{"message":"Incorrect API key provided: ${KEYS[0]}"}}` })
  for (const path of ['/status', '/debug/sessions', '/metrics', '/metrics/export', '/config/export', '/models', '/speedtest']) await hear(path)
  await hear('/explain/replay', {})
  await host.stop()

  expect(told.join('\n')).toContain('babbler-0')
  const kept = [...filesBelow(join(home.path, 'model-failover'))]
  expect(kept.map(([name]) => name).join()).toContain('groups.json')
  const places = [...kept, ...told.map((text, index) => [`reply ${index}`, text] as const), ['log', JSON.stringify(ear!.lines().filter(({ name }) => name === 'model-failover'))] as const, ['error stream', host.stderr()] as const]
  for (const secret of [...KEYS, WORD]) expect(places.filter(([, text]) => text.includes(secret)).map(([name]) => name), secret).toEqual([])
  for (const [name] of kept) expect(statSync(join(home.path, 'model-failover', name)).mode & 0o077, name).toBe(0)
}, 120_000)

/** Where files appeared or changed, as `home/<first folder>` and the like; what belongs to the installation itself is left out. */
function traces(root: string, since: ReadonlyMap<string, string>): Set<string> {
  const found = new Set<string>()
  for (const [name, text] of filesBelow(root)) if (since.get(name) !== text) found.add(name.split(sep).slice(0, 2).join('/'))
  return found
}

it('writes nowhere but in its data folder', async () => {
  const acts = async (plugin: boolean): Promise<Set<string>> => {
    let before: ReadonlyMap<string, string> = new Map()
    const own = await openWorld({ plugin, prepare: (home) => { before = new Map(filesBelow(join(home.path, '..'))) } })
    world = own
    const { host, upstream, home } = own
    if (plugin) await host.api('/default-group', { body: { groupId: await makeGroup(host, 'Chain', ['alpha/a-1', 'beta/b-1', 'gamma/c-1']), mode: 'failover' } })
    const session = await host.createSession()
    expect((await host.turn(session, 'one')).end).toBe('completed')
    for (const { id } of plugin ? FAULTS.slice(3, 8) : []) {
      upstream.set('alpha', 'a-1', id)
      await host.turn(session, 'two')
    }
    if (plugin) for (const path of ['/status', '/metrics', '/config/export']) await host.api(path)
    await host.stop()
    const found = traces(join(home.path, '..'), before)
    await own.close()
    world = null
    return found
  }
  const bare = await acts(false)
  const ours = await acts(true)
  expect([...ours].filter((place) => !bare.has(place) && !place.startsWith('home/profiles'))).toEqual(['home/model-failover'])
}, 120_000)
