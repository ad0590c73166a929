// The real host as a child process, with the calls that the demo and the tests need.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { openFeed } from './feed.mts'
import type { Feed, SessionEvent } from './feed.mts'
import { hostEnv, hostScript } from './home.mts'
import type { Home } from './home.mts'
import { atExit } from './lifetime.mts'

/** A refusal of the host's own interface. */
export class RpcError extends Error {
  readonly code: string
  constructor(method: string, code: string, message: string) {
    super(`${method}: ${code} ${message}`)
    this.code = code
  }
}

/** How a turn ended. */
export interface Turn {
  /** `end` of the host's turn/end event, `completed` when all went well. */
  readonly end: string
  /** The text of the last answer. */
  readonly text: string
  /** Routes of the request headers logged during the turn, as `provider/model`. */
  readonly headers: readonly string[]
  /** All events of the turn. */
  readonly events: readonly SessionEvent[]
}

export interface Host {
  readonly url: string
  readonly pid: number
  readonly home: Home
  readonly feed: Feed
  /** Resolves with the exit code when the host has ended, whoever ended it. */
  readonly exited: Promise<number | null>
  /** Everything the host wrote to its error stream. */
  stderr(): string
  /** Calls the host's own interface; throws an RpcError when it refuses. */
  rpc<T = unknown>(method: string, payload?: unknown): Promise<T>
  /** Calls the plugin's interface; the path is relative to its prefix. */
  api(path: string, init?: { readonly method?: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }): Promise<{ readonly status: number; readonly body: unknown; readonly headers: Headers }>
  /** Makes a session in the home's workspace, or with the host's own parameters; answers its id. */
  createSession(options?: Readonly<Record<string, unknown>>): Promise<string>
  /** Queues a message without waiting for the turn. */
  prompt(sessionId: string, text: string): Promise<void>
  /** Resolves when the next turn of the session has ended. `from`: index in the feed to look from (default: now). */
  waitTurnEnd(sessionId: string, ms?: number, from?: number): Promise<Turn>
  /** Sends a message and waits for the end of its turn. */
  turn(sessionId: string, text: string, ms?: number): Promise<Turn>
  /** Ends the host by SIGTERM; answers its exit code (null when it had to be killed). */
  stop(): Promise<number | null>
  /** Ends the host at once, as a power cut would. */
  kill(): Promise<void>
}

export const API = '/api/model-failover'

interface Launched {
  readonly child: ChildProcess
  readonly url: string
  readonly ended: Promise<number | null>
  readonly stderr: () => string
}

/** Starts the web application and waits for the address it prints. */
async function launch(home: Home, env: Readonly<Record<string, string>>, port: number): Promise<Launched> {
  const child = spawn(process.execPath, [hostScript, 'web', '--no-open', '--port', String(port)], { cwd: home.work, env: hostEnv(home, env), stdio: ['ignore', 'pipe', 'pipe'] })
  const forget = atExit(() => child.kill('SIGKILL'))
  let out = ''
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => { err += text })
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      forget()
      resolve(code)
    })
  })
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`the host printed no address within 60 s\n${out}${err}`))
    }, 60_000)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(out)?.[0]
      if (!found) return
      clearTimeout(timer)
      resolve(found)
    })
    void ended.then((code) => {
      clearTimeout(timer)
      reject(new Error(`the host ended with ${code} before it was ready\n${out}${err}`))
    })
  })
  return { child, url, ended, stderr: () => err }
}

interface Reply {
  readonly result: { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } }
}

let calls = 0

