/**
 * The neighbours as small plugins for the real host: files under `plugins/` of a home and rows in its patch. They import
 * nothing, so a file address is enough, and each takes what it needs from its row's config.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse, stringify } from 'yaml'
import { put, SECRET } from './neighbours.ts'

/** Shared by all: an adapter with one model and no host retries, and the frames of an answer or a failure. */
const COMMON = `
const POLICY = { mode: 'normal', maxRetries: 0, retryableCodes: [], initialDelayMs: 1, maxDelayMs: 1, jitterRatio: 0 }
function adapter(id, model, stream, more = {}) {
  return {
    providerInfo: () => ({ id, name: id }), providerRetryPolicy: () => POLICY,
    listModels: async () => [{ provider: id, id: model, name: model }],
    resolveModel: async (provider, name) => ({ provider, id: name, name, context: { contextWindow: 200000 } }),
    async prepareCall(provider, name) { return { model: await this.resolveModel(provider, name), stream: (options) => this.stream(options) } },
    stream, ...more,
  }
}
function* answer(text) {
  yield { type: 'block-start', index: 0, blockType: 'text' }
  yield { type: 'text-delta', index: 0, text }
  yield { type: 'block-end', index: 0, block: { type: 'text', text } }
  yield { type: 'usage', usage: { inputTokens: 10, outputTokens: 5 } }
  yield { type: 'finish', reason: { kind: 'stop' } }
}
const failure = (code, message, status) => ({ type: 'finish', reason: { kind: 'error', failure: { code, message, ...(status ? { status } : {}) } } })
`

