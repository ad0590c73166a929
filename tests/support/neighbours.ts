/** Neighbour plugins as toys, in this process: an account pool, an encryptor, its upstream, a compactor and bundles. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AddressInfo } from 'node:net'
import type { Log } from '../../src/ports.ts'

/** Stands for every credential a neighbour holds. It must reach its upstream and nothing else. */
export const SECRET = 'SECRET-mark-0d5f2b7a'

/* ---- account pool ---- */

export interface ToyAccount { readonly id: string; readonly provider: string; enabled: boolean; modelRateLimits: Record<string, number> }
export interface ToyPool {
  readonly accounts: ToyAccount[]
  /** `account model until` of each cooling, in order. */
  readonly coolings: { readonly id: string; readonly model: string; readonly until: number }[]
  listAccountsByProvider(provider: string): readonly ToyAccount[]
  getAvailableAccount(provider: string, model: string, exclude?: ReadonlySet<string>): Promise<{ entry: ToyAccount; readonly credential: string } | null>
  updateModelRateLimit(id: string, model: string, until: number): Promise<void>
}

/** A pool with these accounts of one provider. `touched` is called when somebody reads a credential. */
export function toyPool(provider: string, ids: readonly string[], options: { readonly now: () => number; readonly touched?: () => void; readonly exclusion?: boolean }): ToyPool {
  const accounts: ToyAccount[] = ids.map((id) => ({ id, provider, enabled: true, modelRateLimits: {} }))
  const coolings: ToyPool['coolings'] = []
  return {
    accounts, coolings,
    listAccountsByProvider: (name) => accounts.filter((account) => account.provider === name),
    async getAvailableAccount(name, model, exclude) {
      const entry = accounts.find((one) => one.provider === name && one.enabled && (one.modelRateLimits[model] ?? 0) <= options.now()
        && !(options.exclusion !== false && exclude?.has(one.id)))
      if (!entry) return null
      return { entry, get credential() { options.touched?.(); return SECRET } }
    },
    async updateModelRateLimit(id, model, until) {
      coolings.push({ id, model, until })
      const entry = accounts.find((one) => one.id === id)
      if (entry) entry.modelRateLimits[model] = until
    },
  }
}

/* ---- encryptor ---- */

export interface ToyRequest { readonly url: string; readonly headers: Record<string, string>; readonly body: string }
export interface ToyEncryptor { prepareInfer(ask: unknown): ToyRequest }
export type ToyEncryptorClass = new (host: string) => ToyEncryptor

/** A fresh class each time, as two copies of a package have two. The body is scrambled, the header signed. */
export function toyEncryptorClass(): ToyEncryptorClass {
  return class QoderEncryptedInfer implements ToyEncryptor {
    readonly host: string
    readonly secret = SECRET
    constructor(host: string) { this.host = host }
    prepareInfer(ask: { readonly modelKey: string; readonly history?: readonly unknown[]; readonly poison?: boolean }): ToyRequest {
      if (ask.poison) throw new Error(`codec failed with ${this.secret}`)
      if (ask.history?.some((message) => JSON.stringify(message).includes('POISON'))) throw new Error(`codec failed with ${this.secret}`)
      const body = scramble(JSON.stringify(ask))
      const signature = createHmac('sha256', this.secret).update(body).digest('hex')
      return {
        url: `${this.host}/algo/api/v2/service/pro/sse/agent_chat_generation?Encode=1`,
        headers: { 'Authorization': `Bearer COSY.${this.secret}.${signature}`, 'Cosy-Key': ask.modelKey, 'Content-Type': 'application/json' },
        body,
      }
    }
  }
}

const mirrored = (text: string): string => text.split('').reverse().join('')
export const scramble = (text: string): string => mirrored(Buffer.from(text, 'utf8').toString('base64'))
export const unscramble = (text: string): string => Buffer.from(mirrored(text), 'base64').toString('utf8')

/** An ask as an adapter makes it. */
export function toyAsk(texts: readonly string[] = ['hello'], extra: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const history = texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }))
  return {
    modelKey: 'dfmodel', userText: texts.at(-1) ?? '', systemText: 'be short', history, isReasoning: false,
    tools: [{ type: 'function', function: { name: 'read', parameters: {} } }], maxTokens: 4096, business: { type: 'agent' }, ...extra,
  }
}

