// An agent loop for stories, in the host's order: turn, step, request, header, stream, error waterfall, retry or end, idle.
import { setImmediate } from 'node:timers/promises'
import type { CallConfig, CallOptions, Chunk, FinishReason, HostFailure } from '../../../src/ports.ts'
import { StageLlmError, type StageLlm } from './models.ts'
import type { StageMessage, StageSession } from './session.ts'

/** Dispatches one event to the context's listeners. */
export interface Dispatch {
  emit(name: string, payload: object): void
  waterfall<T>(name: string, ...args: readonly unknown[]): Promise<T>
}

/** The choice of model a host keeps for a session, and when it counts. */
export interface Choice {
  /** What the next request would use. */
  base(agent: StageAgent): CallConfig
  /** The prompt of a step is assembled: the host fixes its choice. */
  assembled(agent: StageAgent): void
  /** Says no to what the request listeners made of `base`, by throwing. */
  check(base: CallConfig, proposed: CallConfig): void
  /** A header with this config was logged. */
  logged(agent: StageAgent, config: CallConfig): void
}

export interface AgentOptions { readonly provider: string; readonly model: string }

interface AgentParts { readonly session: StageSession; readonly options: AgentOptions; readonly llm: StageLlm; readonly dispatch: Dispatch; readonly choice: Choice; readonly tools: (agent: StageAgent, name: string) => Promise<string> }

export class StageAgent {
  readonly id: string
  readonly session: StageSession
  readonly options: AgentOptions
  /** Present on hosts whose agents choose their model themselves. */
  declare model?: unknown
  status: 'idle' | 'running' = 'idle'
  readonly #parts: AgentParts
  readonly #inbox: StageMessage[] = []
  #abort = new AbortController()
  #turn = 0
  #idle: Promise<void> = Promise.resolve()

  constructor(parts: AgentParts) {
    this.#parts = parts
    this.session = parts.session
    this.id = parts.session.id
    this.options = parts.options
  }

  get pending(): readonly StageMessage[] { return this.#inbox }

  followup(message: StageMessage): void {
    this.#inbox.push(message)
    if (this.status === 'idle') this.#start()
  }

  async whenIdle(): Promise<void> {
    let seen
    do await (seen = this.#idle); while (seen !== this.#idle)
  }

  cancel(): void {
    this.#inbox.length = 0
    this.#abort.abort({ kind: 'user' })
  }

  #start(): void {
    this.#idle = Promise.resolve().then(() => this.#drive())
    this.#setStatus('running')
  }

  #setStatus(status: 'idle' | 'running'): void {
    this.status = status
    this.#emit('agent/status', { status })
  }

  #emit(name: string, payload: object): void { this.#parts.dispatch.emit(name, { agent: this, ...payload }) }

  /** A turn that ends in error leaves what waits in the inbox where it is. */
  async #drive(): Promise<void> {
    try { while (this.#inbox.length > 0) await this.#runTurn() } catch { /* told already */ }
    this.#setStatus('idle')
  }

  async #runTurn(): Promise<void> {
    const { session } = this.#parts
    this.#abort = new AbortController()
    const { signal } = this.#abort
    const turn = ++this.#turn
    session.append('turn/start', { turn })
    let reason: object = { kind: 'completed' }
    let step = 0
    try {
      let claimed = [this.#inbox.shift() as StageMessage]
      for (let more = true; more;) {
        step++
        more = await this.#runStep(turn, step, claimed, signal)
        claimed = []
      }
    } catch (error) {
      reason = signal.aborted ? { kind: 'aborted' } : { kind: 'error', error: error instanceof StageLlmError ? error.failure : { code: 'UNKNOWN', message: String(error) } }
      if (!signal.aborted) this.#emit('agent/error', { turn, step, error })
      throw error
    } finally { session.append('turn/end', { turn, reason }) }
  }

  async #runStep(turn: number, step: number, claimed: readonly StageMessage[], signal: AbortSignal): Promise<boolean> {
    const { session, dispatch, choice } = this.#parts
    await dispatch.waterfall('system-prompt/assemble', {}, { agent: this, scope: this, signal }, () => { choice.assembled(this); return Promise.resolve({}) })
    const decision = await dispatch.waterfall<{ readonly messages: readonly StageMessage[] }>(
      'agent/pre-step', { agent: this, messages: claimed, turn, step, signal }, () => Promise.resolve({ kind: 'enter', messages: claimed }),
    )
    signal.throwIfAborted()
    session.append('step/start', { turn, step })
    try {
      for (const message of decision.messages) session.append('user/message', { ...message })
      return await this.#ask(turn, step, signal)
    } finally { session.append('step/end', { turn, step }) }
  }

