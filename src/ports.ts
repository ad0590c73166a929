/** What services ask of the outside: time, chance, log, disk and the host. Adapters implement these; tests fake them. */
import type { Abilities } from './contract/status.ts'
import type { ModelsReply } from './contract/models.ts'
import type { EffortRoute, Route } from './contract/route.ts'

export type Dispose = () => void

/** The only door to clocks and timers. `now` epoch ms (wall), `mono` ms of a clock that never jumps. */
export interface Time {
  now(): number
  mono(): number
  /** Runs once after `ms`; timers never keep the process alive. */
  after(ms: number, run: () => void): Dispose
}

/** Chance in [0, 1). */
export type Random = () => number

export interface Log {
  info(format: string, ...facts: readonly unknown[]): void
  warn(format: string, ...facts: readonly unknown[]): void
  error(format: string, ...facts: readonly unknown[]): void
}

/**
 * One JSON document on disk, read at opening. `value` is the last known value.
 * `replace` writes first and changes `value` only when the write is durable; it rejects and changes nothing otherwise.
 * `set` changes `value` at once and writes behind (started within 100 ms, coalesced, retried while it fails).
 * `readOnly`: the file has a newer version; both change memory only, `replace` rejects with code READ_ONLY.
 */
export interface Document<T> {
  readonly value: T
  readonly readOnly: boolean
  replace(next: T): Promise<void>
  set(next: T): void
  /** Resolves when everything that was set so far is on disk (or failed for good and was reported). */
  flush(): Promise<void>
}

/** A problem of a data file that the user should know of. */
export interface StoreProblem { readonly file: string; readonly problem: string; readonly at: number }

/* ---- model calls, in the host's own shapes (structural, no host import) ---- */

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
}

export interface HostFailure {
  readonly message: string
  readonly code: string
  readonly status?: number
  readonly providerRetryAfterMs?: number
  readonly requestId?: string
}

export type FinishReason =
  | { readonly kind: 'stop' | 'tool-calls' | 'max-tokens' }
  | { readonly kind: 'error' | 'aborted'; readonly failure: HostFailure }

/** One frame of a model stream. Order: block-start, deltas, block-end, …, usage, finish. */
export type Chunk =
  | { readonly type: 'block-start'; readonly index: number; readonly blockType: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly index: number; readonly text: string }
  | { readonly type: 'tool-call-delta'; readonly index: number; readonly id: string; readonly name?: string; readonly argumentsDelta: string }
  | { readonly type: 'block-end'; readonly index: number; readonly block: unknown }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly replayState?: unknown }

/** The request of one model call; more fields travel through untouched. */
export interface CallOptions {
  readonly provider: string
  readonly model: string
  readonly sessionId?: string
  readonly purpose?: string
  readonly signal?: AbortSignal
  readonly maxTokens?: number
  readonly reasoningEffort?: string
  readonly messages?: readonly unknown[]
  readonly [field: string]: unknown
}

export type Stream = AsyncIterable<Chunk>

/* ---- the host ---- */

/** What is known of a model; window in tokens. `null` from the catalog = the host does not know the model. */
export interface ModelFacts {
  readonly contextWindow: number | null
  readonly inputs: readonly string[] | null
  readonly efforts: readonly string[]
  readonly defaultMaxTokens: number | null
}

/** A live session as the host has it now. */
export interface LiveSession {
  readonly id: string
  readonly parent: string | null
  readonly subagent: boolean
  readonly running: boolean
  /** Route of the last request header, null before the first request. */
  readonly lastRoute: EffortRoute | null
  /** Route the agent was created with. */
  readonly createdWith: EffortRoute | null
}

/** Everything the services ask of the host. Version differences live behind it. */
export interface HostPort {
  abilities(): Abilities
  models(): Promise<ModelsReply>
  /** Facts of one model; null = unknown to the host (no adapter, no such model). Never rejects. */
  facts(route: Route): Promise<ModelFacts | null>
  /** Hash of the normalised base URL of a provider, '' when the host does not tell it. */
  endpointOf(provider: string): string
  hasProvider(provider: string): boolean
  sessions(): readonly LiveSession[]
  session(id: string): LiveSession | null
  /** Tokens the session's history takes now; null = unknown. */
  usedTokens(id: string): number | null
  hasImages(id: string): boolean
  /** A real model call outside any session (probes, speed tests). */
  stream(options: CallOptions): Stream
}
