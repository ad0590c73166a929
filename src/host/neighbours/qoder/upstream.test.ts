import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { serve } from '../../../../tests/support/neighbours.ts'
import { direct, readPrepared, Unreached, viaFetch, type Prepared } from './upstream.ts'

const signal = new AbortController().signal
const prepared = (url: string): Prepared => ({ url, headers: { 'X-Signed-Case': 'a' }, body: 'sealed ✓' })

it('sends headers in their own spelling and the body with its length', async () => {
  const server = await serve((_seen, res) => { res.writeHead(201, { 'set-cookie': ['a=1', 'b=2'] }).end('x') })
  const reply = await direct(prepared(`${server.url}/p?Encode=1`), signal)
  expect([reply.status, reply.headers['set-cookie'], await reply.body.toArray().then(String)]).toEqual([201, ['a=1', 'b=2'], 'x'])
  expect(server.seen[0]).toMatchObject({ url: '/p?Encode=1', body: 'sealed ✓' })
  expect(server.seen[0]?.raw).toEqual(expect.arrayContaining(['X-Signed-Case', 'Accept', 'Content-Length']) as unknown)
  await server.close()
})

it('says when nothing was sent: refused, unknown host, no TLS', async () => {
  const server = await serve(() => undefined)
  for (const url of ['http://127.0.0.1:1/', 'http://nowhere.invalid/', server.url.replace('http:', 'https:')]) await expect(direct(prepared(url), signal)).rejects.toBeInstanceOf(Unreached)
  await server.close()
})

it('does not say so once the connection stood', async () => {
  const cut = createServer((socket) => { socket.once('data', () => { socket.destroy() }) })
  await new Promise<void>((resolve) => { cut.listen(0, '127.0.0.1', resolve) })
  const { port } = cut.address() as AddressInfo
  const failed = await direct(prepared(`http://127.0.0.1:${port}/`), signal).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(Error)
  expect(failed).not.toBeInstanceOf(Unreached)
  cut.close()
})

it('ends with the caller', async () => {
  const server = await serve(() => undefined)
  const cancel = new AbortController()
  const reply = direct(prepared(server.url), cancel.signal)
  cancel.abort()
  await expect(reply).rejects.toMatchObject({ name: 'AbortError' })
  await server.close()
})

it('gives a decoded body when sent through fetch', async () => {
  const { gzipSync } = await import('node:zlib')
  const server = await serve((_seen, res) => { res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('plain')) })
  const reply = await viaFetch(prepared(server.url), signal)
  expect([reply.headers['content-encoding'], await reply.body.toArray().then(String)]).toEqual([undefined, 'plain'])
  await server.close()
})

it('takes only what a codec gives for a request', () => {
  const good = { url: 'https://h/x', headers: { a: 'b' }, body: 'c' }
  expect(readPrepared(good)).toEqual(good)
  expect(readPrepared({ ...good, headers: new Map([['a', 'b']]) })).toEqual(good)
  expect(readPrepared({ ...good, headers: new Headers({ a: 'b' }) })).toEqual(good)
  for (const bad of [null, 1, {}, { ...good, url: 'ftp://x' }, { ...good, body: 3 }, { ...good, headers: null }, { ...good, headers: { a: 1 } }, Promise.resolve(good)]) expect(readPrepared(bad)).toBeNull()
})
