// A scripted upstream: several OpenAI-compatible providers behind one loopback port, whose models fail as they are told to.
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { FAULTS } from '../../src/contract/faults.ts'
import type { FaultId } from '../../src/contract/faults.ts'
import { DEMO_PROVIDERS } from './catalogue.ts'
import type { DemoProvider } from './catalogue.ts'
import { perform, purposeOf } from './chat.ts'
import type { ChatRequest } from './chat.ts'
import { createScript } from './script.ts'
import type { Order, Purpose, Script } from './script.ts'

/** One chat completion request that arrived. */
export interface Call {
  readonly provider: string
  readonly model: string
  readonly purpose: Purpose
  readonly fault: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly messages: number
  readonly tools: number
  /** The request as it came, for comparisons. */
  readonly body: ChatRequest
  /** True as soon as the client went away before the reply was complete. */
  gone: boolean
}

export interface Upstream {
  /** Address without a trailing slash; a provider's base URL is `${url}/${provider}/v1`. */
  readonly url: string
  readonly providers: readonly DemoProvider[]
  /** Every call so far, oldest first. */
  readonly log: readonly Call[]
  /** Replaces the orders of a route; see Script. */
  readonly set: Script['set']
  /** Forgets orders and calls. */
  clear(): void
  /** `provider/model` of each call of that purpose, oldest first. */
  routes(purpose?: Purpose): string[]
  /** Ends every connection and the server. */
  close(): Promise<void>
}

function refuse(res: ServerResponse, status: number, message: string): void {
  res.writeHead(status, { 'content-type': 'application/json' })
  res.end(JSON.stringify({ error: { message } }))
}

function send(res: ServerResponse, value: unknown): void {
  res.writeHead(200, { 'content-type': 'application/json' })
  res.end(JSON.stringify(value))
}

async function readJson(req: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part as Buffer)
  return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown
}

/** A route and its order, as `POST /control` takes it. */
interface Command extends Order {
  readonly provider: string
  readonly model: string
  readonly faults?: readonly FaultId[]
}

/**
 * Starts the upstream on 127.0.0.1.
 * @param options `providers`: catalogue to offer; `port`: 0 = a free one; `script`: orders by `provider/model`.
 */
export async function startUpstream(options: {
  readonly providers?: readonly DemoProvider[]
  readonly port?: number
  readonly script?: Readonly<Record<string, Parameters<Script['set']>[2]>>
} = {}): Promise<Upstream> {
  const providers = options.providers ?? DEMO_PROVIDERS
  const script = createScript()
  const log: Call[] = []
  const lifetime = new AbortController()
  for (const [route, orders] of Object.entries(options.script ?? {})) {
    const cut = route.indexOf('/')
    script.set(route.slice(0, cut), route.slice(cut + 1), orders)
  }

  async function chat(provider: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readJson(req) as ChatRequest
    const purpose = purposeOf(body)
    const { fault, tool } = script.next(provider, body.model, purpose)
    const call: Call = { provider, model: body.model, purpose, fault: fault.id, at: Date.now(), messages: body.messages?.length ?? 0, tools: body.tools?.length ?? 0, body, gone: false }
    log.push(call)
    const gone = new AbortController()
    res.once('close', () => {
      call.gone = !res.writableFinished
      gone.abort()
    })
    await perform(res, { provider, request: body, purpose, fault, tool, signal: AbortSignal.any([gone.signal, lifetime.signal]) })
  }

  async function control(req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
    if (req.method === 'GET' && path === '/control/log') return send(res, { calls: log.map(({ body, ...call }) => call) })
    if (req.method === 'GET' && path === '/control') return send(res, { faults: FAULTS.map(({ id, title }) => ({ id, title })), providers })
    if (req.method === 'DELETE' && path === '/control') {
      script.clear()
      return send(res, { ok: true })
    }
    if (req.method !== 'POST' || path !== '/control') return refuse(res, 404, 'POST /control {provider, model, fault, times?, purpose?}, DELETE /control, GET /control, GET /control/log')
    const command = await readJson(req) as Command
    if (typeof command.provider !== 'string' || typeof command.model !== 'string') return refuse(res, 400, 'provider and model must be texts')
    script.set(command.provider, command.model, command.faults ?? command)
    return send(res, { ok: true })
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = new URL(req.url ?? '/', 'http://upstream').pathname
    if (path === '/control' || path.startsWith('/control/')) return control(req, res, path)
    const [, id = '', ...rest] = path.split('/')
    const provider = providers.find((one) => one.id === id)
    if (!provider) return refuse(res, 404, `no provider ${JSON.stringify(id)}; known: ${providers.map((one) => one.id).join(', ')}`)
    const tail = rest.filter((part) => part !== 'v1').join('/')
    if (req.method === 'GET' && tail === 'models') return send(res, { object: 'list', data: provider.models.map((model) => ({ id: model.id, object: 'model', created: 0, owned_by: id })) })
    if (req.method === 'POST' && tail === 'chat/completions') return chat(id, req, res)
    return refuse(res, 404, `nothing at ${path}`)
  }

  const server = createServer((req, res) => {
    handle(req, res).catch((error: unknown) => {
      // A client that left mid-answer is the caller's business; anything else is a bad request or a bug worth seeing.
      if (res.destroyed || lifetime.signal.aborted) return
      if (res.headersSent) res.destroy()
      else refuse(res, 400, error instanceof Error ? error.message : String(error))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port')

  return {
    url: `http://127.0.0.1:${address.port}`,
    providers,
    log,
    set: (provider, model, orders) => script.set(provider, model, orders),
    clear: () => {
      script.clear()
      log.length = 0
    },
    routes: (purpose = 'chat') => log.filter((call) => call.purpose === purpose).map((call) => `${call.provider}/${call.model}`),
    close: () => new Promise<void>((resolve) => {
      lifetime.abort()
      server.close(() => resolve())
      server.closeAllConnections()
    }),
  }
}
