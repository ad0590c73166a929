/** Sends an encrypted request to its own address: headers as the codec made them, the reply as a raw stream. */
import { request as plain, type IncomingMessage } from 'node:http'
import { request as secure } from 'node:https'
import { Readable } from 'node:stream'

/** What the codec gives. The headers are signed, so none is renamed, replaced or left out. */
export interface Prepared { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string }
export interface Reply { readonly status: number; readonly headers: Readonly<Record<string, string | string[]>>; readonly body: Readable }
/** Sends and gives the reply once its headers are there. Rejects with {@link Unreached} when nothing was sent. */
export type Transport = (prepared: Prepared, signal: AbortSignal) => Promise<Reply>

/** No byte of the request left this machine: another way may be tried without asking twice. */
export class Unreached extends Error {
  readonly code: string
  constructor(code: string) {
    super('the upstream was not reached')
    this.name = 'Unreached'
    this.code = code
  }
}

/** The codec's output if it has the right shape, else null. */
export function readPrepared(value: unknown): Prepared | null {
  if (typeof value !== 'object' || value === null) return null
  const { url, headers, body } = value as Partial<Record<keyof Prepared, unknown>>
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || typeof body !== 'string') return null
  const pairs = headers instanceof Headers || headers instanceof Map ? [...headers.entries()] : typeof headers === 'object' && headers !== null ? Object.entries(headers) : null
  if (!pairs?.every(([name, text]) => typeof name === 'string' && typeof text === 'string')) return null
  return { url, body, headers: Object.fromEntries(pairs as [string, string][]) }
}

/** Straight over node:https (node:http for an http address). */
export const direct: Transport = (prepared, signal) => new Promise((resolve, reject) => {
  const url = new URL(prepared.url)
  const request = (url.protocol === 'https:' ? secure : plain)(url, { method: 'POST', headers: withDefaults(prepared), signal })
  let connected = false
  request.on('socket', (socket) => {
    connected = request.reusedSocket
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => { connected = true })
  })
  request.on('error', (error) => {
    reject(connected || signal.aborted ? error : new Unreached(codeOf(error)))
  })
  request.on('response', (response: IncomingMessage) => {
    resolve({ status: response.statusCode ?? 502, headers: present(response.headers), body: response })
  })
  request.end(prepared.body)
})

/** Through the `fetch` of this process, which knows the user's proxies; the body arrives decoded. */
export const viaFetch: Transport = async (prepared, signal) => {
  const { 'Content-Length': _length, ...given } = withDefaults(prepared)
  const reply = await fetch(prepared.url, { method: 'POST', headers: given, body: prepared.body, signal })
  const headers = Object.fromEntries([...reply.headers].filter(([name]) => name !== 'content-encoding' && name !== 'content-length'))
  return { status: reply.status, headers, body: reply.body ? Readable.fromWeb(reply.body) : Readable.from([]) }
}

/** Only what the sender itself would add, and only where the codec left it open. */
function withDefaults({ headers, body }: Prepared): Record<string, string> {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  return {
    ...headers,
    ...(given.has('accept') ? {} : { Accept: 'text/event-stream' }),
    ...(given.has('content-length') ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
  }
}

function present(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string | string[]] => pair[1] !== undefined))
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code) ? error.code : 'no code'
}
