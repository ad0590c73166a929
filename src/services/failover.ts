/**
 * The one path of a failed request: hear it once, judge it, let others speak, remedy, decide, move, tell. Owns nothing
 * but the order of these; what is remembered lies in runs, records and health.
 */
import type { Verdict } from '../contract/failure.ts'
import type { EffortRoute } from '../contract/route.ts'
import { sameRoute } from '../contract/route.ts'
import { isHostOwned } from '../domain/classify/codes.ts'
import { isRejection, patienceFor } from '../domain/patience.ts'
import { redact } from '../domain/redact.ts'
import type { FailureReport, GoalTicket, HostFailure, HostHooks, RetryAction } from '../ports.ts'
import type { Engine } from './engine.ts'
import type { SessionRun } from './runs.ts'
import type { Takeover, TakeoverResult } from './takeover.ts'

/** Continuation turns in a row without any success after which the session is left to the user. */
const CONTINUATIONS_MAX = 3

export interface Failover extends Pick<HostHooks, 'changeRefused'> {
  requestError(report: FailureReport, next: () => Promise<RetryAction>): Promise<RetryAction>
  turnError(event: { readonly session: string; readonly turn: number; readonly step: number; readonly failure: HostFailure }): void
}

/** A failure as it was judged, with everything the rest of the path needs. */
export interface Judged {
  readonly run: SessionRun
  readonly route: EffortRoute
  readonly failure: HostFailure
  readonly verdict: Verdict
  readonly signal: AbortSignal
  /** The host's own retries had been used up on this route. */
  readonly escaped: boolean
}

