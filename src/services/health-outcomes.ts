/**
 * What one finished model call does to the board: the table of consequences applied, with the rules that keep blame from
 * the wrong place (stale outcomes, sleep, a local outage, permits).
 */
import { breakerSucceeded, refundBreaker, strike, trialFailed, type Blow } from '../domain/breaker.ts'
import { CLASS_RULES, consequences, type Consequences } from '../domain/consequences.ts'
import { endpointFailed, endpointProbed, endpointProbeFailed, endpointServed, refundEndpoint } from '../domain/endpoint.ts'
import type { ProviderState, RouteState } from '../domain/health.ts'
import { badProbe, clearedBySuccess, dayOf, goodProbe, markFailure, standingMark, type Moment } from '../domain/ledger.ts'
import { callSucceeded, NO_OUTAGE, OUTAGE_WINDOW_MS, transportFailed, type Evidence, type Outage } from '../domain/outage.ts'
import { liveLease } from '../domain/permit.ts'
import { isInconclusive } from '../domain/probe-plan.ts'
import type { Outcome, Permit } from '../domain/view.ts'
import type { Log, Random } from '../ports.ts'
import type { Board, HealthConfig } from './health-board.ts'

/** The message must have passed the redactor: it is stored and shown as it is. */
export type OutcomeFailure = NonNullable<Outcome['failure']>

const REASON_LIMIT = 2000

export interface OutcomeParts {
  readonly board: Board
  readonly config: () => HealthConfig
  readonly random: Random
  readonly log: Log
  readonly changed: () => void
}

/** One failure on its way through the machines. */
interface Case {
  readonly outcome: Outcome
  readonly failure: OutcomeFailure
  readonly provider: ProviderState
  readonly state: RouteState
  readonly found: Consequences
  readonly id: number
  readonly moment: Moment
  readonly probe: boolean
  /** The upstream's text, cut to what the documents hold. */
  readonly reason: string | null
}

export class Outcomes {
  outage: Outage = NO_OUTAGE
  readonly #parts: OutcomeParts
  #ids = 0

  constructor(parts: OutcomeParts) {
    this.#parts = parts
  }

  /** A call that served. `live` = no probe. */
  succeeded(outcome: Outcome, live: boolean, moment: Moment): void {
    const { board, config } = this.#parts
    const provider = board.providers.get(outcome.route.provider)
    this.#networkWorks(outcome, provider)
    if (!provider) return
    const state = provider.routes.get(outcome.route.model)
    const improve = live ? endpointServed : endpointProbed
    board.setEndpoint(provider, null, improve(provider.endpoint, outcome.startedMono, moment.mono), moment.mono)
    if (!state) return
    board.setEndpoint(provider, state, improve(state.endpoint, outcome.startedMono, moment.mono), moment.mono)
    const success = { startedAt: outcome.startedMono, live, holder: holds(state, outcome.permit, moment.mono) }
    board.setBreaker(state, breakerSucceeded(state.breaker, success, moment.mono), moment.mono)
    board.settleProvider(provider, state.route.model, false)
    const marked = standingMark(state.marked, moment.now)
    if (!marked) return
    if (live && clearedBySuccess(marked, outcome.startedMono)) board.setMark(state, null, moment.mono)
    if (!live && outcome.startedMono >= marked.sinceMono && config().ledgerRecovery === 'evidence') {
      board.setMark(state, goodProbe(marked, config().ledgerEvidenceGapMs, moment.mono), moment.mono)
    }
  }

  /** A call that failed. `grace` = the machine has just woken up: only what an upstream stated is believed. */
  failed(outcome: Outcome, failure: OutcomeFailure, moment: Moment, grace: boolean): void {
    const { board, config } = this.#parts
    const found = consequences(failure, config(), moment.now)
    if (failure.class === 'cancelled' || found.rejection) return
    const provider = board.provider(outcome.route.provider)
    board.refreshEndpoint(provider)
    const probe = outcome.purpose === 'probe'
    const one: Case = { outcome, failure, found, provider, state: board.route(outcome.route), id: ++this.#ids, moment, probe, reason: failure.message?.slice(0, REASON_LIMIT) ?? null }
    const calm = !grace && this.outage.active === null
    this.#hold(one, calm)
    if (!calm) return
    // An endpoint that has long been known as dead says nothing about the network of this machine.
    const knownDead = provider.endpoint.at === 'quarantined' && moment.mono - provider.endpoint.since > OUTAGE_WINDOW_MS
    const { state } = one
    const before = [state.breaker, state.endpoint, provider.endpoint, state.marked] as const
    this.#strike(one)
    this.#structural(one)
    this.#mark(one)
    if (failure.class !== 'transport' || knownDead) return
    const moved = state.breaker !== before[0] || state.endpoint !== before[1] || provider.endpoint !== before[2] || state.marked !== before[3]
    this.#suspectNetwork(one, { id: one.id, at: moment.mono, endpoint: endpointKey(provider), moved, route: state.route, markBefore: before[3], markAfter: state.marked })
  }

  #hold({ state, failure, found, moment, reason }: Case, calm: boolean): void {
    const { board } = this.#parts
    if (found.restUntil !== null) board.rest(state, moment.mono + found.restUntil - moment.now)
    if (!found.hold || !(found.hold.stated || calm)) return
    board.hold({
      scope: found.hold.scope, provider: state.route.provider, model: found.hold.scope === 'route' ? state.route.model : null,
      class: failure.class, reason, setAt: moment.now, until: found.hold.until,
    }, moment)
  }

