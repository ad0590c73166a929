/**
 * The route of a request that is about to be built: decided when a turn begins, kept for its later steps, and decided
 * anew only when it is held by then. The common case, home and healthy, reads a few fields and touches nothing.
 * Where the host fixes the model before the step (`frozen`), a request is only looked at, never changed.
 */
import { sameRoute, type EffortRoute } from '../contract/route.ts'
import type { Scene } from '../domain/scene.ts'
import { boundPlan } from '../domain/scene.ts'
import { homeOf, turnStart, type TurnStart } from '../domain/turnstart.ts'
import type { CallConfig, LiveSession, RequestMoment } from '../ports.ts'
import { learnFacts, raced, sceneOf, type Engine } from './engine.ts'
import type { SessionRun } from './runs.ts'

export interface Choose {
  request(moment: RequestMoment): CallConfig | Promise<CallConfig>
  /**
   * Decides where a turn runs and carries it out; `base` is what the host would use. Where the host knows all that is
   * asked, its choice is made before this returns, and only the disk is waited for.
   */
  start(moment: Moment, run: SessionRun, base: EffortRoute): Promise<EffortRoute>
  /** The route decided for the running turn may still be used. */
  stillGood(run: SessionRun): boolean
  /** The route a session runs on now, as far as this process knows. */
  runningOn(session: string): EffortRoute | null
}

/** The part of a request's moment that a decision needs. */
export type Moment = Pick<RequestMoment, 'session' | 'signal'>

const MOVES_MAX = 6
const MOVES_WINDOW_MS = 600_000
/** A settled answer is trusted this long at most, so that a clock which only health reads cannot be missed. */
const SETTLED_MS = 1000

