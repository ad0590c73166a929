/** The few host values we touch, structurally and for every host version: nothing here imports a host package. */
import type { CallConfig, HostFailure } from '../ports.ts'

/** A Cordis context as far as we use it: listeners with an undo, scopes on late services, and reads of services by name. */
export interface HostContext {
  on(name: string, listener: (...args: never[]) => unknown, options?: { readonly prepend?: boolean }): () => unknown
  emit(name: string, ...args: readonly unknown[]): void
  get(name: string): unknown
  inject(names: readonly string[], callback: (scope: HostContext) => void): unknown
  effect(callback: () => unknown, label?: string): unknown
  logger?: unknown
}

export interface HostSelection { readonly provider: string; readonly model: string; readonly reasoningEffort?: string }

export interface HostSession {
  readonly id: string
  readonly header?: { readonly parentSession?: string; readonly origin?: string; readonly delegationDepth?: number }
  readonly events?: readonly HostEvent[]
  requestHeader?(): { readonly config: CallConfig; readonly adapterDefaults?: Readonly<Record<string, true>> } | undefined
  deriveMessages?(): readonly HostMessage[]
  append?(type: string, data: unknown): unknown
}

export interface HostEvent { readonly type: string; readonly data: Readonly<Record<string, unknown>> }

export interface HostMessage { readonly role?: string; readonly content?: unknown; readonly source?: { readonly kind?: string } }

export interface HostAgent {
  readonly id: string
  readonly status?: string
  readonly options?: { readonly provider?: string; readonly model?: string }
  readonly session: HostSession
  /** On the newest hosts the agent's own choice of model. */
  readonly model?: unknown
  whenIdle?(): Promise<void>
  followup?(message: unknown): void
}

export interface HostLlm {
  listProviders(): readonly { readonly id: string; readonly name?: string }[]
  listModels(provider: string): Promise<readonly { readonly id: string; readonly name?: string }[]>
  resolveModelInfo(provider: string, model: string): Promise<HostModelInfo>
  listConfigurableProviders?(): readonly { readonly provider: string; readonly settingsNs: string; readonly settingsPath: readonly string[] }[]
  stream(options: unknown): AsyncIterable<unknown>
}

export interface HostModelInfo {
  readonly name?: string
  readonly context?: { readonly contextWindow?: number }
  readonly inputModalities?: readonly string[]
  readonly defaultMaxTokens?: number
  readonly reasoning?: { readonly efforts?: readonly { readonly id: string }[] }
}

export interface HostAgents { list?(): readonly HostAgent[]; get?(id: string): HostAgent | undefined }

/** True for a value that is an object (not null). */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** A service with the method we need, or null: services are looked up when used, never remembered. */
// The caller names the shape it expects; only the one method is checked.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function service<T>(ctx: HostContext, name: string, method: string): T | null {
  let found: unknown
  try { found = ctx.get(name) } catch { return null /* hosts that guard undeclared services throw here */ }
  return isRecord(found) && typeof found[method] === 'function' ? (found as T) : null
}

/** How far a failure may be wrapped: newer hosts put the first of several errors into the cause of an aggregate. */
const WRAPS_MAX = 6

/** The error itself, or the first one wrapped in it, that names a failure; else the first one with a code. */
function coreOf(error: unknown): unknown {
  const seen: unknown[] = []
  const waiting: unknown[] = [error]
  while (waiting.length > 0 && seen.length < WRAPS_MAX) {
    const next = waiting.shift()
    if (!isRecord(next) || seen.includes(next)) continue
    if (isRecord(next.failure) && typeof next.failure.message === 'string') return next
    seen.push(next)
    waiting.push(next.cause, ...(Array.isArray(next.errors) ? next.errors : []))
  }
  return seen.find((each) => isRecord(each) && typeof each.code === 'string') ?? error
}

/** The failure facts of whatever a host error event carries; never throws. */
export function failureOf(error: unknown): HostFailure {
  try { return readFailure(coreOf(error)) } catch { return { message: 'unknown error', code: 'UNKNOWN' } /* a getter that throws */ }
}

function readFailure(cause: unknown): HostFailure {
  const failure = isRecord(cause) && isRecord(cause.failure) ? cause.failure : null
  if (failure && typeof failure.message === 'string') {
    return {
      message: failure.message,
      code: typeof failure.code === 'string' ? failure.code : 'UNKNOWN',
      ...(typeof failure.status === 'number' ? { status: failure.status } : {}),
      ...(typeof failure.providerRetryAfterMs === 'number' ? { providerRetryAfterMs: failure.providerRetryAfterMs } : {}),
    }
  }
  const code = isRecord(cause) && typeof cause.code === 'string' ? cause.code : 'UNKNOWN'
  return { message: cause instanceof Error ? cause.message : textOf(cause), code }
}

function textOf(value: unknown): string {
  try { return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'unknown error') } catch { return 'unknown error' }
}