  #strike({ outcome, failure, found, provider, state, id, moment, probe }: Case): void {
    const { board, config, random } = this.#parts
    const weight = outcome.escaped ? found.escapedWeight : found.plainWeight
    const blow: Blow = { id, class: failure.class, weight, startedAt: outcome.startedMono, u: random() }
    const rule = { windowMs: config().burstWindowMs, cooldownMs: config().modelCooldownMs }
    const trial = liveLease(state.lease, moment.mono)
    const before = state.breaker
    if (before.at === 'closed') {
      // A probe asks after a route that is held already; only requests fill the burst window.
      if (!probe) board.setBreaker(state, strike(before, blow, rule, moment.mono), moment.mono)
    } else if (!trial) {
      board.setBreaker(state, strike(before, blow, rule, moment.mono), moment.mono)
    } else if (holds(state, outcome.permit, moment.mono)) {
      board.setBreaker(state, trialFailed(before, blow, rule, moment.mono), moment.mono)
    }
    if (state.breaker !== before && state.breaker.at === 'open') board.judgeProvider(provider, { model: state.route.model, by: id }, moment.mono)
  }

  #structural({ outcome, failure, found, provider, state, id, moment, probe, reason }: Case): void {
    const { board, config, random } = this.#parts
    const rule = { suspect: config().endpoint_suspect_threshold, quarantine: config().endpoint_quarantine_threshold }
    const blow = {
      id, count: found.structural, class: failure.class, reason,
      model: state.route.model, startedAt: outcome.startedMono, u: random(),
    }
    for (const held of [null, state]) {
      const before = (held ?? provider).endpoint
      const hit = found.structuralScope === (held ? 'route' : 'endpoint')
      let next = hit ? endpointFailed(before, blow, rule, moment.mono) : before
      if (probe && before.at === 'quarantined' && (held || before.model === state.route.model)) {
        // An answer that names a missing model came through the endpoint: its transport works again.
        next = !held && found.structuralScope === 'route'
          ? endpointProbed(before, outcome.startedMono, moment.mono)
          : endpointProbeFailed(next, hit || judges(failure), moment.mono)
      }
      board.setEndpoint(provider, held, next, moment.mono)
    }
  }

  #mark({ outcome, failure, found, state, moment, probe, reason }: Case): void {
    const { board, config } = this.#parts
    const marked = standingMark(state.marked, moment.now)
    if (probe) {
      if (marked && !isInconclusive(failure.class)) board.setMark(state, badProbe(marked), moment.mono)
      return
    }
    const due = outcome.purpose === 'chat' && outcome.final && (found.mark === 'final' || (found.mark === 'escaped' && outcome.escaped))
    const stale = outcome.startedMono < state.ledgerSince || (marked !== null && outcome.startedMono < marked.sinceMono)
    if (!due || stale) return
    const day = dayOf(moment.now, config().failResetHour)
    board.setMark(state, markFailure(marked, { route: state.route, class: failure.class, code: failure.code, reason }, day, moment), moment.mono)
  }

  #suspectNetwork({ moment }: Case, evidence: Evidence): void {
    this.outage = transportFailed(this.outage, evidence, moment.now)
    const { active } = this.outage
    if (!active) return
    this.#parts.log.warn('local outage: transport failures of %d endpoints within seconds; nobody is blamed', active.endpoints.length)
    this.#refund(active.evidence, moment.mono)
    this.#parts.changed()
  }

  /** Takes back what the failures behind a local outage have moved. */
  #refund(evidence: readonly Evidence[], mono: number): void {
    const { board } = this.#parts
    const ids = new Set(evidence.map(({ id }) => id))
    for (const { route, markBefore, markAfter } of evidence.toReversed()) {
      const provider = board.provider(route.provider)
      const state = board.route(route)
      board.setBreaker(state, refundBreaker(state.breaker, ids), mono)
      board.setEndpoint(provider, null, refundEndpoint(provider.endpoint, ids), mono)
      if (markAfter !== markBefore && state.marked === markAfter) board.setMark(state, markBefore, mono)
      board.settleProvider(provider, route.model, provider.open !== null && ids.has(provider.open.by))
    }
  }

  #networkWorks(outcome: Outcome, provider: ProviderState | undefined): void {
    const endpoint = provider ? endpointKey(provider) : outcome.route.provider
    const next = callSucceeded(this.outage, { endpoint, startedAt: outcome.startedMono })
    if (next === this.outage) return
    const ended = this.outage.active !== null
    this.outage = next
    if (!ended) return
    this.#parts.log.info('local outage over: %s/%s answered', outcome.route.provider, outcome.route.model)
    this.#parts.changed()
  }
}

/** Whether this call is the trial of the route. */
function holds(state: RouteState, permit: Permit | null, mono: number): boolean {
  return permit !== null && liveLease(state.lease, mono)?.id === permit.id
}

/** The endpoint a provider speaks through, as one text. */
function endpointKey({ provider, endpointId }: ProviderState): string {
  return `${provider}\n${endpointId}`
}

/** Whether a failed probe of this class says that the endpoint is still dead. Limits, credentials and rejections do not. */
function judges(failure: OutcomeFailure): boolean {
  const rule = CLASS_RULES[failure.class]
  return rule.breaker && failure.class !== 'rate_limit' && failure.reset === null
}