export function createChoose(engine: Engine): Choose {
  const { time, host, runs, moves, records } = engine

  const runningOn = (session: string): EffortRoute | null => {
    const run = runs.peek(session)
    const record = records.get(session)
    // A choice by hand counts from the next request on; what was sent before it is history.
    const picked = record?.picked && !record.override ? record.home : null
    return run?.route ?? picked ?? run?.sent ?? record?.override ?? host.recall(session)?.lastRoute ?? null
  }

  /** The parent's route now, where a child still asks for what it was created with; a model of its own stays its own. */
  const parentRoute = (live: LiveSession | null, base: EffortRoute, run: SessionRun): EffortRoute | null => {
    if (!live?.parent || !live.subagent) return null
    const followed = sameRoute(base, live.createdWith) || (run.sent !== null && sameRoute(base, run.sent))
    return followed ? runningOn(live.parent) : null
  }

  /** What the host would use, unless that is only the echo of a route we had put the session on. */
  const senseHandPick = (id: string, base: EffortRoute, run: SessionRun): void => {
    const record = records.get(id)
    if (!record?.home || host.abilities().handPickSensor !== 'header') return
    const echo = sameRoute(base, record.home) || sameRoute(base, record.override) || sameRoute(base, run.sent)
    if (!echo) void moves.picked(id, base, 'hand-pick')
  }

  const start: Choose['start'] = async (moment, run, base) => {
    const id = moment.session
    senseHandPick(id, base, run)
    const live = host.session(id)
    const home = homeOf({ record: records.get(id), hostRoute: base, parentRoute: parentRoute(live, base, run) })
    const dry = sceneOf(engine, id, false)
    const plan = boundPlan(dry) ?? engine.plans.loose(home.route ?? base)
    const asked = [home.route ?? base, ...plan.options.map((option) => option.entry)]
    if (asked.some((route) => engine.remembered(route) === undefined)) await learnFacts(engine, asked, moment.signal)
    if (moment.signal.aborted) return base
    const began = time.mono()
    const decision = turnStart(forHome(sceneOf(engine, id, true)), home)
    return carryOut(moment, run, decision, { base, home: home.inherited ? null : home.route, tookMs: time.mono() - began })
  }

  const carryOut = async (moment: Moment, run: SessionRun, decision: TurnStart, facts: { base: EffortRoute; home: EffortRoute | null; tookMs: number }): Promise<EffortRoute> => {
    const { base, home, tookMs } = facts
    const { why, candidates } = decision
    run.permit = decision.permit ?? run.permit
    // The host's choice comes before the disk here: the step is held until both are done, but its choice may be fixed sooner.
    if (host.frozen(moment.session) && !overLimit(run, decision)) choose(moment.session, decision.route ?? home ?? base, base)
    const told = { run, from: run.sent ?? base, why, candidates, home, tookMs }
    switch (decision.change) {
      case 'none':
        return decision.route ?? base
      case 'release':
        moves.stop(moment.session)
        return home ?? base
      case 'return':
        await raced(moves.home({ ...told, kind: 'return', to: decision.route, until: null }), moment.signal)
        return decision.route
      case 'adopt':
        await raced(moves.adopt({ ...told, kind: 'turn-start', to: decision.route, until: null }), moment.signal)
        return decision.route
      case 'move': {
        if (overLimit(run, decision)) {
          engine.releasePermit(run)
          engine.note(moment.session, 'moves/limit', why)
          return run.sent ?? base
        }
        const { to, until, moveKind } = decision
        await raced(moves.away({ ...told, kind: 'turn-start', from: decision.from, to, moveKind, until, at: decision.at, class: decision.class, code: null, message: null, rule: null }), moment.signal)
        return to
      }
    }
  }

  const overLimit = (run: SessionRun, decision: TurnStart): boolean => decision.change === 'move' && run.movesWithin(MOVES_WINDOW_MS, time.mono()) >= MOVES_MAX

  const choose = (id: string, route: EffortRoute, base: EffortRoute): void => {
    if (!sameRoute(route, base) || route.effort !== base.effort) host.move(id, route)
  }

  /** Inside a turn the decided route stays, unless it is held by now; then the start rules choose again, away from it. */
  const stillGood = (run: SessionRun): boolean => {
    const { route } = run
    if (!route) return false
    if (run.permit && sameRoute(run.permit.route, route)) return true
    const view = engine.health.view()
    const now = time.now()
    return view.hard(route, now) === null && view.soft(route, now).tier !== 4
  }

  const send = (moment: RequestMoment, run: SessionRun, route: EffortRoute): CallConfig => {
    const { base } = moment
    if (run.permit && !sameRoute(run.permit.route, route)) engine.releasePermit(run)
    run.route = route
    run.sent = route
    run.sentAt = time.now()
    run.sentMono = time.mono()
    run.opened = false
    run.content = false
    run.failing = null
    run.calls += 1
    return withRoute(base, route)
  }

  const slow = async (moment: RequestMoment, run: SessionRun, base: EffortRoute): Promise<CallConfig> => {
    const fresh = !stillGood(run)
    const route = fresh ? await start(moment, run, base) : (run.route ?? base)
    if (moment.signal.aborted) engine.releasePermit(run)
    else if (fresh) settle(run, base, route)
    return send(moment, run, route)
  }

  /** Remembers that this base needs no other route, as long as nothing changes. */
  const settle = (run: SessionRun, base: EffortRoute, route: EffortRoute): void => {
    const view = engine.health.view()
    const at = time.now()
    const plain = sameRoute(base, route) && base.effort === route.effort && !run.permit && view.hard(route, at) === null && view.soft(route, at).tier === 0
    run.settled = plain
      ? { provider: base.provider, model: base.model, effort: base.effort, version: view.version, epoch: engine.epoch(), until: at + SETTLED_MS }
      : null
  }

  /** The step's model is fixed already: whatever goes out is what was sent. */
  const observe = (moment: RequestMoment, run: SessionRun): CallConfig => {
    const route = baseRoute(moment.base)
    if (run.route && !sameRoute(run.route, route)) engine.note(moment.session, 'selection/late', `${route.provider}/${route.model}`)
    return send(moment, run, route)
  }

  return {
    runningOn,
    start,
    stillGood,
    request(moment) {
      if (!engine.enabled()) return moment.base
      const run = runs.at(moment.session)
      run.enter(moment.turn, moment.step)
      const { base } = moment
      if (moment.frozen) return observe(moment, run)
      const { settled } = run
      if (settled !== null && settled.provider === base.provider && settled.model === base.model && settled.effort === base.reasoningEffort
        && settled.version === engine.health.view().version && settled.epoch === engine.epoch() && run.tried.size === 0 && time.now() < settled.until) {
        return send(moment, run, run.route ?? baseRoute(base))
      }
      return slow(moment, run, baseRoute(base))
    },
  }
}

/** A home chosen by hand is protected by its binding but not replaced by it. */
function forHome(scene: Scene): Scene {
  return scene.record?.picked && scene.binding.inheritedFrom === null ? Object.create(scene, { binding: { value: { ...scene.binding, mode: 'failover' } } }) as Scene : scene
}

function baseRoute(base: CallConfig): EffortRoute {
  return { provider: base.provider, model: base.model, ...(base.reasoningEffort === undefined ? {} : { effort: base.reasoningEffort }) }
}

/** The host's config on another route. Its effort belongs to the old model; an absent key is omitted, never undefined. */
export function withRoute(base: CallConfig, route: EffortRoute): CallConfig {
  if (base.provider === route.provider && base.model === route.model && base.reasoningEffort === route.effort) return base
  const { reasoningEffort: _, ...rest } = base
  return { ...rest, provider: route.provider, model: route.model, ...(route.effort === undefined ? {} : { reasoningEffort: route.effort }) }
}
