/** The shim from end to end: toy encryptor, toy compactor, toy upstream, real loopback ports. */
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { compacting, SECRET, serve, toyAsk, toyUpstream } from '../../../../tests/support/neighbours.ts'
import { post, shimWorld } from '../../../../tests/support/shim-world.ts'
import { qoderShimStatus } from '../../../contract/status.ts'
import { ENTRY_LIMIT, ENTRY_TTL_MS, peekSlot } from './slot.ts'
import { Unreached } from './upstream.ts'

const world = shimWorld()

describe('a rerouted request', () => {
  it('is plain on the way to the compactor, encrypted again behind it, and its reply is untouched', async () => {
    const { shim, encryptor } = await world.live()
    const request = encryptor.prepareInfer(toyAsk(['a long message that will be folded by any compactor', 'ok', 'and now']))
    expect(request.url).toMatch(new RegExp(String.raw`^http://127\.0\.0\.1:${shim.status().port}/qoder/[0-9a-f]{32}/chat/completions$`))
    expect(JSON.stringify(request)).not.toContain(SECRET)
    const reply = await post(request, compacting())
    expect(await reply.text()).toBe('data: one\n\ndata: [DONE]\n\n')
    expect(reply.headers.get('x-upstream')).toBe('toy')
    expect(world.asked()).toMatchObject({ modelKey: 'dfmodel', systemText: '[compactor] be short', userText: 'and now', business: { type: 'agent' }, maxTokens: 4096 })
    expect(world.asked().history.map(({ content }) => content)).toEqual(['<acp>a long message that </acp>', 'ok', 'and now'])
    expect(world.upstream.seen[0]?.headers.authorization).toContain(`Bearer COSY.${SECRET}.`)
    expect(world.upstream.seen[0]?.raw).toEqual(expect.arrayContaining(['Authorization', 'Cosy-Key', 'Accept']) as unknown)
    expect(world.upstream.seen[0]?.url).toBe('/algo/api/v2/service/pro/sse/agent_chat_generation?Encode=1')
    expect(qoderShimStatus.parse(shim.status())).toMatchObject({
      enabled: true, installed: true, effective: true, liveSeen: true, targets: ['pack:__mfQoderEncryptor'],
      intercepted: 1, forwarded: 1, compacted: 1, folded: 1, fallback: 0, adoptTicks: 0, lastError: null,
      lastExchange: { beforeCount: 4, afterCount: 4, contentShrank: true, changed: true, diff: [{ index: 0, kind: 'grown', role: 'system' }, { index: 1, kind: 'shrunk', role: 'user' }] },
    })
  })

  it('counts a preamble as compacted but not as folded', async () => {
    const { shim, encryptor } = await world.live()
    await (await post(encryptor.prepareInfer(toyAsk(['short'])), compacting())).text()
    expect(shim.status()).toMatchObject({ compacted: 1, folded: 0, recentExchanges: [{ shrank: false }] })
  })

  it('keeps the last six exchanges, newest first', async () => {
    const { shim, encryptor } = await world.live()
    for (let size = 1; size <= 8; size++) await (await post(encryptor.prepareInfer(toyAsk(['x'.repeat(size)])))).text()
    expect(shim.status().recentExchanges.map(({ beforeContent }) => beforeContent)).toEqual([16, 15, 14, 13, 12, 11])
  })

  it('may be sent again under its id, as the same bytes', async () => {
    const { shim, encryptor } = await world.live()
    const request = encryptor.prepareInfer(toyAsk())
    for (let again = 0; again < 3; again++) {
      expect((await post(request)).status).toBe(200)
      world.time.advance(ENTRY_TTL_MS - 1)
    }
    expect(new Set(world.upstream.seen.map(({ body }) => body)).size).toBe(1)
    expect(shim.status()).toMatchObject({ intercepted: 1, forwarded: 3, fallback: 0 })
    world.time.advance(1)
    expect((await post(request)).status).toBe(410)
    expect(shim.status()).toMatchObject({ fallback: 1, lastError: 'a request came with an unknown or expired id' })
  })

  it('is forgotten in time without another request', async () => {
    const { encryptor } = await world.live()
    encryptor.prepareInfer(toyAsk())
    world.time.advance(ENTRY_TTL_MS / 2)
    encryptor.prepareInfer(toyAsk())
    world.time.advance(ENTRY_TTL_MS / 2)
    expect(peekSlot(world.globals)?.entries.size).toBe(1)
    world.time.advance(ENTRY_TTL_MS)
    expect([peekSlot(world.globals)?.entries.size, world.time.pending]).toEqual([0, 0])
  })

  it('is forgotten when more than the limit wait', async () => {
    const { encryptor } = await world.live()
    const first = encryptor.prepareInfer(toyAsk(['first']))
    for (let more = 0; more < ENTRY_LIMIT - 1; more++) encryptor.prepareInfer(toyAsk())
    expect((await post(first)).status).toBe(200)
    for (let more = 0; more < ENTRY_LIMIT; more++) encryptor.prepareInfer(toyAsk())
    expect((await post(first)).status).toBe(410)
  })

  it('passes the upstream\'s refusal through and breaks when the upstream breaks', async () => {
    const refusing = await toyUpstream(['{"error":"queued"}'], 409)
    const breaking = await serve((_seen, res) => { res.writeHead(200); res.write('data: half'); setImmediate(() => res.destroy()) })
    const { Encryptor } = await world.live()
    const reply = await post(new Encryptor(refusing.url).prepareInfer(toyAsk()))
    expect([reply.status, await reply.text()]).toEqual([409, '{"error":"queued"}'])
    const half = await post(new Encryptor(breaking.url).prepareInfer(toyAsk()))
    await expect(half.text()).rejects.toThrow()
    await Promise.all([refusing.close(), breaking.close()])
  })

  it('stops the upstream when the caller goes away', async () => {
    let closed: () => void = () => undefined
    const gone = new Promise<void>((resolve) => { closed = resolve })
    const endless = await serve((_seen, res) => { res.writeHead(200); res.write('data: x\n\n'); res.on('close', closed) })
    const { Encryptor } = await world.live()
    const cancel = new AbortController()
    const { url, headers, body } = new Encryptor(endless.url).prepareInfer(toyAsk())
    await fetch(url, { method: 'POST', headers, body, signal: cancel.signal })
    cancel.abort()
    await gone
    await endless.close()
  })
})

