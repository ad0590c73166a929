/** The host's events, translated into hooks. Each translation is guarded: a failure of ours is logged and the host's own way goes on. */
import type { CallConfig, CallOptions, Chunk, Dispose, FailureReport, HostFailure, HostHooks, Log, RetryAction, RetryPolicy, Stream } from '../ports.ts'
import { lastConfig, routeOf } from './sessions.ts'
import { failureOf, isRecord, type HostAgent, type HostContext, type HostEvent, type HostSession } from './shapes.ts'

interface RequestPayload { readonly agent: HostAgent; readonly turn: number; readonly step: number; readonly signal: AbortSignal }
interface ErrorPayload extends RequestPayload { readonly provider: string; readonly failure: HostFailure; readonly retryPolicy?: unknown }
interface Llm { stream(options: CallOptions): AsyncIterable<Chunk> }

/** Registers every listener; the returned function removes them in reverse order. */
export function listen(ctx: HostContext, hooks: HostHooks, log: Log): Dispose {
  const undo: (() => unknown)[] = []
  const on = <A extends readonly unknown[]>(name: string, listener: (...args: A) => unknown, prepend = false): void => {
    undo.push(ctx.on(name, listener as unknown as (...args: never[]) => unknown, { prepend }))
  }
  const guard = (what: string, run: () => void): void => {
    try { run() } catch (error) { log.error('%s failed: %o', what, error) }
  }

  on('agent/request', async (payload: RequestPayload, next: () => Promise<CallConfig>): Promise<CallConfig> => {
    const base = await next()
    try {
      return await hooks.request({ session: payload.agent.id, turn: payload.turn, step: payload.step, signal: payload.signal, base })
    } catch (error) {
      log.error('choosing a route failed, the host\'s choice stands: %o', error)
      return base
    }
  }, true)

  on('agent/request-error', (payload: ErrorPayload, next: () => Promise<RetryAction>) => requestError(payload, next, hooks, log), true)

  on('agent/error', (payload: { agent: HostAgent; turn: number; step: number; error: unknown }) => guard('agent/error', () => {
    hooks.turnError({ session: payload.agent.id, turn: payload.turn, step: payload.step, failure: failureOf(payload.error) })
  }), true)

  on('session/event', (session: HostSession, event: HostEvent) => guard('session/event', () => sessionEvent(session, event, hooks)))
  on('agent/session-start', (payload: { agent: HostAgent; source: 'startup' | 'resume' | 'clear' | 'compact' }) => guard('agent/session-start', () => {
    hooks.sessionStart({ session: payload.agent.id, source: payload.source })
  }))
  on('agent/created', (payload: { agent: HostAgent; source?: 'startup' | 'resume' | 'clear' | 'compact' }) => guard('agent/created', () => {
    // Newer hosts carry the source here and have no agent/session-start.
    if (payload.source !== undefined) hooks.sessionStart({ session: payload.agent.id, source: payload.source })
  }))
  on('agent/disposed', (payload: { agent: HostAgent }) => guard('agent/disposed', () => hooks.sessionGone(payload.agent.id)))
  on('agent/status', (payload: { agent: HostAgent; status: string }) => guard('agent/status', () => {
    hooks.status({ session: payload.agent.id, status: payload.status })
  }))
  on('llm/adapters-updated', () => guard('llm/adapters-updated', () => hooks.registryChanged()))

  ctx.on('llm/stream', function (this: Llm, options: CallOptions, next: () => Stream): Stream {
    return call(this, options, next, hooks, log)
  } as unknown as (...args: never[]) => unknown, { prepend: true })
  return () => { for (const remove of undo.toReversed()) remove() }
}

/** The failed route: the last header, if it names the provider the host says has failed; else only the provider is sure. */
function failedRoute(payload: ErrorPayload): FailureReport['route'] | null {
  const route = routeOf(lastConfig(payload.agent.session))
  return route && route.provider === payload.provider ? route : null
}

async function requestError(payload: ErrorPayload, next: () => Promise<RetryAction>, hooks: HostHooks, log: Log): Promise<RetryAction> {
  // The host's own answer is asked for at most once, also when our hook fails after having asked.
  let asked: Promise<RetryAction> | null = null
  const once = (): Promise<RetryAction> => (asked ??= next())
  try {
    const route = failedRoute(payload)
    if (!route) return await once()
    const policy = isRecord(payload.retryPolicy) ? (payload.retryPolicy as unknown as RetryPolicy) : null
    return await hooks.requestError({ session: payload.agent.id, turn: payload.turn, step: payload.step, route, failure: payload.failure, policy, signal: payload.signal }, once)
  } catch (error) {
    log.error('handling a failed request failed, the host decides: %o', error)
    return await once()
  }
}

function sessionEvent(session: HostSession, event: HostEvent, hooks: HostHooks): void {
  const { data } = event
  switch (event.type) {
    case 'turn/end':
      hooks.turnEnd({ session: session.id, turn: Number(data.turn), outcome: isRecord(data.reason) ? String(data.reason.kind) : 'unknown' })
      return
    case 'llm/retry':
      hooks.hostRetry({ session: session.id, turn: Number(data.turn), step: Number(data.step), provider: String(data.provider) })
      return
    case 'model/selection': {
      const { provider, model, reasoningEffort } = data
      if (typeof provider === 'string' && typeof model === 'string') {
        hooks.handPick(session.id, { provider, model, ...(typeof reasoningEffort === 'string' ? { effort: reasoningEffort } : {}) })
      }
      return
    }
    default:
  }
}

function call(llm: Llm, options: CallOptions, next: () => Stream, hooks: HostHooks, log: Log): Stream {
  // Requests of the agent loop arrive deep-frozen, with a session and without a purpose; copies and plugins' own calls do not.
  const loop = Object.isFrozen(options) && options.purpose === undefined && options.sessionId !== undefined
  try {
    return hooks.call(options, loop, next, (other) => llm.stream(other))
  } catch (error) {
    log.error('wrapping a model call failed, it goes out unwrapped: %o', error)
    return next()
  }
}