async function rpc(url: string, method: string, payload: unknown): Promise<unknown> {
  calls += 1
  const body = JSON.stringify({ type: 'client-request', rpcId: `demo-${calls}`, method, payload })
  const reply = await fetch(`${url}/api/${method}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const text = await reply.text()
  if (!reply.ok) throw new RpcError(method, String(reply.status), text.slice(0, 500))
  const { result } = JSON.parse(text) as Reply
  if (!result.ok) throw new RpcError(method, result.error.code, result.error.message)
  return result.value
}

/** The parts of the host's events that are read here. */
interface EventData {
  readonly message?: { readonly content?: readonly { readonly type: string; readonly text?: string }[] }
  readonly header?: { readonly config?: { readonly provider: string; readonly model: string } }
  readonly reason?: { readonly kind: string }
}

/** The text blocks of an assistant message event. */
function answerText(event: SessionEvent | undefined): string {
  const { message } = (event?.data ?? {}) as EventData
  return (message?.content ?? []).filter(({ type }) => type === 'text').map(({ text }) => text ?? '').join('')
}

function headerRoute(event: SessionEvent): string {
  const { header } = event.data as EventData
  return `${header?.config?.provider ?? '?'}/${header?.config?.model ?? '?'}`
}

function toTurn(events: readonly SessionEvent[], end: SessionEvent): Turn {
  return {
    end: (end.data as EventData).reason?.kind ?? 'unknown',
    text: answerText(events.findLast(({ type }) => type === 'assistant/message')),
    headers: events.filter(({ type }) => type === 'request/header').map(headerRoute),
    events,
  }
}

/** Waits until something answers under the plugin's prefix, or two seconds: a host without the plugin is fine too. */
async function settle(url: string): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    const reply = await fetch(`${url}${API}/status`)
    await reply.arrayBuffer()
    if (reply.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Boots the host on a home that is ready. `env`: more variables; `port`: 0 = a free one; `plugin: false` = do not wait for the plugin. */
export async function bootHost(options: { readonly home: Home; readonly env?: Readonly<Record<string, string>>; readonly port?: number; readonly plugin?: boolean }): Promise<Host> {
  const { home } = options
  const { child, url, ended, stderr } = await launch(home, options.env ?? {}, options.port ?? 0)
  if (options.plugin !== false) await settle(url)
  const feed = await openFeed(url)
  // Without a workspace the page offers no message box.
  const { workspace } = await rpc(url, 'workspace.create', { path: home.work }) as { readonly workspace: { readonly workspaceId: string } }
  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    feed.close()
    child.kill(signal)
    const hard = setTimeout(() => child.kill('SIGKILL'), 10_000)
    const code = await ended
    clearTimeout(hard)
    return code
  }
  const host: Host = {
    url, home, feed, stderr,
    exited: ended,
    pid: child.pid ?? 0,
    rpc: async <T,>(method: string, payload: unknown = {}) => await rpc(url, method, payload) as T,
    api: async (path, init = {}) => {
      const reply = await fetch(`${url}${API}${path}`, {
        method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
        headers: { ...(init.body === undefined ? {} : { 'content-type': 'application/json' }), ...init.headers },
        ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
      })
      const text = await reply.text()
      const json = reply.headers.get('content-type')?.includes('application/json') === true
      return { status: reply.status, headers: reply.headers, body: json && text !== '' ? JSON.parse(text) as unknown : text }
    },
    createSession: async (session = { workspaceId: workspace.workspaceId }) => (await host.rpc<{ readonly sessionId: string }>('session.create', session)).sessionId,
    prompt: async (sessionId, text) => {
      await host.rpc('session.prompt', { sessionId, mode: 'queue', content: [{ type: 'text', text }] })
    },
    waitTurnEnd: async (sessionId, ms = 30_000, from = feed.events.length) => {
      const end = await feed.wait((event) => event.sessionId === sessionId && event.type === 'turn/end', 'end of the turn', ms, from)
      const until = feed.events.indexOf(end)
      return toTurn(feed.events.slice(from, until + 1).filter((event) => event.sessionId === sessionId), end)
    },
    turn: async (sessionId, text, ms) => {
      const from = feed.events.length
      await host.prompt(sessionId, text)
      return host.waitTurnEnd(sessionId, ms, from)
    },
    stop: () => stop('SIGTERM'),
    kill: async () => {
      await stop('SIGKILL')
    },
  }
  return host
}
