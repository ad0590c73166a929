/**
 * The two ends of the detour. `intercept` turns an encrypted request into a plain one to this machine; `handle` takes
 * it back once a compactor has seen it, encrypts it and passes the upstream's reply through byte by byte. Wherever
 * anything is in doubt the request goes the way it would have gone without us.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { Dispose, Time } from '../../../ports.ts'
import { plainRequest, readAsk, messagesOf, rebuild } from './ask.ts'
import { compare } from './exchange.ts'
import { refusal, requestId, readText } from './inbound.ts'
import { ENTRY_TTL_MS, keepPrepared, recall, remember, sweep, type Entry, type Implementation, type Slot } from './slot.ts'
import { codeOf, readPrepared, Unreached, type Prepared, type Reply, type Transport } from './upstream.ts'

/** Round trips kept for `/status`. */
export const EXCHANGE_LIMIT = 6

export interface RelayParts {
  readonly slot: Slot
  readonly time: Time
  /** True while a compactor could read the plain request; false = nothing to gain, so go direct. */
  worthwhile(): boolean
  readonly direct: Transport
  readonly viaFetch: Transport
}

const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-authenticate', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'])

/** The implementation one load of the plugin puts into the slot. */
export function createRelay(parts: RelayParts): Implementation {
  const { slot, time } = parts
  const { counters } = slot
  let sweeping: Dispose | null = null

  /** Histories are large, so they must not wait for the next request to be forgotten. */
  function sweepLater(): void {
    sweeping ??= time.after(ENTRY_TTL_MS, () => {
      sweeping = null
      sweep(slot, time.mono())
      if (slot.entries.size > 0) sweepLater()
    })
  }

  function fellBack(why: string): void {
    counters.fallback++
    counters.lastError = why
    counters.lastAt = time.now()
  }

  function intercept(encryptor: unknown, original: Entry['original'], args: readonly unknown[]): unknown {
    const straight = (): unknown => Reflect.apply(original, encryptor, [...args])
    if (slot.port === null || !parts.worthwhile()) return straight()
    let detour: unknown
    try { detour = reroute(encryptor, original, args, slot.port) } catch (error) { fellBack(`the ask could not be written as a plain request (${codeOf(error)})`); return straight() }
    return detour ?? straight()
  }

  function reroute(encryptor: unknown, original: Entry['original'], args: readonly unknown[], port: number): Prepared | null {
    const [first, ...rest] = args
    const ask = readAsk(first)
    if (!ask) { fellBack('the ask has an unknown shape'); return null }
    const body = JSON.stringify(plainRequest(ask))
    const id = randomBytes(16).toString('hex')
    remember(slot, id, { encryptor, original, ask, rest, usedAt: time.mono(), sent: null }, time.mono())
    sweepLater()
    counters.intercepted++
    counters.lastAt = time.now()
    return { url: `http://127.0.0.1:${port}/qoder/${id}/chat/completions`, headers: { 'Content-Type': 'application/json' }, body }
  }

  function encrypt(entry: Entry, ask: unknown): Prepared | null {
    return readPrepared(Reflect.apply(entry.original, entry.encryptor, [ask, ...entry.rest]))
  }

  /** The encrypted request for a body that came back, and whether it carries what came back. */
  function prepare(entry: Entry, text: string | null): { readonly prepared: Prepared; readonly faithful: boolean } | null {
    const digest = createHash('sha256').update(text ?? '').digest('hex')
    if (entry.sent?.digest === digest) return { prepared: entry.sent.prepared, faithful: true }
    const rebuilt = text === null ? { kind: 'doubt' as const, why: 'the body that came back is too large' } : rebuild(entry.ask, parse(text))
    if (rebuilt.kind === 'doubt') fellBack(rebuilt.why)
    else {
      const prepared = attempt(() => encrypt(entry, rebuilt.ask))
      if (prepared) {
        note(entry, rebuilt.messages)
        keepPrepared(slot, entry, digest, prepared)
        return { prepared, faithful: true }
      }
      fellBack('the codec refused the rebuilt ask')
    }
    const prepared = attempt(() => encrypt(entry, entry.ask))
    return prepared && { prepared, faithful: false }
  }

  function note(entry: Entry, messages: Parameters<typeof compare>[1]): void {
    const exchange = compare(messagesOf(entry.ask), messages)
    if (exchange.changed) counters.compacted++
    if (exchange.contentShrank) counters.folded++
    counters.exchanges = [exchange, ...counters.exchanges].slice(0, EXCHANGE_LIMIT)
  }

  async function send(prepared: Prepared, signal: AbortSignal): Promise<Reply> {
    try { return await parts.direct(prepared, signal) } catch (error) {
      if (!(error instanceof Unreached) || signal.aborted) throw error
      fellBack(`the direct connection failed (${error.code}); sent through fetch`)
      return await parts.viaFetch(prepared, signal)
    }
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const id = requestId(req)
    const entry = id === null ? null : recall(slot, id, time.mono())
    if (!entry) {
      fellBack('a request came with an unknown or expired id')
      req.resume()
      answer(res, 410, 'request_gone', 'this request id is unknown or has expired; ask again')
      return
    }
    const text = await readText(req)
    const ready = prepare(entry, text)
    if (!ready) {
      counters.lastError = 'the codec refused the ask'
      answer(res, 502, 'encryption_failed', 'the request could not be encrypted')
      return
    }
    const gone = new AbortController()
    res.on('close', () => { if (!res.writableFinished) gone.abort() })
    counters.lastAt = time.now()
    let reply: Reply
    try { reply = await send(ready.prepared, gone.signal) } catch (error) {
      counters.lastError = `the upstream could not be reached (${codeOf(error)})`
      answer(res, 502, 'upstream_unreachable', `fetch failed: ${codeOf(error)}`)
      return
    }
    if (ready.faithful) counters.forwarded++
    pass(reply, res)
  }

  return {
    intercept,
    handle(req, res) {
      const refused = refusal(req)
      if (refused) { req.resume(); answer(res, refused.status, refused.code, refused.message); return }
      serve(req, res).catch((error: unknown) => {
        counters.lastError = `a rerouted request broke off (${codeOf(error)})`
        if (res.headersSent) res.destroy()
        else answer(res, 502, 'relay_failed', 'the request could not be carried on')
      })
    },
  }
}

/** Status, headers and bytes as they came; a broken upstream breaks the reply too, so nobody takes it for complete. */
function pass(reply: Reply, res: ServerResponse): void {
  const headers = Object.entries(reply.headers).filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()))
  res.writeHead(reply.status, Object.fromEntries(headers))
  res.flushHeaders()
  pipeline(reply.body, res, () => undefined)
}

function answer(res: ServerResponse, status: number, code: string, message: string): void {
  if (res.headersSent || res.destroyed) return
  res.writeHead(status, { 'Content-Type': 'application/json' })
  res.end(JSON.stringify({ error: { code, message, type: code } }))
}

function attempt<T>(work: () => T): T | null {
  try { return work() } catch { return null /* the caller falls back and says why */ }
}

function parse(text: string): unknown {
  try { return JSON.parse(text) } catch { return null /* rebuild names the doubt */ }
}