/* ---- servers ---- */

export interface Seen { readonly url: string; readonly headers: IncomingMessage['headers']; readonly raw: readonly string[]; readonly body: string }
export interface ToyServer { readonly url: string; readonly port: number; readonly seen: Seen[]; close(): Promise<void> }

/** The upstream of the toy encryptor: answers an event stream in pieces, with a header of its own. */
export function toyUpstream(pieces: readonly string[] = ['data: one\n\n', 'data: [DONE]\n\n'], status = 200): Promise<ToyServer> {
  return serve(async (_seen, res) => {
    res.writeHead(status, { 'content-type': 'text/event-stream', 'x-upstream': 'toy' })
    for (const piece of pieces) { res.write(piece); await new Promise((resolve) => { setImmediate(resolve) }) }
    res.end()
  })
}

/** A compactor in the manner of a fetch-level relay: shortens long messages and adds a system preamble, then passes on. */
export function compacting(keep = 20): (input: string, init: { readonly body: string; readonly headers?: Record<string, string> }) => Promise<Response> {
  return async (input, init) => {
    if (!input.endsWith('/chat/completions')) return fetch(input, { method: 'POST', ...init })
    const body = JSON.parse(init.body) as { messages: { role: string; content: string }[] }
    const messages = body.messages.map((message) => (message.role === 'system' ? { ...message, content: `[compactor] ${message.content}` }
      : message.content.length > keep ? { ...message, content: `<acp>${message.content.slice(0, keep)}</acp>` } : message))
    return fetch(input, { ...init, method: 'POST', body: JSON.stringify({ ...body, messages }) })
  }
}

export function serve(answer: (seen: Seen, res: ServerResponse) => unknown): Promise<ToyServer> {
  const seen: Seen[] = []
  const server = createServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part))
    req.on('end', () => {
      const one: Seen = { url: req.url ?? '', headers: req.headers, raw: req.rawHeaders, body: Buffer.concat(parts).toString('utf8') }
      seen.push(one)
      void answer(one, res)
    })
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      resolve({ url: `http://127.0.0.1:${port}`, port, seen, close: () => new Promise((done) => { server.closeAllConnections(); server.close(() => { done() }) }) })
    })
  })
}

/* ---- bundles on disk ---- */

/** The text of a bundle in the manner of esbuild, with or without the hook line. */
export function bundleText(options: { readonly hook?: string; readonly twice?: boolean; readonly lazy?: boolean } = {}): string {
  const body = '{\n  constructor(g) { this.g = g; }\n  static async create(o) { return new this(o); }\n  prepareInfer(ask) {\n    return { url: "", headers: {}, body: `${ask.modelKey}` };\n  }\n}'
  const one = options.lazy ? `var QoderEncryptedInfer;\nvar init = () => {\n  QoderEncryptedInfer = class _QoderEncryptedInfer ${body};\n};\ninit();` : `class QoderEncryptedInfer ${body}`
  return `// Generated, do not edit.\nvar tag = /{class QoderEncryptedInfer/;\nclass Other { go() {} }\n${one}\n${options.twice ? `var again = class QoderEncryptedInfer ${body};\n` : ''}${options.hook ?? ''}\nexport { Other };\n`
}

/** Writes a file with its folders; answers the path. */
export function put(root: string, path: string, text: string): string {
  const target = join(root, path)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
  return target
}

export const PROFILE_BUNDLE = 'profiles/web/node_modules/dsh-our-free-model/vendor/channel-pack/pack.js'
export const PLUGIN_BUNDLE = 'plugins/dsh-our-free-model/vendor/channel-pack/pack.js'
export const CODEC = 'profiles/web/node_modules/dsh-codearts-auth/lib/qoder-wasm.js'

/** A log that keeps its lines as one text. */
export function keptLog(): Log & { text(): string } {
  const lines: string[] = []
  const keep = (...facts: readonly unknown[]): void => { lines.push(facts.map(String).join(' ')) }
  return { info: keep, warn: keep, error: keep, text: () => lines.join('\n') }
}
