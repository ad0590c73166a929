/** The decision about one failed request, within its bounds, and its execution; and the words when nothing is left. */
import { routeKey, type Route } from '../contract/route.ts'
import type { CandidateVerdict } from '../contract/status.ts'
import { decide, type Decision } from '../domain/decide.ts'
import { honestError } from '../domain/honest.ts'
import { isRejection } from '../domain/patience.ts'
import { boundPlan } from '../domain/scene.ts'
import type { MoveEffect } from '../ports.ts'
import { learnFacts, raced, sceneOf, type Engine } from './engine.ts'
import type { Judged } from './failover.ts'
import type { SessionRun } from './runs.ts'

/** Remedies, back-offs and further hops of one step may take this long together; the first hop is always allowed. */
const STEP_BUDGET_MS = 45_000
const MOVES_MAX = 6
const MOVES_WINDOW_MS = 600_000

type Stay = Extract<Decision, { kind: 'stay' }>

export type TakeoverResult =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'moved'; readonly effect: MoveEffect }
  | { readonly kind: 'stayed'; readonly limit: 'hops' | 'time' | 'moves' | 'pinned' | null; readonly decision: Stay | null }

export interface Takeover {
  decide(judged: Judged): Promise<TakeoverResult>
  /** Time this step may still spend on remedies (ms). */
  budgetMs(run: SessionRun): number
  /** Makes the page drop the text of the failed attempt, if it had shown any. */
  clearPartial(judged: Judged): void
  /** Completes the upstream's error with what was tried and when something returns. */
  complete(judged: Judged, result: TakeoverResult): void
}

export function createTakeover(engine: Engine): Takeover {
  const { time, host, config, moves, log } = engine

  const limitOf = (run: SessionRun): 'hops' | 'time' | 'moves' | null => {
    if (run.hops >= config.routingChainMax) return 'hops'
    if (run.hops > 0 && spentMs(run, time.mono()) >= STEP_BUDGET_MS) return 'time'
    return run.movesWithin(MOVES_WINDOW_MS, time.mono()) >= MOVES_MAX ? 'moves' : null
  }

  const stayed = (judged: Judged, limit: 'hops' | 'time' | 'moves' | 'pinned' | null, decision: Stay | null, began: number): TakeoverResult => {
    const { run, route, verdict, failure } = judged
    const why = limit ?? decision?.why ?? 'no-candidate'
    engine.failed({ at: time.now(), session: run.id, class: verdict.class, code: failure.code, message: failure.message, from: route, to: null, why, ...uncompressedMark(route) })
    engine.decided({
      at: time.now(), session: run.id, turn: run.turn, kind: 'failure', from: route, to: null, moveKind: null, class: verdict.class, code: failure.code,
      message: failure.message, rule: verdict.rule, why, until: decision?.earliest?.until ?? null, candidates: decision ? [...decision.candidates()] : [],
      calls: run.calls, tookMs: time.mono() - began,
    })
    return { kind: 'stayed', limit: why === 'pinned' ? 'pinned' : limit, decision }
  }

  const uncompressedMark = (route: Route): { uncompressed?: true } => (engine.uncompressed(route) ? { uncompressed: true } : {})

  const decideNow = async (judged: Judged): Promise<TakeoverResult> => {
    const { run, route, verdict, failure, signal } = judged
    const began = time.mono()
    const rejected = isRejection(verdict.class)
    if (run.tried.size === 0) run.before = engine.records.get(run.id) ?? { home: null, override: null, rejections: [] }
    run.tried.set(routeKey(route), { route, class: verdict.class, code: failure.code, rejected })
    if (rejected) moves.rejected(run.id, { provider: route.provider, model: route.model, class: verdict.class, tokens: host.usedTokens(run.id), at: time.now() })
    const limit = limitOf(run)
    const dry = sceneOf(engine, run.id, false)
    const plan = boundPlan(dry) ?? engine.plans.loose(route)
    if (!limit) await learnFacts(engine, [route, ...plan.options.map((option) => option.entry)], signal)
    if (signal.aborted) return { kind: 'cancelled' }
    const decision = decide(limit ? dry : sceneOf(engine, run.id, true), {
      failed: route, home: engine.records.get(run.id)?.home ?? null, judgement: verdict, visited: new Set(run.tried.keys()),
      hopsLeft: limit ? 0 : config.routingChainMax - run.hops, endpointOf: (provider) => host.endpointOf(provider),
    })
    if (decision.kind === 'stay') return stayed(judged, limit, decision, began)

    run.permit = decision.permit
    const { to, moveKind, until } = decision
    const candidates: readonly CandidateVerdict[] = decision.candidates()
    const told = { run, kind: 'failure' as const, home: homeFor(judged), from: route, to, why: verdict.class, until, candidates: () => candidates, tookMs: time.mono() - began }
    // Going home is no hop: it counts against nothing.
    if (decision.goesHome) await raced(moves.home(told), signal)
    else {
      run.hops += 1
      await raced(moves.away({ ...told, moveKind, at: decision.at, class: verdict.class, code: failure.code, message: failure.message, rule: verdict.rule }), signal)
    }
    if (signal.aborted) {
      engine.releasePermit(run)
      return { kind: 'cancelled' }
    }
    engine.failed({ at: time.now(), session: run.id, class: verdict.class, code: failure.code, message: failure.message, from: route, to, why: verdict.class, ...uncompressedMark(route) })
    return { kind: 'moved', effect: host.move(run.id, to) }
  }

  /** The user's own route: the one the session left first. A subagent that only followed its parent has none. */
  const homeFor = ({ run, route }: Judged) => {
    const known = engine.records.get(run.id)
    if (known?.home) return known.home
    return host.session(run.id)?.subagent ? null : route
  }

  return {
    decide: decideNow,
    budgetMs: (run) => Math.max(0, STEP_BUDGET_MS - spentMs(run, time.mono())),
    clearPartial({ run, route, failure }) {
      if (!run.content) return
      host.clearPartial(run.id, { turn: run.turn, step: run.step, provider: route.provider, failure, retry: run.hops })
    },
    complete(judged, result) {
      const { run, failure, verdict } = judged
      if (result.kind === 'stayed' && run.before && [...run.tried.values()].every((each) => each.rejected)) moves.undo(run.id, run.before)
      // A request that was refused for what it is ends with the upstream's own words: no other route is to blame.
      if (result.kind !== 'stayed' || (isRejection(verdict.class) && result.limit !== 'moves')) return
      if (run.tried.size <= 1 && result.decision?.why === 'no-group') return
      const target = run.failing
      if (!target || target.message !== failure.message || Object.isFrozen(target)) return
      const { decision, limit } = result
      const message = honestError(failure.message, {
        tried: [...run.tried.values()], earliest: decision?.earliest ?? null, offers: decision?.offer ?? [], limit,
        outage: verdict.class === 'transport' && engine.health.outage() !== null, now: time.now(),
      }, engine.say(host.language(run.id)))
      try { (target as { message: string }).message = message } catch (error) { log.warn('the error could not be completed: %o', error) }
    },
  }
}

function spentMs(run: SessionRun, mono: number): number {
  return run.firstFailureMono === null ? 0 : mono - run.firstFailureMono
}
