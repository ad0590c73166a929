/** The typed way to the host half: one function for every operation, and the one shape of its failures. */
import type { Body, Query, Reply } from '../src/contract/api.ts'
import { PREFIX, paths } from './paths.ts'
import type { Used } from './paths.ts'

/** A refusal of the host half (`status` ≥ 400), or `OFFLINE` (`status` 0) when nothing answered. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export interface Input<N extends Used> {
  readonly body?: Body<N>
  readonly query?: Query<N>
  /** Stands behind the path of `DELETE /groups/:id`. */
  readonly id?: string
  readonly signal?: AbortSignal
  /** Asks only for what is newer than this tag. */
  readonly etag?: string | null
}

/** `value` is null when the host said that nothing changed since `etag`. */
export interface Answer<N extends Used> { readonly value: Reply<N> | null; readonly etag: string | null }

export interface Api {
  /** Throws an {@link ApiError}, or the abort itself. */
  ask<N extends Used>(name: N, input?: Input<N>): Promise<Answer<N>>
  call<N extends Used>(name: N, input?: Input<N>): Promise<Reply<N>>
}

/** Longer than any answer takes; one that never comes must not stop the polling. */
const TIMEOUT_MS = 30_000

function refusal(status: number, text: string): ApiError {
  try {
    const { code, message } = (JSON.parse(text) as { error: { code: string; message: string } }).error
    return new ApiError(status, code, message)
  } catch {
    // Not our refusal: a proxy or the host itself answered.
    const code = `HTTP_${status}`
    return new ApiError(status, code, /^\s*</.test(text) ? code : text.slice(0, 200))
  }
}

/** Makes the caller; `fetcher` is the page's fetch, or a fake of it. */
export function createApi(fetcher: typeof fetch): Api {
  const ask: Api['ask'] = async (name, input = {}) => {
    const { body, query, id, signal, etag } = input
    const [method = '', path = ''] = paths[name].split(' ')
    let reply: Response
    try {
      reply = await fetcher(`${PREFIX}${path.replace(':id', encodeURIComponent(id ?? ''))}${query ? `?${new URLSearchParams(query as Record<string, string>)}` : ''}`, {
        method,
        cache: 'no-store',
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...(etag ? { 'if-none-match': etag } : {}) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]),
      })
    } catch (error) {
      if (signal?.aborted) throw error
      throw new ApiError(0, 'OFFLINE', String(error))
    }
    if (reply.status === 304) return { value: null, etag: etag ?? null }
    const text = await reply.text()
    try {
      if (reply.ok) return { value: JSON.parse(text) as Reply<typeof name>, etag: reply.headers.get('etag') }
    } catch { /* a page in the place of our answer */ }
    throw refusal(reply.status, text)
  }
  return { ask, call: async (name, input) => (await ask(name, input)).value as Reply<typeof name> }
}
