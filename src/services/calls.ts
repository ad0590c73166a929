/**
 * Every model call of the host, seen at `llm/stream`: slot, clock and gate around it; for calls outside the loop also
 * the start on, and the change to, another route inside the same call.
 */
import type { Verdict } from '../contract/failure.ts'
import type { Purpose } from '../contract/metrics.ts'
import { routeKey, sameRoute, type EffortRoute, type Route } from '../contract/route.ts'
import { decide } from '../domain/decide.ts'
import { redact } from '../domain/redact.ts'
import { startOn } from '../domain/turnstart.ts'
import type { Scene } from '../domain/scene.ts'
import type { Permit } from '../domain/view.ts'
import type { CallOptions, Chunk, HostFailure, HostHooks, Stream } from '../ports.ts'
import type { CallEnd, CallHooks } from './call-end.ts'
import type { Concurrency } from './concurrency.ts'
import type { Deadlines } from './deadlines.ts'
import { sceneOf, type Engine } from './engine.ts'
import type { SessionRun } from './runs.ts'
import { wrapStream } from './stream-wrapper.ts'

/** What is booked of one call. */
export interface CallRecord {
  readonly route: Route
  readonly purpose: Purpose
  readonly end: CallEnd
  /** null = success or cancelled. */
  readonly verdict: Verdict | null
}

export interface CallsDeps {
  readonly engine: Engine
  readonly concurrency: Pick<Concurrency, 'acquire'>
  readonly deadlines: Deadlines
  readonly record: (call: CallRecord) => void
  /** Rule for answers that are errors in disguise, if this route is known well enough to judge by. */
  readonly inBandRule: (route: Route) => ((text: string) => HostFailure | null) | null
}

export interface Calls {
  readonly call: HostHooks['call']
  /** A call of our own: never failed over, and booked under its purpose. */
  open(purpose: 'probe' | 'speedtest', options: CallOptions): Stream
}

/** What an auxiliary call has tried so far; shared by the calls that replace one another. */
interface Chain { readonly visited: Set<string>; hops: number; readonly purpose: Purpose; readonly session: string | null; readonly first: CallOptions }

/** How one of our own option objects is to be treated; identity survives, because only loop requests are frozen copies. */
type Own = { readonly kind: 'own'; readonly purpose: Purpose } | { readonly kind: 'chain'; readonly chain: Chain; readonly permit: Permit | null }

