/** The typed way to the host half: one function for every operation, and the one shape of its failures. */
import type { Body, OperationName, Query, Reply } from '../src/contract/api.ts'
import { PREFIX, paths } from './paths.ts'

/** A refusal of the host half (`status` ≥ 400), or `OFFLINE` (`status` 0) when nothing answered. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: unknown
  constructor(status: number, code: string, message: string, details?: unknown) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.details = details
  }
}

export interface CallInput<N extends OperationName> {
  readonly body?: Body<N>
  readonly query?: Query<N>
  /** Values for the `:name` parts of the path. */
  readonly params?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Calls an operation and answers its reply; throws an {@link ApiError} for everything but an abort. */
export type Call = <N extends OperationName>(name: N, input?: CallInput<N>) => Promise<Reply<N>>

/** What a conditional read brought: `null` when the host said that nothing changed. */
export interface Fresh<T> { readonly value: T | null; readonly etag: string | null }

export interface Api {
  readonly call: Call
  /** GET with If-None-Match; resolves with `value: null` on 304. */
  readonly unlessSame: <N extends OperationName>(name: N, etag: string | null, input?: CallInput<N>) => Promise<Fresh<Reply<N>>>
}

function address(name: OperationName, input: CallInput<OperationName>): string {
  const path = paths[name][1].replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(input.params?.[key] ?? ''))
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries((input.query ?? {}) as Record<string, unknown>)) if (typeof value === 'string') query.set(key, value)
  const tail = query.toString()
  return `${PREFIX}${path}${tail === '' ? '' : `?${tail}`}`
}

async function send(fetcher: typeof fetch, name: OperationName, input: CallInput<OperationName>, etag: string | null): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (input.body !== undefined) headers['content-type'] = 'application/json'
  if (etag !== null) headers['if-none-match'] = etag
  try {
    return await fetcher(address(name, input), {
      method: paths[name][0],
      headers,
      cache: 'no-store',
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      ...(input.signal ? { signal: input.signal } : {}),
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, 'OFFLINE', error instanceof Error ? error.message : String(error))
  }
}

function refusal(status: number, text: string): ApiError {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown; details?: unknown } }
    if (typeof error?.code === 'string' && typeof error.message === 'string') return new ApiError(status, error.code, error.message, error.details)
  } catch { /* not our refusal: a proxy or the host itself answered, shown as its status */ }
  return new ApiError(status, `HTTP_${status}`, text.slice(0, 200))
}

async function read(response: Response): Promise<unknown> {
  const text = await response.text()
  if (!response.ok) throw refusal(response.status, text)
  if (!(response.headers.get('content-type') ?? '').includes('json')) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new ApiError(response.status, 'BAD_REPLY', text.slice(0, 200))
  }
}

/** Makes the caller; `fetcher` is the page's fetch, or a fake of it. */
export function createApi(fetcher: typeof fetch): Api {
  return {
    call: async (name, input = {}) => await read(await send(fetcher, name, input, null)) as Reply<typeof name>,
    unlessSame: async (name, etag, input = {}) => {
      const response = await send(fetcher, name, input, etag)
      if (response.status === 304) return { value: null, etag }
      return { value: await read(response) as Reply<typeof name>, etag: response.headers.get('etag') }
    },
  }
}
