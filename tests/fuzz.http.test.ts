// Any input to the HTTP interface: an answer of the specified kind, never a 500, and nothing changed by what is refused.
import { request as httpRequest, Agent } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api, errorReply, type OperationName } from '../src/contract/api.ts'
import { steadyRandom } from './support/memory-document.ts'
import { openStage, type Stage } from './support/stage/index.ts'
import { json, nastyText, near, RUNS, timeFor } from './support/weird.ts'

let stage: Stage
let address = ''
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const errors: string[] = []

beforeAll(async () => {
  stage = await openStage({ groups: { daily: ['alpha/a-1', 'beta/b-1'], other: [{ route: 'gamma/c-1', windows: [{ from: 22, to: 6 }], until: '2030-01-01', ask: true }] }, defaultBinding: { groupId: 'daily', mode: 'failover' }, random: steadyRandom(), listen: ({ type, args }) => { if (type === 'error') errors.push(args.map(String).join(' ')) } })
  await stage.session({ id: 's-1' })
  address = await stage.address()
})
afterAll(async () => {
  agent.destroy()
  await stage.close()
})

interface Got { readonly status: number; readonly text: string }

function send(method: string, path: string, payload: Uint8Array | string | null, type = 'application/json'): Promise<Got> {
  return new Promise((resolve, reject) => {
    const { port, pathname } = new URL(address)
    const request = httpRequest({ agent, port, host: '127.0.0.1', method, path: `${pathname}${path}`, headers: payload === null ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(payload) } }, (response) => {
      const parts: Buffer[] = []
      response.on('error', reject).on('data', (part: Buffer) => parts.push(part)).on('end', () => { resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }) })
    })
    request.on('error', reject)
    request.end(payload ?? undefined)
  })
}

const route = { provider: 'alpha', model: 'a-1' }
const entry = { ...route, priority: 1, effort: 'low', windows: [{ from: 22, to: 6 }], until: '2030-01-01', disabled: false, ask: true }
const document = {
  format: 'model-failover-config', version: 1, exportedAt: 1, groups: [{ id: 'daily', name: 'Daily', enabled: true, models: [entry] }],
  defaultBinding: { groupId: 'daily', mode: 'route' }, limits: { 'alpha/a-1': 3 }, settings: { notifyUser: false },
}

/** Legal bodies to start from; operations without a body are not listed. */
const BODIES: Partial<Record<OperationName, readonly unknown[]>> = {
  settings: [{ drill: false, metricsSort: null, notifyUser: true, ledgerRecovery: 'day', dialogMode: null }],
  createGroup: [{ name: 'New', enabled: true, models: [entry] }, { name: 'Bare' }],
  updateGroup: [{ id: 'daily', rev: 1, name: 'Renamed', enabled: false, models: [entry, { provider: 'beta', model: 'b-1', priority: 2 }] }],
  modelDisabled: [{ ...route, disabled: true }], reorder: [{ groupId: 'daily', start: 3, order: [route, { provider: 'beta', model: 'b-1' }] }],
  bindSession: [{ sessionId: 's-1', groupId: 'daily', mode: 'route', pin: true, asDefault: false }, { sessionId: 's-1', groupId: null }],
  setDefaultGroup: [{ groupId: 'daily', mode: 'failover' }, { groupId: null }],
  sessionModel: [{ sessionId: 's-1', ...route, effort: 'high' }], consent: [{ sessionId: 's-1', ...route, once: true }], sendHome: [{ sessionId: 's-1' }, {}],
  markFailed: [route], resetFailed: [route, {}], concurrency: [{ ...route, concurrency: 3 }, { ...route, concurrency: '' }],
  startSpeedtest: [{ models: [route], timeoutMs: 5000, parallel: 2 }, { groupId: 'daily' }], cancelSpeedtest: [{}],
  explain: [{ code: 'QUOTA', status: 429, message: '429: {"error":{"message":"quota"}}', headers: { 'retry-after': '20' }, ...route, sessionId: 's-1', groupId: 'daily' }],
  dryRun: [{ groupId: 'daily' }, {}], preview: [{ groupId: 'daily' }], importConfig: [document],
}

