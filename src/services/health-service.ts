/** The health service itself: entry points that read the clocks once, then hand over to the machines and the board. */
import type { HealthStatus, Mark } from '../contract/health.ts'
import { sameRoute, type Route } from '../contract/route.ts'
import { usageDay, usageDayEnd } from '../domain/beijing.ts'
import { AT_REST, hardHold, softState } from '../domain/health.ts'
import { clearedBySuccess, dayOf, markByHand, probesMayClear, standingMark, type Moment } from '../domain/ledger.ts'
import { LEASE_MS, liveLease } from '../domain/permit.ts'
import { needsPermit, probeNeed, type ProbeNeed } from '../domain/probe-plan.ts'
import type { HealthView, Outcome, Permit } from '../domain/view.ts'
import type { Dispose } from '../ports.ts'
import type { EarliestReturn, FailedMark, Health, HealthDependencies } from './health.ts'
import { Board, type EmitHealth, type HealthConfig } from './health-board.ts'
import { HealthClock } from './health-clock.ts'
import { failedDocumentOf, loadHealth, loadMarks, standingMarks, HealthWriter } from './health-documents.ts'
import { Outcomes } from './health-outcomes.ts'
import { healthStatusOf, type ProbeReport } from './health-status.ts'

export class HealthService implements Health {
  readonly #parts: HealthDependencies
  readonly #board: Board
  readonly #outcomes: Outcomes
  readonly #listeners = new Set<() => void>()
  readonly #view: HealthView
  readonly #clock: HealthClock
  readonly #writer: HealthWriter
  #config: { readonly from: HealthConfig; readonly use: HealthConfig } | null = null
  #version = 1
  #leases = 0
  /** The last answer of `failed`, which stays the same object until something in it changes. */
  #lastFailed: { readonly marks: readonly Mark[]; readonly until: number; readonly evidence: boolean; readonly failed: readonly FailedMark[] } | null = null

