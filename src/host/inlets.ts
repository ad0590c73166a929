/** The host's events, translated into hooks. Each translation is guarded: a failure of ours is logged and the host's own way goes on. */
import type { CallConfig, CallOptions, Chunk, Dispose, FailureReport, HostFailure, HostHooks, Log, RetryAction, RetryPolicy, Stream } from '../ports.ts'
import type { HostChoice } from './choice.ts'
import type { RequestChange } from './request-change.ts'
import { lastConfig, routeOf, toRoute, type SessionReader } from './sessions.ts'
import { failureOf, isRecord, type HostAgent, type HostContext, type HostEvent, type HostSession } from './shapes.ts'

interface RequestPayload { readonly agent: HostAgent; readonly turn: number; readonly step: number; readonly signal: AbortSignal }
interface ErrorPayload extends RequestPayload { readonly provider: string; readonly failure: HostFailure; readonly retryPolicy?: unknown }
interface Llm { stream(options: CallOptions): AsyncIterable<Chunk> }
type Source = 'startup' | 'resume' | 'clear' | 'compact'

/** What the events teach about the host itself, beside what they tell the services. */
export interface Learning { readonly choice: HostChoice; readonly change: RequestChange; readonly sessions: Pick<SessionReader, 'forget'> }

/** Registers every listener; the returned function removes them in reverse order. */
export function listen(ctx: HostContext, hooks: HostHooks, { choice, change, sessions }: Learning, log: Log): Dispose {
  const undo: (() => unknown)[] = []
  const on: On = (name, listener, prepend = false) => {
    undo.push(ctx.on(name, listener, { prepend }))
  }
  const guard = (what: string, run: () => void): void => {
    try { run() } catch (error) { log.error('%s failed: %o', what, error) }
  }

  on('agent/request', async (payload: RequestPayload, next: () => Promise<CallConfig>): Promise<CallConfig> => {
    const base = await next()
    try {
      const frozen = change.refused() || choice.owns(payload.agent)
      const chosen = hooks.request({ session: payload.agent.id, turn: payload.turn, step: payload.step, signal: payload.signal, base, frozen })
      // The usual answer comes at once and needs no further turn of the event loop.
      const config = chosen instanceof Promise ? await chosen : chosen
      if (frozen) return base
      change.returned(payload.agent.id, payload.turn, config !== base)
      return config
    } catch (error) {
      log.error('choosing a route failed, the host\'s choice stands: %o', error)
      return base
    }
  }, true)

  on('agent/request-error', (payload: ErrorPayload, next: () => Promise<RetryAction>) => requestError(payload, next, hooks, log), true)

  on('agent/error', (payload: { agent: HostAgent; turn: number; step: number; error: unknown }) => guard('agent/error', () => {
    const { agent, turn, step } = payload
    const failure = failureOf(payload.error)
    if (change.died(agent.id, turn, failure)) hooks.changeRefused({ session: agent.id, turn })
    else hooks.turnError({ session: agent.id, turn, step, failure })
  }), true)

  on('session/event', (session: HostSession, event: HostEvent) => guard('session/event', () => sessionEvent(session, event, hooks, choice)))
  on('agent/session-start', (payload: { agent: HostAgent; source: Source }) => guard('agent/session-start', () => { started(payload.agent, payload.source, hooks) }))
  on('agent/created', (payload: { agent: HostAgent; source?: Source }) => guard('agent/created', () => {
    // Newer hosts carry the source here and have no agent/session-start.
    if (payload.source !== undefined) started(payload.agent, payload.source, hooks)
  }))
  on('agent/disposed', ({ agent }: { agent: HostAgent }) => guard('agent/disposed', () => {
    choice.forget(agent.id)
    change.forget(agent.id)
    sessions.forget(agent.id)
    hooks.sessionGone(agent.id)
  }))
  on('agent/status', ({ agent, status }: { agent: HostAgent; status: string }) => guard('agent/status', () => {
    if (status === 'running') hooks.turnBegin({ session: agent.id, turn: null })
    hooks.status({ session: agent.id, status })
  }), true)
  beforeSteps(on, hooks, log)
  on('llm/adapters-updated', () => guard('llm/adapters-updated', () => hooks.registryChanged()))

  on('credentials/updated', (ref: unknown) => guard('credentials/updated', () => { hooks.credentialChanged(String(ref)) }))
  on('settings/updated', (namespace: unknown) => guard('settings/updated', () => { hooks.settingsChanged(String(namespace)) }))

  on('llm/stream', function (this: Llm, options: CallOptions, next: () => Stream): Stream {
    if (options.sessionId !== undefined && options.purpose === undefined) change.opened(options.sessionId)
    return call(this, options, next, hooks, log)
  }, true)
  return () => { for (const remove of undo.toReversed()) remove() }
}

type On = (name: string, listener: (this: never, ...args: never[]) => unknown, prepend?: boolean) => void

/** Two points at which a host still waits for us before it fixes what a step uses; which of them counts depends on the host. */
function beforeSteps(on: On, hooks: HostHooks, log: Log): void {
  const wait = (moment: Parameters<HostHooks['beforeStep']>[0]): Promise<void> | null => {
    const failed = (error: unknown): void => log.error('choosing before a step failed, the host\'s choice stands: %o', error)
    try { return hooks.beforeStep(moment)?.catch(failed) ?? null } catch (error) { failed(error); return null }
  }
  on('system-prompt/assemble', (_assembly: unknown, context: { agent?: HostAgent; signal?: AbortSignal } | undefined, next: () => unknown) => {
    const { agent, signal } = context ?? {}
    const waiting = agent ? wait({ session: agent.id, turn: null, step: null, signal: signal ?? NEVER }) : null
    return waiting ? after(waiting, next) : next()
  }, true)
  on('agent/pre-step', (payload: RequestPayload, next: () => unknown) => {
    const { agent, turn, step, signal } = payload
    const waiting = wait({ session: agent.id, turn, step, signal })
    return waiting ? after(waiting, next) : next()
  }, true)
}

const NEVER = new AbortController().signal

async function after(waiting: Promise<void>, next: () => unknown): Promise<unknown> {
  await waiting
  return next()
}

function started(agent: HostAgent, source: Source, hooks: HostHooks): void {
  // Not asked of the registry: the newer event comes before the agent is in it.
  hooks.sessionStart({ session: agent.id, source, subagent: agent.session.header?.origin === 'subagent' })
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

function sessionEvent(session: HostSession, event: HostEvent, hooks: HostHooks, choice: HostChoice): void {
  const { data } = event
  switch (event.type) {
    case 'turn/start':
      hooks.turnBegin({ session: session.id, turn: Number(data.turn) })
      return
    case 'request/header': {
      const route = isRecord(data.header) ? toRoute(data.header.config) : null
      if (route) choice.sent(session.id, route)
      return
    }
    case 'turn/end':
      hooks.turnEnd({ session: session.id, turn: Number(data.turn), outcome: isRecord(data.reason) ? String(data.reason.kind) : 'unknown' })
      return
    case 'llm/retry':
      hooks.hostRetry({ session: session.id, turn: Number(data.turn), step: Number(data.step), provider: String(data.provider) })
      return
    case 'model/selection': {
      const route = toRoute(data)
      if (route && !choice.logged(session.id, route)) hooks.handPick(session.id, route)
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
