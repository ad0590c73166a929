// What a raw client can do to the interface: hosts and origins, sizes, paths, methods, bodies that never end.
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { api, API_PREFIX, BODY_LIMIT, IMPORT_LIMIT, type OperationName } from '../contract/api.ts'
import { createDesk, serve, type Desk } from './testing/desk.ts'

const FUZZ_RUNS = Number(process.env['MODEL_FAILOVER_FUZZ'] ?? 300)

let desk: Desk
let web: Awaited<ReturnType<typeof serve>>
beforeEach(async () => {
  desk = createDesk()
  web = await serve(desk)
})
afterEach(() => web.close())

/** Sends raw text and resolves with what came back by the time the reply's head was complete, or the connection closed. */
function raw(text: string): Promise<{ readonly reply: string; readonly socket: Socket }> {
  return new Promise((resolve, reject) => {
    const socket = connect(web.port, '127.0.0.1', () => { socket.write(text) })
    let reply = ''
    const done = (): void => { resolve({ reply, socket }) }
    socket.setEncoding('utf8').on('data', (more: string) => {
      reply += more
      const head = reply.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(reply)?.[1] ?? 0)
      if (head >= 0 && Buffer.byteLength(reply.slice(head + 4)) >= length) done()
    })
    socket.on('close', done).on('error', reject)
  })
}

const post = (path: string, headers: string, body = ''): string => `POST ${API_PREFIX}${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`