/** What the refusal of an input must leave as it was. */
async function state(): Promise<string> {
  const [config, status] = await Promise.all([send('GET', '/config/export', null), send('GET', '/status', null)])
  const { failed, bindings } = JSON.parse(status.text) as { readonly failed: unknown; readonly bindings: unknown }
  return JSON.stringify([{ ...JSON.parse(config.text) as object, exportedAt: 0 }, failed, bindings])
}

const ALLOWED = new Set([200, 304, 400, 403, 404, 405, 409, 413, 415])

function checkReply(name: OperationName | null, { status, text }: Got): void {
  expect(ALLOWED, text).toContain(status)
  expect(errors).toEqual([])
  if (status >= 400) errorReply.parse(JSON.parse(text))
  else if (name !== null && status === 200 && !('lines' in api[name])) api[name].reply.parse(JSON.parse(text))
}

describe('any body', () => {
  it.each(Object.keys(BODIES) as OperationName[])('%s', async (name) => {
    const { method, path } = api[name]
    let before = await state()
    await fc.assert(fc.asyncProperty(fc.oneof({ weight: 6, arbitrary: near(BODIES[name] ?? []) }, { weight: 1, arbitrary: json }), fc.boolean(), async (body, dry) => {
      const got = await send(method, name === 'importConfig' && dry ? `${path}?dryRun=1` : path, JSON.stringify(body) ?? 'null')
      checkReply(name, got)
      const after = await state()
      if (got.status >= 400) expect(after, got.text).toBe(before)
      before = after
    }), { numRuns: RUNS, endOnFailure: true })
  }, timeFor(40))
})

describe('any bytes', () => {
  it('as the body of any operation', async () => {
    const before = await state()
    const names = Object.keys(BODIES) as OperationName[]
    await fc.assert(fc.asyncProperty(fc.constantFrom(...names), fc.uint8Array({ maxLength: 300 }), fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', 'x', 'application/json; charset=latin1'), async (name, bytes, type) => {
      const got = await send(api[name].method, api[name].path, bytes, type)
      // An empty body stands for {}, which some operations take.
      if (bytes.length > 0) expect(got.status, got.text).toBeGreaterThanOrEqual(400)
      checkReply(name, got)
    }), { numRuns: RUNS, endOnFailure: true })
    expect(await state()).toBe(before)
  }, timeFor(20))
})

describe('any address', () => {
  const part = fc.oneof(nastyText.map((text) => encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/g, ''))).filter((text) => text !== ''), fc.stringMatching(/^[!-~]{1,30}$/).map((text) => text.replaceAll(/[#\s]/g, '')))
  it('path', async () => {
    await fc.assert(fc.asyncProperty(fc.constantFrom('GET', 'DELETE', 'POST', 'PUT', 'HEAD', 'PATCH', 'OPTIONS'), fc.array(part, { maxLength: 4 }), async (method, parts) => {
      const got = await send(method, `/${parts.join('/')}`, null)
      if (method !== 'HEAD') checkReply(null, got)
      else expect(ALLOWED).toContain(got.status)
    }), { numRuns: RUNS, endOnFailure: true })
  }, timeFor(10))

  it.each((Object.keys(api) as OperationName[]).filter((name) => api[name].method === 'GET'))('query of %s', async (name) => {
    const value = fc.oneof(part, fc.constantFrom('s-1', 's-2', '0', '1', '200', '201', '-1', '1e3', '2025-03-03', '2025-02-30', 'x'))
    const key = fc.oneof(fc.constantFrom('sessionId', 'since', 'until', 'limit', 'dryRun'), part)
    await fc.assert(fc.asyncProperty(fc.array(fc.tuple(key, value), { maxLength: 4 }), async (pairs) => {
      checkReply(name, await send('GET', `${api[name].path}?${pairs.map(([left, right]) => `${left}=${right}`).join('&')}`, null))
    }), { numRuns: RUNS, endOnFailure: true })
  }, timeFor(80))
})
