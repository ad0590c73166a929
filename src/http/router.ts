/** From a request to an operation of the table: path, method, checked input, handler, reply. Never throws, answers everything. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type * as z from 'zod'
import { api, API_PREFIX, BODY_LIMIT, type Operation, type OperationName } from '../contract/api.ts'
import type { Dispose, Log, Time } from '../ports.ts'
import { Disconnected, readJson } from './body.ts'
import { Fault, invalidInput, toFault } from './fault.ts'
import type { Handlers } from './handlers.ts'
import { problemsOf } from './problems.ts'
import { sendFault, sendJson, sendLines, sendTagged, taggedStatus, type Exchange } from './reply.ts'

export interface RouterDeps {
  readonly handlers: Handlers
  /** A status to refuse with, or null; see `createFence`. */
  readonly fence: (request: IncomingMessage) => number | null
  readonly time: Pick<Time, 'after'>
  readonly log: Log
}

export interface Router {
  /** Answers one request below {@link API_PREFIX}. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Refuses what comes from now on, cuts what is still being sent to us, and waits for answers under way. */
  close(): Promise<void>
}

interface Row { readonly name: OperationName; readonly operation: Operation; readonly segments: readonly string[] }
/** An answer that is not out by then is cut off: unloading must not wait for a slow reader. */
const CLOSE_MS = 1000

type Params = Readonly<Record<string, string>>

const TABLE: readonly Row[] = (Object.entries(api) as [OperationName, Operation][]).map(([name, operation]) => ({ name, operation, segments: operation.path.split('/').slice(1) }))

export function createRouter(deps: RouterDeps): Router {
  const { fence, time, log } = deps
  const live = new Map<Promise<void>, Exchange>()
  let closing: Promise<void> | null = null

  const close = async (): Promise<void> => {
    for (const { request } of live.values()) if (!request.complete) request.destroy()
    let stop: Dispose = () => undefined
    const late = new Promise<void>((resolve) => { stop = time.after(CLOSE_MS, resolve) })
    await Promise.race([Promise.all(live.keys()), late])
    stop()
    for (const { response } of live.values()) response.destroy()
  }

  const answer = async (exchange: Exchange): Promise<void> => {
    const { request } = exchange
    const refused = fence(request)
    if (refused !== null) {
      throw refused === 401 ? new Fault(401, 'UNAUTHORIZED', 'the host does not know this client')
        : new Fault(refused, 'FORBIDDEN', 'only pages and programs of this machine, or of a trusted host, may use this interface')
    }
    if (closing) throw new Fault(503, 'CLOSING', 'the plugin is shutting down')
    const { path, query } = locate(request.url)
    const { row, params } = find(path, request.method ?? '')
    const input = { params, query: checked(row.operation.query, query), body: await bodyOf(row.operation, request) }
    const handler = deps.handlers[row.name] as (input: unknown) => unknown
    const reply = await handler(input)
    if (row.operation.lines) await sendLines(exchange, reply as Iterable<string>, 'model-failover-metrics.jsonl')
    else if (row.name === 'status') sendTagged(exchange, taggedStatus(reply as Readonly<Record<string, unknown>>))
    else sendJson(exchange, 200, JSON.stringify(reply))
  }

  const guarded = async (exchange: Exchange): Promise<void> => {
    const { request, response } = exchange
    try { await answer(exchange) } catch (error) {
      if (error instanceof Disconnected) return
      const fault = toFault(error, `${request.method ?? ''} ${shownPath(request.url)}`, log)
      if (response.headersSent) response.destroy()
      else sendFault(exchange, fault)
    }
  }

  return {
    async handle(request, response) {
      // A connection that breaks is not an error of anybody here; without a listener it would end the process.
      request.on('error', () => undefined)
      response.on('error', () => undefined)
      const exchange = { request, response, quiet: request.method === 'HEAD', time }
      const work = guarded(exchange)
      live.set(work, exchange)
      await work.finally(() => { live.delete(work) })
    },
    close: () => (closing ??= close()),
  }
}

/** Decoded segments below the prefix, and the query with the first value of each name. */
function locate(url: string | undefined): { readonly path: readonly string[]; readonly query: Params } {
  let parsed: URL
  try { parsed = new URL(url ?? '/', 'http://localhost') } catch { throw new Fault(400, 'BAD_PATH', 'the address cannot be read') }
  const rest = `${parsed.pathname}/`.startsWith(`${API_PREFIX}/`) ? parsed.pathname.slice(API_PREFIX.length) : ''
  const parts = rest.replace(/\/$/, '').split('/').slice(1)
  let path: readonly string[]
  try { path = parts.map(decodeURIComponent) } catch { throw new Fault(400, 'BAD_PATH', 'the path holds a malformed percent escape') }
  const query: [string, string][] = []
  for (const name of new Set(parsed.searchParams.keys())) query.push([name, parsed.searchParams.get(name) ?? ''])
  return { path, query: Object.fromEntries(query) }
}

function find(path: readonly string[], method: string): { readonly row: Row; readonly params: Params } {
  const fitting = TABLE.map((row) => ({ row, params: match(row.segments, path) })).filter((found): found is { row: Row; params: Params } => found.params !== null)
  if (fitting.length === 0) throw new Fault(404, 'NO_SUCH_PATH', 'there is no such path')
  const wanted = method === 'HEAD' ? 'GET' : method
  const able = fitting.filter(({ row }) => row.operation.method === wanted)
  // A fixed path outranks one with a parameter, which may hold any text.
  const found = able.find(({ params }) => Object.keys(params).length === 0) ?? able[0]
  if (found) return found
  const methods: readonly string[] = fitting.map(({ row }) => row.operation.method)
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ')
  throw new Fault(405, 'METHOD_NOT_ALLOWED', `this path takes ${allow}`, undefined, { allow })
}

function match(segments: readonly string[], path: readonly string[]): Params | null {
  if (segments.length !== path.length) return null
  const params: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    const given = path[index] ?? ''
    if (segment.startsWith(':')) {
      if (given === '') return null
      params[segment.slice(1)] = given
    } else if (segment !== given) return null
  }
  return params
}

async function bodyOf(operation: Operation, request: IncomingMessage): Promise<unknown> {
  if (operation.method === 'GET' || operation.method === 'DELETE') return undefined
  return checked(operation.body, await readJson(request, operation.limit ?? BODY_LIMIT))
}

function checked(schema: z.ZodType, input: unknown): unknown {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw invalidInput(problemsOf(schema, parsed.error, input))
}

/** For the log: without the query, and short. */
function shownPath(url: string | undefined): string {
  return (url ?? '').split('?')[0]?.slice(0, 120) ?? ''
}
