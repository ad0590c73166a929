// The whole host half in one process: the real framework, doubles of the host's services and loop, time under the test's hand, real files.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Context } from '@deepseek-ai/cordis'
import { inject, mount, name } from '../../../host.mts'
import type { Entry } from '../../../src/contract/route.ts'
import type { SessionRecord } from '../../../src/contract/group.ts'
import type { HostContext } from '../../../src/host/shapes.ts'
import { ManualTime } from '../manual-time.ts'
import { breathe, StageAgent, type AgentOptions } from './agent.ts'
import type { StageGoals } from './goals.ts'
import { apiProxyHost, controllerHost, modelSelectHost, type Generation } from './hosts.ts'
import { named, StageLlm, type StageModel } from './models.ts'
import { StageSession, type SessionHeader, type StageEvent } from './session.ts'

/** The part of a framework's root context that the stage uses. */
export interface Root {
  plugin(plugin: object, config?: unknown): PromiseLike<unknown> & { dispose(): Promise<void> }
  provide(service: string, value: unknown): unknown
  on(event: string, listener: (...args: never[]) => unknown, options?: { readonly prepend?: boolean }): unknown
  emit(event: string, ...args: readonly unknown[]): void
  serial(event: string, ...args: readonly unknown[]): Promise<unknown>
  waterfall(...args: readonly unknown[]): unknown
  readonly events: { readonly _hooks: Readonly<Record<string, readonly unknown[]>> }
  readonly logger: { exporter(exporter: { readonly levels: Readonly<Record<string, number>>; export(line: LogLine): void }): unknown }
}

export type EntryInput = string | (Partial<Entry> & { readonly route: string })

export interface StageOptions {
  /** `api-proxy` is the host that was run; the other two were never compared with a real one. */
  readonly host?: 'api-proxy' | 'controller' | 'model-select' | 'model-select-early'
  readonly framework?: () => Root
  readonly routes?: Readonly<Record<string, StageModel>>
  /** Groups by id; entries in order of priority. */
  readonly groups?: Readonly<Record<string, readonly EntryInput[]>>
  readonly defaultBinding?: { readonly groupId: string; readonly mode: 'route' | 'failover' } | null
  readonly row?: unknown
  readonly env?: Readonly<Record<string, string>>
  /** A home that an earlier stage left. */
  readonly home?: string
  readonly start?: number
  readonly goals?: StageGoals
  /** More services of the host. */
  readonly services?: Readonly<Record<string, unknown>>
  /** Chance; the middle when absent. */
  readonly random?: () => number
  /** Hears the host's log. */
  readonly listen?: (line: LogLine) => void
}

export interface LogLine { readonly type: string; readonly args: readonly unknown[] }

export interface TurnResult { readonly end: string; readonly text: string; readonly routes: readonly string[]; readonly events: readonly StageEvent[] }

const ROUTES = { 'alpha/a-1': {}, 'alpha/a-2': {}, 'beta/b-1': {}, 'beta/b-2': {}, 'gamma/c-1': {} }

export class Stage {
  readonly home: string
  readonly time: ManualTime
  readonly llm: StageLlm
  readonly root: Root
  readonly generation: Generation
  readonly goals: StageGoals | null
  readonly agents = new Map<string, StageAgent>()
  /** The plugin's own events. */
  readonly told: { readonly name: string; readonly data: unknown }[] = []
  readonly #options: StageOptions
  #plugin: { dispose(): Promise<void> } | null = null
  #handlers = new Map<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>()
  #server: Server | null = null
  #count = 0

  constructor(options: StageOptions) {
    this.#options = options
    this.home = options.home ?? mkdtempSync(join(tmpdir(), 'mf-stage-'))
    this.time = new ManualTime(options.start)
    this.root = options.framework?.() ?? new Context()
    this.llm = new StageLlm((runtime, call, next) => this.root.waterfall(runtime, 'llm/stream', call, next) as ReturnType<typeof next>, options.routes ?? ROUTES)
    this.llm.changed = () => this.root.emit('llm/adapters-updated')
    this.goals = options.goals ?? null
    this.generation = generationOf(options.host ?? 'api-proxy', this)
    if (options.listen) this.root.logger.exporter({ levels: { default: 3 }, export: options.listen })
    this.#provide()
    if (options.home === undefined) this.#writeFiles()
  }