describe('the fence', () => {
  it.each([
    ['a foreign Host', { host: 'evil.test' }], ['a foreign Origin', { origin: 'http://evil.test' }], ['the Origin null', { origin: 'null' }], ['another site\'s page', { 'sec-fetch-site': 'cross-site' }],
  ])('refuses %s for every operation, reads included, and changes nothing', async (_what, headers) => {
    const before = desk.state()
    for (const name of Object.keys(api) as OperationName[]) {
      const got = await web.call(name, { headers, ...(api[name].method === 'POST' || api[name].method === 'PUT' ? { body: {} } : {}) })
      expect([name, got.status]).toEqual([name, 403])
      expect(got.json).toMatchObject({ error: { code: 'FORBIDDEN' } })
    }
    expect(desk.state()).toBe(before)
  })

  it('refuses before it says whether a path exists', async () => {
    expect((await web.ask('/nowhere', { headers: { host: 'evil.test' } })).status).toBe(403)
  })

  it('refuses at once although the body never ends, and lets go of the connection', async () => {
    const { reply, socket } = await raw(`POST ${API_PREFIX}/groups HTTP/1.1\r\nHost: evil.test\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n{"name":`)
    expect(reply).toMatch(/^HTTP\/1\.1 403 /)
    const closed = new Promise<void>((resolve) => { socket.once('close', () => { resolve() }) })
    desk.time.advance(500)
    await closed
  })

  it('refuses a request without Host, as old clients may send it', async () => {
    expect((await raw(`GET ${API_PREFIX}/status HTTP/1.0\r\n\r\n`)).reply).toMatch(/ 403 /)
  })

  it('admits the page itself and programs of this machine', async () => {
    const host = `localhost:${web.port}`
    expect((await web.ask('/groups', { headers: { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' } })).status).toBe(200)
    expect((await web.ask('/groups')).status).toBe(200)
  })

  it('admits trusted hosts, and leaves the word to the host where it has a check', async () => {
    await web.close()
    web = await serve(desk, { trustedHosts: ['my.lan'] })
    expect((await web.ask('/groups', { headers: { host: 'my.lan:8080' } })).status).toBe(200)
    await web.close()
    web = await serve(desk, { hostCheck: ({ headers }) => (headers.cookie === 'ok' ? undefined : 401) })
    expect((await web.ask('/groups')).status).toBe(401)
    expect((await web.ask('/groups', { headers: { cookie: 'ok', host: 'anything' } })).status).toBe(200)
  })
})

describe('sizes', () => {
  const name = (size: number): string => JSON.stringify({ name: 'x'.repeat(size - 11) })

  it('a body up to the limit is read, one byte more is 413', async () => {
    expect((await web.ask('/groups', { method: 'POST', raw: name(BODY_LIMIT) })).status).toBe(400)
    const got = await web.ask('/groups', { method: 'POST', raw: name(BODY_LIMIT + 1) })
    expect(got.status).toBe(413)
    expect(got.json).toMatchObject({ error: { code: 'BODY_TOO_LARGE', details: { limit: BODY_LIMIT } } })
  })

  it('an import may be larger, up to its own limit', async () => {
    const padded = (size: number): string => `{"format":"model-failover-config","version":1,"groups":[]}`.padEnd(size, ' ')
    expect((await web.ask('/config/import', { method: 'POST', raw: padded(BODY_LIMIT + 1) })).status).toBe(200)
    expect((await web.ask('/config/import', { method: 'POST', raw: padded(IMPORT_LIMIT) })).status).toBe(200)
    expect((await raw(post('/config/import', `Content-Length: ${IMPORT_LIMIT + 1}`, '{'))).reply).toMatch(/ 413 /)
  })

  it('a stated length is believed before a byte is read, an unstated one is counted', async () => {
    expect((await raw(post('/groups', 'Content-Length: 999999999', '{'))).reply).toMatch(/ 413 /)
    const chunk = 'x'.repeat(0x8000)
    const { reply } = await raw(post('/groups', 'Transfer-Encoding: chunked', `8000\r\n${chunk}\r\n`.repeat(9)))
    expect(reply).toMatch(/ 413 /)
  })
})

describe('bodies', () => {
  it('names the place where JSON ends', async () => {
    const got = await web.ask('/groups', { method: 'POST', raw: '{\n "name": oops}' })
    expect(got.json).toMatchObject({ error: { code: 'INVALID_JSON', message: expect.stringMatching(/position 11 \(line 2, column 10\)/) as string, details: { position: 11 } } })
  })

  it('a sender that goes away in the middle is no fault of anybody', async () => {
    const socket = connect(web.port, '127.0.0.1', () => { socket.write(post('/groups', 'Content-Length: 50', '{"name":'), () => { socket.destroy() }) })
    await new Promise<void>((resolve) => { socket.once('close', () => { resolve() }) })
    expect((await web.ask('/groups')).json).toEqual({ groups: [] })
    expect(desk.lines).toEqual([])
  })

  it('utf-8 is accepted by any of its names, with a mark and without', async () => {
    for (const type of ['application/json', 'application/json;charset=utf-8', 'Application/JSON; Charset="UTF-8"']) expect((await web.ask('/settings', { method: 'POST', raw: '\uFEFF{}', headers: { 'content-type': type } })).status).toBe(200)
  })

  it('a GET and a DELETE take no notice of a body', async () => {
    expect((await web.ask('/groups', { raw: 'nonsense', headers: { 'content-type': 'text/plain' } })).status).toBe(200)
    expect((await web.ask('/groups/x', { method: 'DELETE', raw: 'nonsense' })).status).toBe(404)
  })
})

describe('paths and methods', () => {
  it.each(['', '/', '/nowhere', '/status/x', '/groups/a/b', '//status', '/Status', '/groups/..%2fstatus/x', '/__proto__', '/constructor'])('%j is 404 and lists nothing', async (path) => {
    const got = await web.ask(path)
    expect(got.status).toBe(404)
    expect(got.json).toEqual({ error: { code: 'NO_SUCH_PATH', message: 'there is no such path' } })
  })

  it('a malformed escape is 400, a legal one is decoded', async () => {
    expect((await web.ask('/groups/%zz', { method: 'DELETE' })).status).toBe(400)
    expect((await web.ask('/groups/%E0%A4%A', { method: 'DELETE' })).status).toBe(400)
    expect((await web.ask('/groups/a%2Fb%20c', { method: 'DELETE' })).text).toContain('a/b c')
  })

  it('a slash at the end and a query nobody asked for are passed over', async () => {
    expect((await web.ask('/groups/?x=1&x=2')).status).toBe(200)
  })

  it('HEAD is GET without the body', async () => {
    const [get, head] = [await web.ask('/groups'), await web.ask('/groups', { method: 'HEAD' })]
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', get.headers['content-length']])
    expect((await web.ask('/metrics/export', { method: 'HEAD' })).text).toBe('')
  })

  it.each([['/groups', 'DELETE', 'GET, POST, PUT, HEAD'], ['/status', 'POST', 'GET, HEAD'], ['/groups/x', 'GET', 'DELETE'], ['/settings', 'OPTIONS', 'POST'], ['/failed/mark', 'GET', 'POST']])('%s does not take %s but %s', async (path, method, allow) => {
    const got = await web.ask(path, { method })
    expect([got.status, got.headers.allow]).toEqual([405, allow])
  })
})

describe('GET /status', () => {
  it('answers 304 while nothing but the clock moves, and anew when something does', async () => {
    const first = await web.ask('/status')
    const tag = first.headers.etag ?? ''
    desk.time.advance(3000)
    const same = await web.ask('/status', { headers: { 'if-none-match': tag } })
    expect([same.status, same.text, same.headers.etag]).toEqual([304, '', tag])
    expect((await web.ask('/status', { headers: { 'if-none-match': `"other", W/${tag}` } })).status).toBe(304)
    await desk.groups.create({ name: 'x' })
    const changed = await web.ask('/status', { headers: { 'if-none-match': tag } })
    expect(changed.status).toBe(200)
    expect(changed.json).toMatchObject({ groups: [{ name: 'x' }] })
    expect(changed.headers.etag).not.toBe(tag)
    api.status.reply.parse(changed.json)
  })
})

describe('unmounting', () => {
  it('cuts bodies that are still coming, and waits for answers under way', async () => {
    let finish: (() => void) | null = null
    Object.assign(desk.services, { models: () => new Promise((resolve) => { finish = () => { resolve({ providers: [], failures: [] }) } }) })
    await web.close()
    web = await serve(desk)
    const answer = web.ask('/models')
    const stalled = (await raw(post('/groups', 'Expect: 100-continue\r\nContent-Length: 50', '{"name":'))).socket
    const cut = new Promise<void>((resolve) => { stalled.on('error', () => undefined).once('close', () => { resolve() }) })
    while (!finish) await new Promise((resolve) => { setImmediate(resolve) })
    let unmounted = false
    const done = web.unmount().then(() => { unmounted = true })
    await cut
    expect(unmounted).toBe(false)
    ;(finish as () => void)()
    expect((await answer).status).toBe(200)
    await done
  })

  it('does not wait for an answer for ever', async () => {
    Object.assign(desk.services, { models: () => new Promise(() => undefined) })
    await web.close()
    web = await serve(desk)
    const answer = web.ask('/models').catch(() => 'cut')
    await web.ask('/groups')
    const done = web.unmount()
    desk.time.advance(1000)
    await done
    expect(await answer).toBe('cut')
  })
})

describe('lines', () => {
  it('a source that fails in the middle cuts the connection instead of posing as complete', async () => {
    Object.assign(desk.services.metrics, { * exportLines() { yield '{"n":1}\n'; throw new Error('disk') } })
    await expect(web.ask('/metrics/export')).rejects.toThrow()
    expect(desk.lines.join('\n')).toContain('disk')
    expect((await web.ask('/groups')).status).toBe(200)
  })

  it('a reader that goes away ends the source, and nobody is blamed', async () => {
    let ended = false
    Object.assign(desk.services.metrics, { async* exportLines() { try { for (;;) { yield 'x'.repeat(10_000); await Promise.resolve() } } finally { ended = true } } })
    const { socket } = await raw(`GET ${API_PREFIX}/metrics/export HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    socket.destroy()
    while (!ended) await new Promise((resolve) => { setImmediate(resolve) })
    expect(desk.lines).toEqual([])
  })
})

describe('whatever is sent', () => {
  const names = Object.keys(api) as OperationName[]
  const field = fc.constantFrom('name', 'enabled', 'models', 'id', 'rev', 'provider', 'model', 'priority', 'windows', 'from', 'to', 'until', 'effort', 'disabled', 'ask', 'groupId', 'start', 'order', 'sessionId', 'mode', 'pin', 'asDefault', 'concurrency', 'once', 'format', 'version', 'groups', 'limits', 'settings', 'defaultBinding', 'headers', 'status', 'timeoutMs', 'parallel', '__proto__', 'constructor', 'toString')
  const leaf = fc.oneof(fc.constantFrom<unknown>('p', 'm', 's', '', null, 0, 1, 999, 1000, -1, 1.5, true, false, '2025-02-30', '2025-12-31', 'route', 'failover', 'model-failover-config', 1e308, '\u0000', 'x'.repeat(300)), fc.string({ unit: 'binary', maxLength: 20 }))
  const value = fc.letrec<{ any: unknown }>((tie) => ({ any: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, fc.array(tie('any'), { maxLength: 4 }), fc.dictionary(field, tie('any'), { maxKeys: 6 })) })).any
  const call = fc.record({
    name: fc.constantFrom(...names), method: fc.option(fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'), { nil: undefined }), id: fc.string({ unit: 'grapheme', maxLength: 12 }),
    query: fc.webQueryParameters(), body: fc.oneof(value.map((one) => JSON.stringify(one) ?? ''), fc.string({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))),
    type: fc.constantFrom('application/json', 'application/json', 'application/json', 'text/plain', 'application/json; charset=utf-8', ''),
  })

  it(`${FUZZ_RUNS} requests give no crash, no 500 and no reply outside the contract`, { timeout: 20_000 + FUZZ_RUNS * 50 }, async () => {
    await desk.groups.create({ name: 'Daily', models: [{ provider: 'p', model: 'm', priority: 3 }] })
    await fc.assert(fc.asyncProperty(call, async ({ name, method, id, query, body, type }) => {
      const got = await web.call(name, { params: { id }, query: `?sessionId=s&${query}`, raw: body, headers: { 'content-type': type }, ...(method === undefined ? {} : { method }) })
      expect([200, 400, 404, 405, 409, 415]).toContain(got.status)
      if (got.status === 200 && (method ?? api[name].method) === api[name].method && !('lines' in api[name])) api[name].reply.parse(got.json)
      expect(desk.lines).toEqual([])
    }), { numRuns: FUZZ_RUNS })
    expect((await web.ask('/status')).status).toBe(200)
  })
})