export function createFailover(engine: Engine, takeover: Takeover): Failover {
  const { time, log, host, runs, health, continuations } = engine

  const isHeld = (route: EffortRoute): boolean => {
    const now = time.now()
    const view = health.view()
    return view.hard(route, now) !== null || view.soft(route, now).tier === 4
  }

  /** Books the failure once the route has had its chances; what merely speaks of the request books nothing. */
  const book = (judged: Judged): void => {
    const { run, route, verdict, failure, escaped } = judged
    health.observe({
      route, startedAt: run.sentAt, startedMono: run.sentMono, endedAt: time.now(), endedMono: time.mono(),
      failure: { ...verdict, code: failure.code, message: redact(failure.message) },
      escaped, final: true, purpose: 'chat', permit: run.permit,
    })
    run.permit = null
  }

  /** Remedies, then the decision. `undefined` = the failure stands. */
  const handle = async (judged: Judged): Promise<TakeoverResult> => {
    const { run, route, failure, verdict, signal } = judged
    const remedy = await engine.remedies.run({
      session: run.id, turn: run.turn, route, failure, verdict, signal, startedAt: run.sentAt,
    }, takeover.budgetMs(run))
    if (signal.aborted) return { kind: 'cancelled' }
    if (remedy === 'retry') {
      engine.note(run.id, 'remedy/retry', verdict.rule)
      return { kind: 'retry' }
    }
    const settled = typeof remedy === 'object' && remedy.kind === 'capacity' ? { ...judged, verdict: { ...verdict, class: 'capacity' as const, scope: 'route' as const } } : judged
    if (!(typeof remedy === 'object' && remedy.kind === 'no-mark')) book(settled)
    else engine.releasePermit(run)
    return takeover.decide(settled)
  }

  const requestError = async (report: FailureReport, next: () => Promise<RetryAction>): Promise<RetryAction> => {
    const { failure, signal, policy } = report
    if (!engine.enabled() || signal.aborted || isHostOwned(failure.code)) return next()
    const run = runs.at(report.session)
    run.enter(report.turn, report.step)
    const route = asSent(run, report.route)
    const verdict = engine.judge(failure, false)
    const count = run.fail(route, time.mono())
    const escaped = run.hostRetried.has(retryKey(route))
    const judged: Judged = { run, route, failure, verdict, signal, escaped }
    const patience = patienceFor({
      class: verdict.class,
      hostRetries: policy !== null && (policy.mode === 'always' || policy.retryableCodes.includes(failure.code)),
      mode: policy?.mode ?? 'normal',
      // A trial decides about its route at the first failure; the host's retries would go out without its permit.
      held: run.permit !== null || isHeld(route),
      failures: count,
      patience: engine.settings().patience,
    })

    // The host's compaction is one of the inner policies; where it starts, calls.ts decides by this.
    if (verdict.class === 'context_too_long') run.overflowWindow = engine.remembered(route)?.contextWindow ?? 0
    let asked: RetryAction
    let heard = false
    if (patience === 'host-first') {
      asked = await next()
      heard = true
      if (signal.aborted) return asked
      if (asked?.kind === 'retry') {
        engine.releasePermit(run)
        return asked
      }
    }
    const result = await handle(judged)
    if (result.kind === 'cancelled') return undefined
    if (result.kind === 'retry') return { kind: 'retry' }
    if (result.kind === 'moved' && result.effect === 'this-step') {
      if (patience === 'ride') {
        // The host's delay and its transcript row come with its own retry, which then goes out on the new route.
        if ((await next())?.kind !== 'retry') takeover.clearPartial(judged)
      } else takeover.clearPartial(judged)
      return { kind: 'retry' }
    }
    run.decidedTurn = report.turn
    if (result.kind === 'moved') return oweAfter(run, host.armedGoal(run.id), verdict.class)
    // Nothing to move to: the inner policies have the last word, also those that were not asked yet. One without an end
    // would repeat for ever what every model refused for what it is.
    const hopeless = policy?.mode === 'always' && isRejection(verdict.class)
    if (!heard && !hopeless) asked = await next()
    if (asked?.kind === 'retry') {
      run.decidedTurn = -1
      return asked
    }
    if (!signal.aborted) takeover.complete(judged, result)
    return undefined
  }

  const oweAfter = (run: SessionRun, goal: GoalTicket | null, reason: string, most = CONTINUATIONS_MAX): undefined => {
    if (run.continuations >= most) {
      log.warn('%s: %d continuations in a row without success, the session waits for its user', run.id, run.continuations)
      return undefined
    }
    run.continuations += 1
    continuations.owe(run.id, { turn: run.turn, reason, goal })
    return undefined
  }

  /**
   * A failure that never opened a stream, or whose stream failed but whose waterfall never came to us because another
   * plugin answered first. No retry of the step is possible, so the next turn takes over.
   */
  const turnError: Failover['turnError'] = ({ session, turn, failure }) => {
    if (!engine.enabled()) return
    const run = runs.peek(session)
    if (!run?.sent || run.turn !== turn || run.decidedTurn === turn || (run.opened && !run.failing) || isHostOwned(failure.code)) return
    run.decidedTurn = turn
    // Read before anything is awaited: the host disarms the goal in this same call.
    const goal = host.armedGoal(session)
    const verdict = engine.judge(failure, false)
    const judged: Judged = { run, route: run.sent, failure, verdict, signal: new AbortController().signal, escaped: false }
    run.fail(run.sent, time.mono())
    // Without a stream and without a known cause it may not be the model at all: one attempt has to do.
    const most = verdict.class === 'unknown' && !run.opened ? 1 : CONTINUATIONS_MAX
    void handle(judged).then((result) => {
      if (result.kind === 'moved' || result.kind === 'retry') oweAfter(run, goal, verdict.class, most)
    }, (error: unknown) => log.error('a failure without a stream could not be handled: %o', error))
  }

  /** Our own change killed the turn, so it is ours to save: the same choice, made the other way, and the work goes on. */
  const changeRefused: Failover['changeRefused'] = ({ session, turn }) => {
    const run = runs.peek(session)
    if (!run?.sent || run.turn !== turn) return
    run.decidedTurn = turn
    const goal = host.armedGoal(session)
    engine.releasePermit(run)
    log.error('the host takes no other model in a request; from now on sessions move with their next turn')
    host.move(session, run.sent)
    oweAfter(run, goal, 'change refused')
  }

  return { requestError, turnError, changeRefused }
}

/** The route with the effort we sent it with; the header also holds defaults of the adapter. */
function asSent(run: SessionRun, route: EffortRoute): EffortRoute {
  return run.sent && sameRoute(run.sent, route) ? run.sent : { provider: route.provider, model: route.model }
}

/** Host retries count per provider, but a retry may have gone out on another model of it. */
export function retryKey(route: EffortRoute): string {
  return `${route.provider}\n${route.model}`
}
