/** What services ask of the outside: time, chance, log, disk and the host. Adapters implement these; tests fake them. */
import type { BindingsDocument, ConcurrencyDocument, DefaultBindingDocument, GroupsDocument } from './contract/group.ts'
import type { FailedDocument, HealthDocument } from './contract/health.ts'
import type { SettingsDocument } from './contract/settings.ts'
import type { Abilities } from './contract/status.ts'
import type { Chunk, HostFailure } from './domain/chunks.ts'
import type { Part } from './domain/tally.ts'
import type { Sample } from './contract/metrics.ts'
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

/**
 * A document whose edits never lose each other. An edit is pure and may run more than once: on the value of its turn,
 * and again on what a later write-behind brought meanwhile. An edit that throws rejects its own call only.
 */
export interface EditableDocument<T> extends Document<T> {
  /** Commits `edit(value)` like `replace` and resolves with the value that holds it. */
  change(edit: (current: T) => T): Promise<T>
  /** Applies `edit` at once and writes behind, like `set`. */
  amend(edit: (current: T) => T): void
}

/** The documents of the data folder, and what the user should know of it. */
export interface DataFolder {
  readonly dir: string
  /** False when the file of the groups was found broken: what it held may be put back. */
  readonly groupsRead: boolean
  readonly groups: EditableDocument<GroupsDocument>
  readonly bindings: EditableDocument<BindingsDocument>
  readonly defaultBinding: EditableDocument<DefaultBindingDocument>
  readonly failed: EditableDocument<FailedDocument>
  readonly settings: EditableDocument<SettingsDocument>
  readonly concurrency: EditableDocument<ConcurrencyDocument>
  readonly health: EditableDocument<HealthDocument>
  /** Oldest first; a failing write leaves the list when it succeeds. */
  problems(): readonly StoreProblem[]
}

/** A problem of a data file that the user should know of. */
export interface StoreProblem { readonly file: string; readonly problem: string; readonly at: number }

/** Figures of one Beijing day (its number, see beijing.ts) in parts that add up: sealed ones, and what came since. */
export interface DayFigures { readonly day: number; readonly parts: readonly Part[] }

/**
 * All samples: the figures of each day in memory, the lines on disk. Nothing here rejects; a sample that cannot be
 * written stays in memory and is tried again.
 */
export interface SampleStore {
  /** Resolves when the disk has been read; before, figures are incomplete. */
  readonly ready: Promise<void>
  /** Counts a sample at once; its line is on disk within a second and a half, whatever then happens to the process. */
  add(sample: Sample): void
  /** Days that have samples, oldest first. */
  days(): readonly DayFigures[]
  /** Grows whenever a day's sealed part is new or another one. */
  readonly epoch: number
  /** Complete lines of the days from `since` to `until` (numbers, both included; null = open), in pieces of any size. */
  lines(since: number | null, until: number | null): AsyncIterable<string>
  problems(): readonly StoreProblem[]
  /** Resolves when everything added so far is on disk, or its writing has failed and is among the problems. */
  flush(): Promise<void>
  close(): Promise<void>
}

/* ---- model calls, in the host's own shapes (structural, no host import) ---- */

export type { Chunk, FinishReason, HostFailure, Usage } from './domain/chunks.ts'

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
  /** Output limit of the last request, if it was only its adapter's default; such a limit must not travel to another model. */
  readonly inheritedMaxTokens: number | null
}

/** A model choice as the loop carries it; further fields travel through untouched. */
export interface CallConfig {
  readonly provider: string
  readonly model: string
  readonly reasoningEffort?: string
  readonly maxTokens?: number
  readonly [field: string]: unknown
}

/** A goal that was running when a failure struck; revived only if nobody changed it since. */
export interface GoalTicket { readonly id: string; readonly revision: number }

/** When a change of route takes effect: the retry of this very step, or only the next turn. */
export type MoveEffect = 'this-step' | 'next-turn'

/** Everything the services ask of the host. Version differences live behind it. */
export interface HostPort {
  abilities(): Abilities
  models(): Promise<ModelsReply>
  /** Facts of one model; null = unknown to the host (no adapter, no such model). Never rejects. */
  facts(route: Route): Promise<ModelFacts | null>
  /** Hash of the normalised base URL of a provider, '' when the host does not tell it. */
  endpointOf(provider: string): string
  hasProvider(provider: string): boolean
  /** Providers whose key is read through this reference, or (second form) whose profile lies in this settings section. */
  providersOf(what: { readonly credential: string } | { readonly settings: string }): readonly string[]
  sessions(): readonly LiveSession[]
  /** The session if it is live now. */
  session(id: string): LiveSession | null
  /** The live session, else what {@link lookUp} found of it. */
  recall(id: string): LiveSession | null
  /** The live session, else what its log on disk says of it; null = this host has no such session, or cannot read it. Rejects never. */
  lookUp(id: string): Promise<LiveSession | null>
  /** Tokens the session's history takes now; null = unknown. */
  usedTokens(id: string): number | null
  hasImages(id: string): boolean
  /** Language of the session's last words of the user, as far as the host lets us see. */
  language(id: string): 'zh' | 'en'
  /** A real model call outside any session (probes, speed tests). */
  stream(options: CallOptions): Stream