  constructor(parts: HealthDependencies) {
    this.#parts = parts
    const changed = (write: 'failed' | 'health' | null = null): void => this.#changed(write)
    const config = (): HealthConfig => this.#settings()
    const emit: EmitHealth = (event, data) => {
      try { parts.emit(event, data) } catch (error) { parts.log.error('a listener of %s failed: %s', event, error) }
    }
    const endpointOf = (provider: string): string => {
      try { return parts.endpointOf(provider) } catch { return '' /* unknown, as before the host's settings are there */ }
    }
    this.#board = new Board({ config, endpointOf, log: parts.log, emit, changed })
    this.#outcomes = new Outcomes({ board: this.#board, config, random: parts.random, log: parts.log, changed })
    this.#clock = new HealthClock({
      time: parts.time, woke: (moment) => this.#woke(moment), shifted: () => changed(), beat: ({ mono }) => this.#board.sweep(mono),
    })
    const { failed, health } = parts.documents
    const { endpointHealth, failResetHour } = config()
    const kept = endpointHealth ? [] : health.value.endpoints
    this.#writer = new HealthWriter({ board: this.#board, documents: parts.documents, kept, resetHour: () => config().failResetHour, moment: () => this.#clock.moment() })
    this.#view = this.#makeView()
    const moment = this.#clock.moment()
    loadMarks(this.#board, failed.value, failResetHour, moment)
    loadHealth(this.#board, health.value, endpointHealth ? health.value.endpoints : [], moment, parts.random)
    this.#clock.start()
  }

  #makeView(): HealthView {
    const { providers } = this.#board
    const version = (): number => this.#version
    const offset = (): number => this.#clock.offset
    return {
      get version() { return version() },
      hard: (route, now, ledger) => {
        const provider = providers.get(route.provider)
        return provider ? hardHold(provider, provider.routes.get(route.model), { now, offset: offset() }, ledger) : null
      },
      soft: (route, now) => {
        const provider = providers.get(route.provider)
        return provider ? softState(provider, provider.routes.get(route.model), now, offset()) : AT_REST
      },
    }
  }

  view(): HealthView {
    this.#clock.moment()
    return this.#view
  }

  observe(outcome: Outcome): void {
    this.#hear(outcome, true)
  }

  observeProbe(outcome: Outcome): void {
    this.#hear(outcome, false)
  }

  #hear(outcome: Outcome, live: boolean): void {
    try {
      const moment = this.#clock.moment()
      if (this.#settings().enabled && !this.#clock.spansJump(outcome)) {
        if (outcome.failure) this.#outcomes.failed(outcome, outcome.failure, moment, this.#clock.inGrace(moment.mono))
        else this.#outcomes.succeeded(outcome, live, moment)
      }
    } catch (error) {
      this.#parts.log.error('the end of a call could not be booked: %o', error)
    }
    if (outcome.permit) this.release(outcome.permit)
  }

  lease(route: Route): Permit | null {
    const { mono } = this.#clock.moment()
    const state = this.#board.route(route)
    if (liveLease(state.lease, mono)) return null
    state.lease = { id: ++this.#leases, since: mono, until: mono + LEASE_MS }
    this.#changed(null)
    return { id: state.lease.id, route: state.route, expiresMono: state.lease.until }
  }

  release(permit: Permit): void {
    const state = this.#board.find(permit.route)
    if (state?.lease?.id !== permit.id) return
    state.lease = null
    this.#changed(null)
  }

  needsPermit(route: Route): boolean {
    const provider = this.#board.providers.get(route.provider)
    return provider !== undefined && needsPermit(provider, provider.routes.get(route.model), this.#clock.moment().mono)
  }

  async markManual(route: Route): Promise<void> {
    const moment = this.#clock.moment()
    const state = this.#board.route(route)
    const [before, marked] = [state.marked, markByHand(route, dayOf(moment.now, this.#settings().failResetHour), moment)]
    this.#board.setMark(state, marked, moment.mono)
    await this.#committed(() => { if (state.marked === marked) this.#board.setMark(state, before, this.#clock.moment().mono) })
  }

  async restore(route: Route | null): Promise<void> {
    const { now, mono } = this.#clock.moment()
    const ended = standingMarks(this.#board, now).filter((mark) => !route || sameRoute(mark, route)).flatMap((mark) => {
      const state = this.#board.find(mark)
      return state?.marked?.mark === mark ? [{ state, marked: state.marked }] : []
    })
    if (ended.length === 0) return
    for (const { state } of ended) this.#board.setMark(state, null, mono)
    await this.#committed(() => {
      for (const { state, marked } of ended) if (state.marked === null) this.#board.setMark(state, marked, this.#clock.moment().mono)
    })
  }

  /**
   * Writes the ledger as it is now and takes the change back if that fails. In memory first: the file is written whole,
   * and another request that is answered meanwhile must not write one in which this change is missing.
   */
  async #committed(undo: () => void): Promise<void> {
    try {
      await this.#parts.documents.failed.replace(failedDocumentOf(this.#board, this.#clock.moment().now, this.#settings().failResetHour))
    } catch (error) {
      undo()
      throw error
    }
    // What happened while the file was written is in memory only until it is written again.
    this.#writer.soon('failed')
  }

  failed(): readonly FailedMark[] {
    const { now } = this.#clock.moment()
    const { failResetHour, ledgerRecovery, enableProbe } = this.#settings()
    const until = usageDayEnd(now, failResetHour)
    const evidence = ledgerRecovery === 'evidence' && enableProbe
    const marks = standingMarks(this.#board, now)
    const last = this.#lastFailed
    if (last && last.until === until && last.evidence === evidence && last.marks.length === marks.length && marks.every((mark, at) => mark === last.marks[at])) return last.failed
    const failed = marks.map((mark): FailedMark => ({ ...mark, until, clears: evidence && probesMayClear(mark) ? 'evidence' : 'day' }))
    this.#lastFailed = { marks, until, evidence, failed }
    return failed
  }

  turnSucceeded(route: Route, startedAt: number): void {
    const { now, mono } = this.#clock.moment()
    const state = this.#board.find(route)
    const marked = state && standingMark(state.marked, now)
    if (state && marked && clearedBySuccess(marked, startedAt - this.#clock.offset)) this.#board.setMark(state, null, mono)
  }

  credentialChanged(provider: string): void {
    const { mono } = this.#clock.moment()
    this.#board.endHolds('auth', provider)
    for (const state of this.#board.providers.get(provider)?.routes.values() ?? []) {
      if (state.marked?.mark.class === 'auth') this.#board.setMark(state, null, mono)
    }
  }

  registryChanged(): void {
    this.#clock.moment()
    this.#board.endHolds('local', null)
    for (const provider of this.#board.providers.values()) this.#board.refreshEndpoint(provider)
  }

  rest(route: Route, until?: number): void {
    const { now, mono } = this.#clock.moment()
    this.#board.rest(this.#board.route(route), mono + (until === undefined ? this.#settings().capacityCooldownMs : until - now))
  }

  usageDay(): { readonly day: string; readonly endsAt: number } {
    const { now } = this.#clock.moment()
    const { failResetHour } = this.#settings()
    return { day: usageDay(now, failResetHour), endsAt: usageDayEnd(now, failResetHour) }
  }

  earliestReturn(routes: readonly Route[]): EarliestReturn | null {
    const { now } = this.#clock.moment()
    let first: EarliestReturn | null = null
    for (const route of routes) {
      const hold = this.#view.hard(route, now)
      if (!hold || hold.until === null || (first && first.until <= hold.until)) continue
      first = { route, until: hold.until, why: hold.why, class: hold.class }
    }
    return first
  }

  status(probes?: ProbeReport): HealthStatus {
    const moment = this.#clock.moment()
    return healthStatusOf({ board: this.#board, outage: this.#outcomes.outage, burstWindowMs: this.#settings().burstWindowMs, moment, probes: probes ?? null })
  }

  probeNeeds(): readonly ProbeNeed[] {
    const { enabled, enableProbe, endpointHealth, ledgerRecovery, ledgerEvidenceGapMs } = this.#settings()
    if (!enabled || !enableProbe) return []
    const moment = this.#clock.moment()
    const rule = { evidence: ledgerRecovery === 'evidence', evidenceGapMs: ledgerEvidenceGapMs, endpointHealth }
    const needs: ProbeNeed[] = []
    for (const provider of this.#board.providers.values()) {
      for (const state of provider.routes.values()) {
        const need = probeNeed(provider, state, rule, moment)
        if (need) needs.push(need)
      }
    }
    return needs
  }

  outage(): { readonly since: number; readonly routes: readonly Route[] } | null {
    const { active } = this.#outcomes.outage
    return active && { since: active.since, routes: [...new Set(active.evidence.map(({ route }) => route))] }
  }

  subscribe(listener: () => void): Dispose {
    this.#listeners.add(listener)
    return () => { this.#listeners.delete(listener) }
  }

  async close(): Promise<void> {
    this.#clock.stop()
    this.#listeners.clear()
    await this.#writer.close()
  }

  #settings(): HealthConfig {
    const from = this.#parts.config()
    if (this.#config?.from !== from) {
      this.#config = { from, use: this.#parts.endpointHealthDisabled ? { ...from, endpointHealth: false } : from }
    }
    return this.#config.use
  }

  /** Holds keep their wall-clock ends, but a clock that was set back must not make any of them longer than it was. */
  #woke(moment: Moment): void {
    this.#parts.log.info('the clock jumped: calls that ran across it are not counted')
    this.#board.reclamp(moment.now, dayOf(moment.now, this.#settings().failResetHour))
    this.#writer.soon('failed')
    this.#changed('health')
  }

  #changed(write: 'failed' | 'health' | null): void {
    this.#version++
    if (write) this.#writer.soon(write)
    for (const listener of this.#listeners) {
      try { listener() } catch (error) { this.#parts.log.error('a listener of health failed: %o', error) }
    }
  }
}