  async #ask(turn: number, step: number, signal: AbortSignal): Promise<boolean> {
    const { session, dispatch } = this.#parts
    for (;;) {
      const config = await this.#request(turn, step, signal)
      const { finish, text, tool } = await this.#read(config, { turn, step, signal })
      if (finish.kind === 'error' || finish.kind === 'aborted') {
        const { provider } = config
        const action = await dispatch.waterfall<{ kind: string } | undefined>(
          'agent/request-error', { agent: this, turn, step, provider, failure: finish.failure, retryPolicy: this.#parts.llm.retry, signal }, () => Promise.resolve(undefined),
        )
        signal.throwIfAborted()
        if (action?.kind === 'retry') continue
        throw new StageLlmError({ ...finish.failure })
      }
      const { provider, model } = config
      session.append('assistant/message', { turn, step, message: { role: 'assistant', content: [{ type: 'text', text }], source: { provider, model } } })
      if (tool === null) return false
      session.append('tool/result', { turn, step, name: tool, text: await this.#parts.tools(this, tool) })
      return true
    }
  }

  async #request(turn: number, step: number, signal: AbortSignal): Promise<CallConfig> {
    const { session, dispatch, choice, llm } = this.#parts
    const base = Object.freeze(choice.base(this))
    const config = await dispatch.waterfall<CallConfig>('agent/request', { agent: this, turn, step, signal }, () => Promise.resolve(base))
    signal.throwIfAborted()
    choice.check(base, config)
    try { llm.find(config) } catch (error) { if (!(error instanceof StageLlmError) || error.code !== 'NO_ADAPTER') throw error }
    const last = session.requestHeader()?.config
    if (JSON.stringify(last) !== JSON.stringify(config)) session.append('request/header', { header: { config }, reason: last ? 'change' : 'initial' })
    choice.logged(this, config)
    return config
  }

  async #read(config: CallConfig, at: { readonly turn: number; readonly step: number; readonly signal: AbortSignal }): Promise<{ finish: FinishReason; text: string; tool: string | null }> {
    const { session, llm } = this.#parts
    const options: CallOptions = freeze({ ...config, messages: session.deriveMessages(), sessionId: this.id, signal: at.signal })
    let text = ''
    let tool: string | null = null
    let finish: FinishReason | null = null
    for await (const chunk of llm.stream(options)) {
      at.signal.throwIfAborted()
      session.append('assistant/chunk', { turn: at.turn, step: at.step, chunk })
      if (chunk.type === 'text-delta') text += chunk.text
      tool = toolOf(chunk) ?? tool
      if (chunk.type === 'finish') finish = chunk.reason
    }
    at.signal.throwIfAborted()
    const failure: HostFailure = { code: 'STREAM_CLOSED', message: 'the stream ended without a finish' }
    return { finish: finish ?? { kind: 'error', failure }, text, tool }
  }
}

function toolOf(chunk: Chunk): string | null {
  if (chunk.type !== 'block-end') return null
  const { type, name } = chunk.block as { readonly type: string; readonly name?: string }
  return type === 'tool-call' ? (name ?? null) : null
}

/** Deep, like the requests of the loop, but for the signal. */
function freeze<T extends object>(value: T): T {
  for (const field of Object.values(value)) if (typeof field === 'object' && field !== null && !(field instanceof AbortSignal) && !Object.isFrozen(field)) freeze(field as object)
  return Object.freeze(value)
}

/** Lets everything that is ready run. */
export async function breathe(rounds = 5): Promise<void> {
  for (let round = 0; round < rounds; round++) await setImmediate()
}