  #provide(): void {
    const { root, agents } = this
    root.provide('agents', { get: (id: string) => agents.get(id), list: () => [...agents.values()], roots: () => [...agents.values()].filter(({ session }) => session.header.parentSession === undefined) })
    root.provide('llm', this.llm)
    root.provide('tokenMeter', { measure: (session: StageSession) => ({ totalTokens: session.deriveMessages().length * 100 }) })
    root.provide('webServer', { register: (route: { path: string; handler: (request: IncomingMessage, response: ServerResponse) => Promise<void> }) => {
      if (this.#handlers.has(route.path)) throw new Error(`${route.path} is taken`)
      this.#handlers.set(route.path, route.handler)
      return () => { this.#handlers.delete(route.path) }
    } })
    for (const [service, value] of Object.entries({ ...this.generation.services, ...this.#options.services })) root.provide(service, value)
    if (this.goals) this.#driveGoals(this.goals)
    for (const event of ['model-failover/failover']) root.on(event, (data: unknown) => { this.told.push({ name: event, data }) })
    root.on('agent/request-error', (payload: RetryPayload, next: () => Promise<unknown>) => hostRetry(payload, next))
  }

  #driveGoals(goals: StageGoals): void {
    this.root.provide('goals', goals)
    this.root.on('agent/error', ({ agent }: { agent: StageAgent }) => { goals.disarm(agent) })
    this.root.on('agent/status', ({ agent, status }: { agent: StageAgent; status: string }) => { if (status === 'idle') void agent.whenIdle().then(() => goals.drive(agent)) })
  }

  #writeFiles(): void {
    const dir = join(this.home, 'model-failover')
    mkdirSync(dir, { recursive: true })
    const groups = Object.entries(this.#options.groups ?? {}).map(([id, entries]) => ({ id, rev: 1, name: id, enabled: true, models: entries.map(toEntry) }))
    writeFileSync(join(dir, 'groups.json'), JSON.stringify({ version: 1, groups }))
    if (this.#options.defaultBinding) writeFileSync(join(dir, 'default-binding.json'), JSON.stringify({ version: 1, binding: this.#options.defaultBinding }))
  }

  async mount(): Promise<void> {
    const env = { DSH_HOME: this.home, ...this.#options.env }
    const world = { time: Object.assign(this.time, { close: () => {} }), random: this.#options.random ?? (() => 0.5), env, userHome: this.home }
    // The row of the story, with what would reach outside of the test switched off.
    const row = { qoderShim: false, ...(this.#options.row as object | undefined) }
    const plugin = this.root.plugin({ name, inject, apply: (ctx: HostContext, config: unknown) => mount(ctx, config, world) }, row)
    await plugin
    this.#plugin = plugin
  }

  async unmount(): Promise<void> {
    await this.#plugin?.dispose()
    this.#plugin = null
  }

  async close(): Promise<void> {
    await this.unmount()
    this.#server?.close()
    this.#server?.closeAllConnections()
    rmSync(this.home, { recursive: true, force: true })
  }

  /** A new session; the host's default model is `alpha/a-1`. */
  async session(options: { readonly model?: string; readonly parent?: StageAgent; readonly source?: string; readonly id?: string } = {}): Promise<StageAgent> {
    const header: SessionHeader = options.parent ? { parentSession: options.parent.id, origin: 'subagent', delegationDepth: 1 } : {}
    const id = options.id ?? `s-${++this.#count}`
    const log = new StageSession(id, header, (session, event) => this.root.emit('session/event', session, event), this.generation.events)
    const agent = this.agent(log, options.model ? named(options.model) : (options.parent?.options ?? named('alpha/a-1')))
    // The newer event comes before the agent can be looked up, as far as is known.
    if (this.generation.createdCarriesSource) this.agents.delete(agent.id)
    await this.#announce(agent, options.source ?? 'startup')
    this.agents.set(agent.id, agent)
    return agent
  }

  agent(session: StageSession, options: AgentOptions): StageAgent {
    const agent = new StageAgent({
      session, options, llm: this.llm, choice: this.generation.choice, tools: (parent, tool) => this.#runTool(parent, tool),
      dispatch: { emit: (event, payload) => this.root.emit(event, payload), waterfall: (event, ...args) => this.root.waterfall(event, ...args) as never },
    })
    this.generation.equip(agent)
    this.agents.set(agent.id, agent)
    return agent
  }

  async #announce(agent: StageAgent, source: string): Promise<void> {
    if (this.generation.createdCarriesSource) await this.root.serial('agent/created', { agent, source })
    else {
      this.root.emit('agent/created', { agent })
      this.root.emit('agent/session-start', { agent, source })
    }
  }

  /** The one tool: a subagent that answers a question of its own. */
  async #runTool(parent: StageAgent, tool: string): Promise<string> {
    if (tool !== 'subagent') return 'unknown tool'
    const child = await this.session({ parent, id: `${parent.id}-child-${++this.#count}` })
    return (await this.prompt(child, 'the part of the work')).text
  }

  /** Sends a message of the user and waits until the session is idle; tells of the turns since. */
  async prompt(agent: StageAgent, text: string): Promise<TurnResult> {
    const since = agent.session.events.length
    agent.followup({ role: 'user', content: [{ type: 'text', text }], source: { kind: 'user' } })
    await agent.whenIdle()
    await breathe()
    return this.since(agent, since)
  }

  since(agent: StageAgent, since: number): TurnResult {
    const events = agent.session.events.slice(since)
    const last = events.findLast(({ type }) => type === 'assistant/message')?.data['message'] as { content: { text: string }[] } | undefined
    return {
      end: (events.findLast(({ type }) => type === 'turn/end')?.data['reason'] as { kind: string } | undefined)?.kind ?? 'none',
      text: last?.content[0]?.text ?? '',
      routes: events.filter(({ type }) => type === 'request/header').map(({ data }) => routeText((data['header'] as { config: { provider: string; model: string } }).config)),
      events,
    }
  }

  remove(agent: StageAgent): void {
    this.agents.delete(agent.id)
    this.root.emit('agent/disposed', { agent })
  }

  /** Address of the plugin's interface over a real socket. */
  async address(): Promise<string> {
    this.#server ??= await serve(this.#handlers)
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}/api/model-failover`
  }

  /** Calls the plugin's interface, as a page would. */
  async api<T = Record<string, unknown>>(path: string, body?: unknown, method = 'POST'): Promise<T> {
    const reply = await fetch(`${await this.address()}${path}`, body === undefined ? {} : { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    const json = await reply.json() as T
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${JSON.stringify(json)}`)
    return json
  }

  /** What is remembered of a session on disk by now. */
  record(agent: StageAgent): SessionRecord | null {
    const file = join(this.home, 'model-failover', 'session-bindings.json')
    try { return (JSON.parse(readFileSync(file, 'utf8')) as { sessions: Record<string, SessionRecord> }).sessions[agent.id] ?? null } catch { return null }
  }

  /** Listeners of the context, all owners together. */
  get listeners(): number { return Object.values(this.root.events._hooks).reduce((sum, hooks) => sum + hooks.length, 0) }
}

function generationOf(host: NonNullable<StageOptions['host']>, stage: Pick<Stage, 'agents' | 'llm'>): Generation {
  switch (host) {
    case 'api-proxy': return apiProxyHost(() => stage.agents, stage.llm)
    case 'controller': return controllerHost(stage.llm)
    case 'model-select': return modelSelectHost(stage.llm)
    case 'model-select-early': return modelSelectHost(stage.llm, 'start')
  }
}

function toEntry(input: EntryInput, index: number): Entry {
  if (typeof input === 'string') return { ...named(input), priority: index + 1 }
  const { route, ...rest } = input
  return { priority: index + 1, ...rest, ...named(route) }
}

export function routeText(route: { readonly provider: string; readonly model: string }): string { return `${route.provider}/${route.model}` }

interface RetryPayload { readonly agent: StageAgent; readonly turn: number; readonly step: number; readonly provider: string; readonly failure: { readonly code: string }; readonly retryPolicy: StageLlm['retry'] }

/** The host's own retries: counted per provider within a step from its log, without delay here. */
async function hostRetry(payload: RetryPayload, next: () => Promise<unknown>): Promise<unknown> {
  const { agent: { session }, turn, step, provider, failure, retryPolicy: policy } = payload
  const done = session.ofType('llm/retry').filter(({ data }) => data['turn'] === turn && data['step'] === step && data['provider'] === provider && data['policyKey'] === 'host').length
  if (policy.mode === 'normal' && (done >= policy.maxRetries || !policy.retryableCodes.includes(failure.code))) return next()
  const row = { retryId: `r-${session.events.length}`, turn, step }
  session.append('llm/retry', { ...row, provider, policyKey: 'host', retry: done + 1, failure: { ...failure } })
  await breathe(1)
  session.append('llm/retry-started', { ...row, retry: done + 1 })
  return { kind: 'retry' }
}

async function serve(handlers: ReadonlyMap<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>): Promise<Server> {
  const server = createServer((request, response) => {
    const found = [...handlers].find(([path]) => request.url?.startsWith(path))
    if (found) void found[1](request, response)
    else response.writeHead(404).end('{}')
  })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  return server
}

/** A stage with the plugin mounted. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const stage = new Stage(options)
  await stage.mount()
  return stage
}
