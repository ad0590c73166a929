// A model runtime for stories: providers and models by name, scripted answers, and every call seen by `llm/stream` listeners.
import type { CallOptions, Chunk, HostFailure, Stream, Usage } from '../../../src/ports.ts'
import type { Route } from '../../../src/contract/route.ts'

/** What one call does; all fields absent = a plain answer. */
export interface Play {
  /** Text before the end; by default the answer names the route. */
  readonly text?: string
  /** Ends with this failure; with `text` it comes in the middle. */
  readonly failure?: Partial<HostFailure>
  /** Nothing happens before this settles; an abort of the call ends the wait. */
  readonly hold?: Promise<unknown>
  /** A broken adapter. */
  readonly throws?: Error
  readonly usage?: Usage | null
  /** The answer calls this tool instead of talking. */
  readonly tool?: string
}

export interface StageModel { readonly window?: number; readonly inputs?: readonly string[]; readonly efforts?: readonly string[] }

export interface StageCall { readonly route: string; readonly purpose: string | undefined; readonly session: string | undefined; readonly options: CallOptions }

export interface RetryRule { readonly mode: 'normal' | 'always'; readonly maxRetries: number; readonly retryableCodes: readonly string[] }

/** An error of the host: a code and, like the host's own, the frozen failure. */
export class StageLlmError extends Error {
  readonly code: string
  readonly failure: HostFailure
  constructor(failure: HostFailure) {
    super(failure.message)
    this.code = failure.code
    this.failure = Object.freeze(failure)
  }
}

export const FAULTS = {
  quota: { code: 'QUOTA', status: 429, message: 'You exceeded your current quota, please check your plan and billing details' },
  server: { code: 'SERVER', status: 500, message: '500: the server had an error' },
  timeout: { code: 'TIMEOUT', message: 'no byte for 3000 ms' },
  auth: { code: 'AUTH', status: 401, message: 'Incorrect API key provided' },
  tooLong: { code: 'CONTEXT_WINDOW_EXCEEDED', status: 400, message: 'prompt is too long: 9001 tokens > 8192 maximum' },
} as const satisfies Record<string, HostFailure>

type Dispatch = (runtime: StageLlm, options: CallOptions, next: () => Stream) => Stream

export class StageLlm {
  readonly calls: StageCall[] = []
  readonly providers = new Map<string, Map<string, StageModel>>()
  retry: RetryRule = { mode: 'normal', maxRetries: 1, retryableCodes: ['EMPTY_RESPONSE', 'RATE_LIMIT', 'SERVER', 'TIMEOUT', 'TRANSPORT'] }
  readonly #plans = new Map<string, Play[] | Play>()
  readonly #lookups = new Map<string, Promise<unknown>>()
  readonly #dispatch: Dispatch
  /** Tells listeners that the registry changed. */
  changed: () => void = () => {}

  constructor(dispatch: Dispatch, routes: Readonly<Record<string, StageModel>>) {
    this.#dispatch = dispatch
    for (const [name, model] of Object.entries(routes)) this.add(name, model)
  }

  add(name: string, model: StageModel = {}): void {
    const { provider, model: id } = named(name)
    const models = this.providers.get(provider) ?? new Map<string, StageModel>()
    this.providers.set(provider, models.set(id, model))
  }

  /** A list is played one call each, a single play for ever; `{}` = the model answers again. */
  plan(name: string, play: Play | Play[]): void { this.#plans.set(name, play) }

  /** Every answer about this model waits for `until`. */
  slowLookup(name: string, until: Promise<unknown>): void { this.#lookups.set(name, until) }

  /** Calls of the conversation, as `provider/model`. */
  routes(session?: string): string[] {
    return this.calls.filter((call) => call.purpose === undefined && call.session !== undefined && (session === undefined || call.session === session)).map(({ route }) => route)
  }

  listProviders(): { id: string; name: string }[] { return [...this.providers.keys()].map((id) => ({ id, name: id })) }

  listModels(provider: string): Promise<{ id: string; name: string }[]> {
    return Promise.resolve([...(this.providers.get(provider)?.keys() ?? [])].map((id) => ({ id, name: id })))
  }

  async resolveModelInfo(provider: string, model: string): Promise<object> {
    await this.#lookups.get(`${provider}/${model}`)
    const found = this.find({ provider, model })
    return {
      id: model, name: model, provider,
      context: { contextWindow: found.window ?? 100_000 },
      inputModalities: found.inputs ?? ['text'],
      ...(found.efforts ? { reasoning: { efforts: found.efforts.map((id) => ({ id })) } } : {}),
    }
  }

  /** What the loop does before it sends; throws like the host. */
  find(route: Route): StageModel {
    const models = this.providers.get(route.provider)
    if (!models) throw new StageLlmError({ code: 'NO_ADAPTER', message: `no adapter serves provider "${route.provider}"` })
    const model = models.get(route.model)
    if (!model) throw new StageLlmError({ code: 'UNKNOWN_MODEL', message: `provider "${route.provider}" has no model "${route.model}"` })
    return model
  }

  stream(options: CallOptions): Stream { return this.#dispatch(this, options, () => this.#perform(options)) }

  async* #perform(options: CallOptions): AsyncGenerator<Chunk> {
    const name = `${options.provider}/${options.model}`
    this.calls.push({ route: name, purpose: options.purpose, session: options.sessionId, options })
    if (!this.providers.get(options.provider)) return yield error({ code: 'NO_ADAPTER', message: 'no adapter' })
    const plan = this.#plans.get(name)
    const play = (Array.isArray(plan) ? plan.shift() : plan) ?? {}
    if (play.hold) await Promise.race([play.hold, aborted(options.signal)])
    // The runtime of the host turns what an adapter throws into a failing end.
    if (play.throws) return yield error({ code: 'UNKNOWN', message: play.throws.message })
    yield* chunksOf(name, play)
  }
}

function* chunksOf(name: string, play: Play): Generator<Chunk> {
  if (play.tool !== undefined) {
    yield { type: 'block-start', index: 0, blockType: 'tool-call' }
    yield { type: 'block-end', index: 0, block: { type: 'tool-call', id: 'call-1', name: play.tool, arguments: '{}' } }
    yield { type: 'finish', reason: { kind: 'tool-calls' } }
    return
  }
  const text = play.text ?? (play.failure ? '' : `answer of ${name}`)
  if (text !== '') {
    yield { type: 'block-start', index: 0, blockType: 'text' }
    yield { type: 'text-delta', index: 0, text }
    if (!play.failure) yield { type: 'block-end', index: 0, block: { type: 'text', text } }
  }
  if (play.failure) return yield error({ code: 'SERVER', message: 'down', ...play.failure })
  if (play.usage !== null) yield { type: 'usage', usage: play.usage ?? { inputTokens: 10, outputTokens: 5 } }
  yield { type: 'finish', reason: { kind: 'stop' } }
}

function error(failure: HostFailure): Chunk { return { type: 'finish', reason: { kind: 'error', failure } } }

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve()
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** `provider/model` taken apart. */
export function named(name: string): Route {
  const cut = name.indexOf('/')
  return { provider: name.slice(0, cut), model: name.slice(cut + 1) }
}
