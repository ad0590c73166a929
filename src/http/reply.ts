/** Sending replies: JSON, lines, 304 and errors, with the headers every reply has. */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Time } from '../ports.ts'
import { Disconnected } from './body.ts'
import type { Fault } from './fault.ts'

const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
/** How long the rest of an unread body is thrown away, so that the sender finds the reply and not a broken connection. */
const LINGER_MS = 500

type Headers = Readonly<Record<string, string>>

/** One exchange; `quiet` (HEAD) sends headers only. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly quiet: boolean
  readonly time: Pick<Time, 'after'>
}

export function sendJson(exchange: Exchange, status: number, json: string, headers: Headers = {}): void {
  const { response, quiet } = exchange
  if (response.headersSent || response.destroyed) return
  linger(exchange)
  response.writeHead(status, { ...ALWAYS, 'content-type': 'application/json; charset=utf-8', 'content-length': String(Buffer.byteLength(json)), ...headers })
  response.end(quiet ? undefined : json)
}

export function sendFault(exchange: Exchange, fault: Fault): void {
  const error = { code: fault.code, message: fault.message, ...(fault.details === undefined ? {} : { details: fault.details }) }
  sendJson(exchange, fault.status, JSON.stringify({ error }), fault.headers)
}

/** JSON with a strong tag, or 304 when the asker has it already. */
export function sendTagged(exchange: Exchange, { body, tag }: Tagged): void {
  const asked = exchange.request.headers['if-none-match']
  const known = asked !== undefined && asked.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag)
  if (!known) { sendPieces(exchange, body(), { etag: tag }); return }
  linger(exchange)
  exchange.response.writeHead(304, { ...ALWAYS, etag: tag })
  exchange.response.end()
}

/** JSON that comes as bytes in pieces: nothing of a large reply is copied or encoded anew. */
function sendPieces(exchange: Exchange, pieces: readonly Uint8Array[], headers: Headers): void {
  const { response, quiet } = exchange
  if (response.headersSent || response.destroyed) return
  linger(exchange)
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  response.writeHead(200, { ...ALWAYS, 'content-type': 'application/json; charset=utf-8', 'content-length': String(length), ...headers })
  if (!quiet) for (const piece of pieces) response.write(piece)
  response.end()
}

/** JSON lines piece by piece, at the pace of the reader. Rejects when the source fails, with the connection cut, or with {@link Disconnected}. */
export async function sendLines(exchange: Exchange, lines: AsyncIterable<string> | Iterable<string>, fileName: string): Promise<void> {
  const { response, quiet } = exchange
  linger(exchange)
  response.writeHead(200, { ...ALWAYS, 'content-type': 'application/x-ndjson; charset=utf-8', 'content-disposition': `attachment; filename="${fileName}"` })
  if (quiet) { response.end(); return }
  try { await pipeline(Readable.from(lines, { objectMode: true, highWaterMark: 16 }), response) } catch (error) {
    throw isGone(error) ? new Disconnected('the reader went away') : error
  }
}

const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE'].includes(String(error.code))

/** After the reply to a request whose body was not read: drop what still comes, then close if it does not end. */
function linger({ request, response, time }: Exchange): void {
  if (request.complete || request.destroyed) return
  response.once('finish', () => {
    if (request.complete) return
    const stop = time.after(LINGER_MS, () => { request.destroy() })
    request.once('end', stop).once('close', stop).resume()
  })
}

interface Kept { readonly bytes: Uint8Array; readonly digest: string }
const kept = new WeakMap<object, Kept>()

/** A reply with its tag; its bytes are put together only when they are sent. */
export interface Tagged { readonly tag: string; readonly body: () => readonly Uint8Array[] }

/** Parts of the status that can be large, and are the same object until something in them changes. */
const LARGE: ReadonlySet<string> = new Set(['groups', 'failed'])

/**
 * The status reply and its tag. The tag leaves out `now`, which differs every time and means nothing by itself.
 * The bytes of a large part are kept with its object.
 */
export function taggedStatus(reply: Readonly<Record<string, unknown>>): Tagged {
  const hash = createHash('sha1')
  const pieces: (() => Uint8Array)[] = []
  let text = '{'
  for (const [key, value] of Object.entries(reply)) {
    const large = LARGE.has(key) && typeof value === 'object' && value !== null ? keptBytes(value) : null
    const json = large ? '' : JSON.stringify(value)
    if (json === undefined) continue
    text += `${text === '{' && pieces.length === 0 ? '' : ','}${JSON.stringify(key)}:${json}`
    if (large) {
      const before = text
      pieces.push(() => Buffer.from(before, 'utf8'), () => large.bytes)
      text = ''
    }
    if (key !== 'now') hash.update(key).update('\0').update(large ? large.digest : json).update('\0')
  }
  const rest = `${text}}`
  return { body: () => [...pieces.map((piece) => piece()), Buffer.from(rest, 'utf8')], tag: `"${hash.digest('base64url')}"` }
}

function keptBytes(value: object): Kept {
  const known = kept.get(value)
  if (known) return known
  const bytes = Buffer.from(JSON.stringify(value), 'utf8')
  const made = { bytes, digest: createHash('sha1').update(bytes).digest('base64url') }
  kept.set(value, made)
  return made
}
