/** What may come in at the shim: requests of this machine, to a known path, with a bounded body. */
import type { IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** Largest accepted body in bytes: long histories with images inlined. */
export const BODY_LIMIT = 64 * 1024 * 1024
const PATH = /^\/qoder\/([0-9a-f]{32})\/(?:v\d+\/)?chat\/completions\/?$/

export interface Refusal { readonly status: number; readonly code: string; readonly message: string }

/** Why a request is turned away before its body is read; null = it may pass. */
export function refusal(req: IncomingMessage): Refusal | null {
  if (!isLoopbackAddress(req.socket.remoteAddress)) return { status: 403, code: 'not_local', message: 'only requests of this machine are served' }
  if (!isLoopbackHost(req.headers.host)) return { status: 403, code: 'host_not_allowed', message: 'Host must name the loopback interface' }
  if (req.headers.origin !== undefined || req.headers['sec-fetch-site'] === 'cross-site') return { status: 403, code: 'origin_not_allowed', message: 'pages are not served' }
  if (requestId(req) === null) return { status: 404, code: 'not_found', message: 'no such path' }
  if (req.method !== 'POST') return { status: 405, code: 'method_not_allowed', message: 'use POST' }
  return null
}

/** The id in the path, null for any other path. A query, which a relay may add, does not matter. */
export function requestId(req: IncomingMessage): string | null {
  return PATH.exec((req.url ?? '').split('?', 1)[0] ?? '')?.[1] ?? null
}

/** The body as text; null when it is larger than {@link BODY_LIMIT} or cannot be decoded. Rejects when the sender breaks off. */
export async function readText(req: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of req as AsyncIterable<Buffer>) {
    size += part.length
    if (size <= BODY_LIMIT) parts.push(part)
  }
  if (size > BODY_LIMIT) return null
  try { return decoded(Buffer.concat(parts), req.headers['content-encoding']) } catch { return null /* the caller sends the original ask instead */ }
}

function decoded(body: Buffer, encoding: string | undefined): string | null {
  switch (encoding?.trim().toLowerCase() ?? 'identity') {
    case 'identity': case '': return body.toString('utf8')
    case 'gzip': case 'x-gzip': return gunzipSync(body, { maxOutputLength: BODY_LIMIT }).toString('utf8')
    case 'deflate': return inflateSync(body, { maxOutputLength: BODY_LIMIT }).toString('utf8')
    case 'br': return brotliDecompressSync(body, { maxOutputLength: BODY_LIMIT }).toString('utf8')
    default: return null
  }
}

function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d{1,5})?$/i.test(host)
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.|^::1$/.test(address)
}