  /**
   * Makes `route` the session's route for its coming requests where the host keeps that choice itself; where it does
   * not, the answer of `HostHooks.request` is what counts and this only tells when that will be.
   */
  move(id: string, route: EffortRoute): MoveEffect
  /** True where a request takes no other model while it is built: only a choice made before its step counts there. */
  frozen(id: string): boolean
  /** The route the host itself would use for the next step, null when it does not say. */
  current(id: string): EffortRoute | null
  /** Resolves when the host has taken or refused every choice we made for the session. Rejects never. */
  settled(id: string): Promise<void>
  /** Makes `route` what the host itself would use from now on, without saving it as anybody's default; false = it would not. */
  assign(id: string, route: EffortRoute): Promise<boolean>
  /** Lets the host's own view (stock seat, prompt admission) show `route`, where view and choice are two things. */
  show(id: string, route: EffortRoute): Promise<boolean>
  /** The same on the user's order and for good: the session's own log names `route` afterwards, also without us. False = it does not. */
  anchor(id: string, route: EffortRoute): Promise<boolean>
  /** Writes the pair of rows that makes the page drop the partial text of a failed attempt. */
  clearPartial(id: string, facts: { readonly turn: number; readonly step: number; readonly provider: string; readonly failure: HostFailure; readonly retry: number }): void
  /** The goal that is active and armed now; read synchronously, before the host disarms it. */
  armedGoal(id: string): GoalTicket | null
  /** Rearms that goal if its revision is still the ticket's; false = changed, paused, gone or no goals here. */
  reviveGoal(id: string, ticket: GoalTicket): boolean
  /** Resolves when the session is idle; rejects never. */
  whenIdle(id: string): Promise<void>
  /** Sends one message of plugin source that starts a turn; false = the session is gone or refused it. */
  followUp(id: string, text: string, summary: string): boolean
}

/** A request that is about to be built. `base` is what the host would use. */
export interface RequestMoment {
  readonly session: string
  readonly turn: number
  readonly step: number
  readonly signal: AbortSignal
  readonly base: CallConfig
  /** The host takes no other model here: `base` itself is what goes out. */
  readonly frozen: boolean
}

/** The retry policy that served a failed request; null = unknown. */
export interface RetryPolicy { readonly mode: 'normal' | 'always'; readonly maxRetries: number; readonly retryableCodes: readonly string[] }

/** One failed attempt of the loop. `route` is what was really asked. */
export interface FailureReport {
  readonly session: string
  readonly turn: number
  readonly step: number
  readonly route: EffortRoute
  readonly failure: HostFailure
  readonly policy: RetryPolicy | null
  readonly signal: AbortSignal
}

export type RetryAction = { readonly kind: 'retry' } | undefined

/** What the host adapter reports. No hook may throw; each is guarded once more at the edge. */
export interface HostHooks {
  /** The config to send; `moment.base` itself when nothing changes. */
  request(moment: RequestMoment): CallConfig | Promise<CallConfig>
  requestError(report: FailureReport, next: () => Promise<RetryAction>): Promise<RetryAction>
  /** A turn died without a stream, or at the end of requestError (then it is an echo). Called synchronously. */
  turnError(event: { readonly session: string; readonly turn: number; readonly step: number; readonly failure: HostFailure }): void
  /** A session's driver has started or opened a turn; nothing of the turn's first step is fixed yet. */
  turnBegin(event: { readonly session: string; readonly turn: number | null }): void
  /** Awaited before a step is fixed. `step` null = its prompt is being assembled. Null = nothing to wait for. */
  beforeStep(moment: { readonly session: string; readonly turn: number | null; readonly step: number | null; readonly signal: AbortSignal }): Promise<void> | null
  /** A turn died because the host takes no other model in a request; from now on `frozen` says so. Called synchronously. */
  changeRefused(event: { readonly session: string; readonly turn: number }): void
  turnEnd(event: { readonly session: string; readonly turn: number; readonly outcome: string }): void
  /** The host scheduled a retry of its own on this provider. */
  hostRetry(event: { readonly session: string; readonly turn: number; readonly step: number; readonly provider: string }): void
  sessionStart(event: { readonly session: string; readonly subagent: boolean; readonly source: 'startup' | 'resume' | 'clear' | 'compact' }): void
  sessionGone(session: string): void
  status(event: { readonly session: string; readonly status: string }): void
  /** The user chose a model by hand. */
  handPick(session: string, route: EffortRoute): void
  registryChanged(): void
  /** The value behind a credential reference changed; `ref` is its name, never the value. */
  credentialChanged(ref: string): void
  /** A section of the host's settings changed. */
  settingsChanged(namespace: string): void
  /** Any model call. `loop`: it belongs to a session's own turn. `open` starts the call, or another one with other options. */
  call(options: CallOptions, loop: boolean, next: () => Stream, open: (options: CallOptions) => Stream): Stream
}