describe('goes the way it would have gone', () => {
  const direct = /^http:\/\/127\.0\.0\.1:\d+\/algo\//

  it('when no compactor is there to read it', async () => {
    const { shim, encryptor } = await world.live()
    world.compactor = false
    expect(encryptor.prepareInfer(toyAsk()).url).toMatch(direct)
    expect(shim.status()).toMatchObject({ intercepted: 0, fallback: 0 })
  })

  it('when the ask is strange, and the codec\'s own error stays its own', async () => {
    const { shim, encryptor } = await world.live()
    expect(encryptor.prepareInfer({ modelKey: 'm' }).url).toMatch(direct)
    const circular: Record<string, unknown> = toyAsk(['x'], { tools: [{}] })
    ;(circular.tools as unknown[]).push(circular)
    expect(() => encryptor.prepareInfer(circular)).toThrow(/circular/i)
    expect(() => encryptor.prepareInfer(null)).toThrow()
    expect(shim.status()).toMatchObject({ intercepted: 0, fallback: 3 })
  })

  it('when the port is taken', async () => {
    const taken = await serve(() => undefined)
    const { shim, encryptor } = await world.live({ port: taken.port })
    expect(encryptor.prepareInfer(toyAsk()).url).toMatch(direct)
    expect(shim.status()).toMatchObject({ installed: true, effective: false, port: taken.port, lastError: `port ${taken.port} is in use; requests go direct` })
    expect(shim.obstacle()).toBe('port')
    await taken.close()
    world.time.advance(60_000)
    shim.wake()
    await expect.poll(() => shim.effective()).toBe(true)
  })

  it('with its original messages when what comes back is in doubt', async () => {
    const { shim, encryptor } = await world.live()
    for (const [index, body] of ['no json', '{}', '{"messages":[]}', JSON.stringify({ messages: [{ role: 'user', content: 'POISON' }] })].entries()) {
      const request = encryptor.prepareInfer(toyAsk(['original']))
      expect((await post({ ...request, body })).status).toBe(200)
      expect(world.asked(index).history).toEqual([{ role: 'user', content: 'original' }])
    }
    expect(shim.status()).toMatchObject({ intercepted: 4, forwarded: 0, fallback: 4, lastError: 'the codec refused the rebuilt ask' })
  })

  it('through fetch when the direct connection cannot be made', async () => {
    const { shim, encryptor } = await world.live({ direct: () => Promise.reject(new Unreached('ENOTFOUND')) })
    expect(await (await post(encryptor.prepareInfer(toyAsk()))).text()).toContain('[DONE]')
    expect(shim.status()).toMatchObject({ forwarded: 1, fallback: 1, lastError: 'the direct connection failed (ENOTFOUND); sent through fetch' })
  })

  it('or fails with a plain reason when nothing can be done', async () => {
    const { shim, Encryptor, encryptor } = await world.live()
    const unreachable = await post(new Encryptor('http://127.0.0.1:1').prepareInfer(toyAsk()))
    expect([unreachable.status, await unreachable.json()]).toMatchObject([502, { error: { code: 'upstream_unreachable' } }])
    const refused = await post(encryptor.prepareInfer(toyAsk(['x'], { poison: true })))
    expect([refused.status, await refused.json()]).toMatchObject([502, { error: { code: 'encryption_failed' } }])
    expect(shim.status().lastError).toBe('the codec refused the ask')
  })
})

describe('at the door', () => {
  it('only requests of this machine to a known path pass', async () => {
    const { shim, encryptor } = await world.live()
    const { url } = encryptor.prepareInfer(toyAsk())
    const base = `http://127.0.0.1:${shim.status().port}`
    const status = async (target: string, init: RequestInit = {}) => (await fetch(target, { method: 'POST', body: '{}', ...init })).status
    expect(await status(`${base}/`)).toBe(404)
    expect(await status(`${base}/qoder/123/chat/completions`)).toBe(404)
    expect(await status(`${base}/qoder/${'0'.repeat(32)}/chat/completions`)).toBe(410)
    expect(await status(url, { method: 'PUT' })).toBe(405)
    expect(await status(url, { headers: { origin: 'http://example.test' } })).toBe(403)
    expect(await rawStatus(url, 'evil.test')).toBe(403)
    expect(await rawStatus(url, 'localhost')).toBe(200)
    expect(await status(`${url}/?bili=1`)).toBe(200)
  })
})

/** A request with a Host header of its own, which fetch does not allow. */
function rawStatus(url: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const req = request(url, { method: 'POST', headers: { host } }, (res) => { res.resume(); resolve(res.statusCode ?? 0) })
    req.on('error', reject)
    req.end('{}')
  })
}