export function createCalls(deps: CallsDeps): Calls {
  const { engine, concurrency, deadlines, record, inBandRule } = deps
  const { time, host, runs, health, moves, config, log } = engine
  const known = new WeakMap<object, Own>()

  /** Books the end of a call. A failure of the loop is weighed later, when it is known whether the host retries. */
  const end = (route: Route, purpose: Purpose, run: SessionRun | null, permit: Permit | null) => (told: CallEnd): void => {
    const verdict = told.failure ? engine.judge(told.failure, told.cancelled) : null
    if (run) run.content = told.contentSeen
    record({ route, purpose, end: told, verdict })
    if (purpose === 'probe' || purpose === 'speedtest') return
    const own = run ? run.permit : permit
    if (told.cancelled) {
      if (run) engine.releasePermit(run)
      else if (permit) health.release(permit)
      return
    }
    if (told.failure !== null && run) return
    health.observe({
      route, startedAt: told.startedAt, startedMono: told.startedMono, endedAt: told.endedAt, endedMono: told.endedMono,
      failure: verdict && told.failure ? { ...verdict, code: told.failure.code, message: redact(told.failure.message) } : null,
      escaped: false, final: false, purpose, permit: own,
    })
    if (run) run.permit = null
  }

  const hooksFor = (options: CallOptions, route: Route, purpose: Purpose, run: SessionRun | null, permit: Permit | null): CallHooks => ({
    time, deadlines, gateTimeoutMs: config.streamGateTimeoutMs,
    gate: purpose !== 'probe' && purpose !== 'speedtest',
    ...(options.signal ? { signal: options.signal } : {}),
    ownTimeout: purpose === 'speedtest',
    ...(purpose === 'probe' ? {} : { slot: () => concurrency.acquire(route, options.signal) }),
    inBandRule: run || purpose === 'other' ? inBandRule(route) : null,
    onEnd: end(route, purpose, run, permit),
    onFault: (error) => log.error('a hook around a model call failed, the call goes on: %o', error),
  })

  /** A failing finish of the loop goes out with a failure object of ours, so that its message can still be completed. */
  const failing = (run: SessionRun) => (frame: Extract<Chunk, { type: 'finish' }>): Extract<Chunk, { type: 'finish' }> => {
    if (frame.reason.kind !== 'error' && frame.reason.kind !== 'aborted') return frame
    const failure = { ...frame.reason.failure }
    run.failing = failure
    return { ...frame, reason: { kind: frame.reason.kind, failure } }
  }

  const loopCall = (options: CallOptions, next: () => Stream): Stream => {
    const route = { provider: options.provider, model: options.model }
    const run = options.sessionId === undefined ? null : runs.at(options.sessionId)
    const ours = run !== null && sameRoute(run.sent, route)
    if (ours) {
      run.opened = true
      moves.sent(run, route)
    }
    const hooks = hooksFor(options, route, 'chat', ours ? run : null, null)
    return wrapStream(next, ours ? { ...hooks, onFailing: failing(run) } : hooks)
  }

  /** What an auxiliary call needs differs from the session's chat: a title is tiny, a compaction holds the history. */
  const auxScene = (chain: Chain, lease: boolean): Scene => {
    const scene = sceneOf(engine, chain.session ?? '', lease)
    const run = chain.session === null ? null : runs.peek(chain.session)
    const overflow = chain.purpose === 'compaction' ? (run?.overflowWindow ?? null) : null
    const used = chain.purpose === 'compaction' && chain.session !== null ? host.usedTokens(chain.session) : null
    return {
      ...scene,
      record: scene.record ? { ...scene.record, rejections: [] } : null,
      usedTokens: overflow === null ? used : Math.max(used ?? 0, overflow + 1),
      images: false,
    }
  }

  const auxCall = (options: CallOptions, chain: Chain, permit: Permit | null, calls: { readonly next: () => Stream; readonly open: (options: CallOptions) => Stream }): Stream => {
    const route: EffortRoute = { provider: options.provider, model: options.model, ...(options.reasoningEffort === undefined ? {} : { effort: options.reasoningEffort }) }
    chain.visited.add(routeKey(route))
    const onRefused = async (failure: HostFailure): Promise<Stream | null> => {
      const verdict = engine.judge(failure, options.signal?.aborted === true)
      const alone = verdict.class === 'invalid_request' || verdict.class === 'unsupported_modality' || verdict.class === 'content_filter'
      if (verdict.class === 'cancelled' || alone || chain.hops >= config.routingChainMax) return null
      const scene = auxScene(chain, true)
      const plan = scene.plans.group(scene.binding.groupId) ?? scene.plans.loose(route)
      await Promise.all(plan.options.filter((option) => engine.remembered(option.entry) === undefined).map((option) => host.facts(option.entry)))
      const decision = decide(scene, { failed: route, home: null, judgement: verdict, visited: chain.visited, hopsLeft: config.routingChainMax - chain.hops, endpointOf: (provider) => host.endpointOf(provider) })
      if (decision.kind === 'stay') return null
      chain.hops += 1
      note(chain, route, decision.to, { class: verdict.class, code: failure.code, message: failure.message, rule: verdict.rule, why: verdict.class })
      return calls.open(redirected(chain, decision.to, decision.permit))
    }
    return wrapStream(calls.next, { ...hooksFor(options, route, chain.purpose, null, permit), onRefused })
  }

  const redirected = (chain: Chain, to: EffortRoute, permit: Permit | null): CallOptions => {
    const { reasoningEffort: _, maxTokens, ...rest } = chain.first
    const inherited = chain.session === null ? null : (host.session(chain.session)?.inheritedMaxTokens ?? null)
    const options: CallOptions = {
      ...rest, provider: to.provider, model: to.model,
      ...(to.effort === undefined ? {} : { reasoningEffort: to.effort }),
      ...(maxTokens === undefined || maxTokens === inherited ? {} : { maxTokens }),
    }
    known.set(options, { kind: 'chain', chain, permit })
    return options
  }

  const note = (chain: Chain, from: EffortRoute, to: EffortRoute, what: { class: Verdict['class'] | null; code: string | null; message: string | null; rule: string | null; why: string }): void => {
    engine.decided({
      at: time.now(), session: chain.session ?? '', turn: null, kind: 'auxiliary', from, to, moveKind: null, until: null, candidates: [], calls: chain.visited.size, tookMs: 0, ...what,
    })
  }

  /** A call whose route is held starts on another one at once. */
  const startAux = (options: CallOptions, chain: Chain): { readonly to: EffortRoute; readonly permit: Permit | null } | null => {
    const scene = auxScene(chain, true)
    const route: EffortRoute = { provider: options.provider, model: options.model }
    const choice = startOn(scene, route)
    if (choice.change === 'move') return { to: choice.route, permit: choice.permit }
    if (choice.permit) health.release(choice.permit)
    return null
  }

  const call: HostHooks['call'] = (options, loop, next, open) => {
    if (!engine.enabled()) return next()
    const own = known.get(options)
    if (own?.kind === 'own') {
      const route = { provider: options.provider, model: options.model }
      return wrapStream(next, hooksFor(options, route, own.purpose, null, null))
    }
    if (loop) return loopCall(options, next)
    if (own?.kind === 'chain') return auxCall(options, own.chain, own.permit, { next, open })
    const chain: Chain = { visited: new Set(), hops: 0, purpose: purposeOf(options), session: options.sessionId ?? null, first: options }
    const start = startAux(options, chain)
    if (!start) return auxCall(options, chain, null, { next, open })
    chain.visited.add(routeKey(options))
    note(chain, { provider: options.provider, model: options.model }, start.to, { class: null, code: null, message: null, rule: null, why: 'held' })
    return open(redirected(chain, start.to, start.permit))
  }

  return {
    call,
    open(purpose, options) {
      const { purpose: _, ...own } = options
      known.set(own, { kind: 'own', purpose })
      return host.stream(own)
    },
  }
}

function purposeOf(options: CallOptions): Purpose {
  if (options.purpose === 'session-title') return 'title'
  return options.purpose === 'compaction' ? 'compaction' : 'other'
}