const SOURCES = {
  /** Provider \`free\` on a public pool. Config: accounts (ids in order), broken (ids that fail), code, message. */
  'account-pool': `${COMMON}
export const name = 'toy-account-pool'
export const inject = ['llm']
export function apply(ctx, { accounts = ['a', 'b'], broken = [], code = 'SERVER', message = '500: toy' } = {}) {
  const entries = accounts.map((id) => ({ id, provider: 'free', nickname: id, enabled: true, credentialRef: 'ref-' + id, modelRateLimits: {} }))
  const pool = {
    coolings: [],
    listAccountsByProvider: (provider) => entries.filter((entry) => entry.provider === provider),
    async getAvailableAccount(provider, model, exclude) {
      const entry = entries.find((one) => one.provider === provider && one.enabled && (one.modelRateLimits[model] ?? 0) <= Date.now() && !exclude?.has(one.id))
      return entry ? { entry, credential: '${SECRET}' } : null
    },
    async updateModelRateLimit(id, model, until) {
      pool.coolings.push({ id, model, until })
      const entry = entries.find((one) => one.id === id)
      if (entry) entry.modelRateLimits[model] = until
    },
  }
  ctx.llm.registerAdapter(['free'], adapter('free', 'free-1', async function* (options) {
    const chosen = await pool.getAvailableAccount('free', options.model)
    if (!chosen) yield failure('RATE_LIMIT', '429: no account left', 429)
    else if (broken.includes(chosen.entry.id)) yield failure(code, message)
    else yield* answer('from account ' + chosen.entry.id)
  }))
  ctx.provide('accountPool', pool)
}
`,
  /** Provider \`codearts\` with a private pool that is empty after the first load. Config: gone (a reload does not bring the provider back), text. */
  'dsh-codearts': `${COMMON}
export const name = 'llm-codearts'
export const inject = ['llm']
export function apply(ctx, { gone = false, text = 'codearts 当前没有可用账号（全部被禁用或冷却中），请稍后重试' } = {}) {
  globalThis.__toyCodeartsLoads = (globalThis.__toyCodeartsLoads ?? 0) + 1
  const load = globalThis.__toyCodeartsLoads
  if (load > 1 && gone) return
  ctx.llm.registerAdapter(['codearts'], adapter('codearts', 'glm', async function* () {
    if (load === 1) yield failure('RATE_LIMIT', '429: {"error":{"message":"' + text + '","type":"soft_rate"}}', 429)
    else yield* answer('healed at load ' + load)
  }))
}
`,
  /** A compactor that says it is active and shortens what passes through fetch. Config: keep (characters per message), verdict. */
  'billion-context': `
export const name = 'toy-compactor'
export function apply(ctx, { keep = 40, verdict = 'active' } = {}) {
  globalThis.__BILI_DSH_COMPACTION_VERDICT__ = verdict
  const before = globalThis.fetch
  const short = (message) => (message.role !== 'system' && typeof message.content === 'string' && message.content.length > keep ? { ...message, content: message.content.slice(0, keep) } : message)
  globalThis.fetch = async (input, init) => {
    const url = typeof input === 'string' ? input : input.url ?? String(input)
    if (verdict !== 'active' || !/\\/qoder\\/[^/]+\\/chat\\/completions$/.test(url)) return before(input, init)
    const body = JSON.parse(init.body)
    return before(input, { ...init, body: JSON.stringify({ ...body, messages: body.messages.map(short) }) })
  }
  ctx.effect(() => () => { globalThis.fetch = before; delete globalThis.__BILI_DSH_COMPACTION_VERDICT__ })
}
`,
  /** Provider \`qoder\` whose encryptor is handed out by a hook after a while. Config: upstream (URL), hookAfterMs (null = never). */
  'dsh-our-free-model': `${COMMON}
class QoderEncryptedInfer {
  constructor(host) { this.host = host; this.secret = '${SECRET}' }
  prepareInfer(ask) {
    const body = Buffer.from(JSON.stringify(ask), 'utf8').toString('base64').split('').reverse().join('')
    return { url: this.host + '/algo/api/v2/service/pro/sse/agent_chat_generation?Encode=1', headers: { Authorization: 'Bearer COSY.' + this.secret + '.sig', 'Content-Type': 'application/json' }, body }
  }
}
const textOf = (content) => typeof content === 'string' ? content : (content ?? []).filter((part) => part.type === 'text').map((part) => part.text).join('')
export const name = 'toy-qoder'
export const inject = ['llm']
export function apply(ctx, { upstream, hookAfterMs = 0 } = {}) {
  if (hookAfterMs !== null) {
    const timer = setTimeout(() => { globalThis.__mfQoderEncryptor = QoderEncryptedInfer }, hookAfterMs)
    ctx.effect(() => () => { clearTimeout(timer); delete globalThis.__mfQoderEncryptor })
  }
  ctx.llm.registerAdapter(['qoder'], adapter('qoder', 'dfmodel', async function* (options) {
    const history = options.messages.map((message) => ({ role: message.role, content: textOf(message.content) })).filter((message) => message.content !== '')
    const request = new QoderEncryptedInfer(upstream).prepareInfer({
      modelKey: options.model, userText: history.at(-1)?.content ?? '', systemText: options.system || undefined, history, tools: [], maxTokens: 4096, business: { type: 'agent' },
    })
    const reply = await this.fetchImpl(request.url, { method: 'POST', headers: new Headers(request.headers), body: request.body, signal: options.signal })
    if (!reply.ok) yield failure('SERVER', reply.status + ': ' + await reply.text(), reply.status)
    else yield* answer((await reply.text()).trim())
  }, { fetchImpl: (...args) => fetch(...args) }))
}
`,
} as const

export type NeighbourName = keyof typeof SOURCES

/**
 * Puts neighbours into a home that is ready but not running, each with its row's config; other rows of the home's patch
 * stay. The row id is the neighbour's name.
 */
export function installNeighbours(home: { readonly path: string }, neighbours: Readonly<Partial<Record<NeighbourName, unknown>>>): void {
  const file = join(home.path, 'cordis.patch.yml')
  const rows: unknown = existsSync(file) ? parse(readFileSync(file, 'utf8')) : []
  const insert = (Object.keys(neighbours) as NeighbourName[]).map((name) => {
    const path = put(home.path, `plugins/${name}/index.mjs`, SOURCES[name])
    return { id: name, name: pathToFileURL(path).href, config: neighbours[name] ?? {} }
  })
  writeFileSync(file, stringify([...(Array.isArray(rows) ? rows as unknown[] : []), { insert }]))
}
