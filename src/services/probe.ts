/**
 * The scheduler of background probes: one schedule per route, few calls at a time, a small daily purse per provider.
 * Its timers only start probes; what a probe proves is decided by the health service.
 */
import type { HealthStatus } from '../contract/health.ts'
import { routeKey, type Route } from '../contract/route.ts'
import { dayNumber } from '../domain/beijing.ts'
import { outageProbeMs } from '../domain/outage.ts'
import { backoffMs, GONE_CAP_MS, PROBE_GAP_MS, PROBES_AT_ONCE, type ProbeNeed } from '../domain/probe-plan.ts'
import type { Outcome, Permit } from '../domain/view.ts'
import type { Dispose, Log, Random, Time } from '../ports.ts'
import type { EmitHealth, HealthConfig } from './health-board.ts'
import type { ProbeReport } from './health-status.ts'
import type { Health } from './health.ts'
import { Purse } from './probe-purse.ts'
import { REPEAT_TOKENS, type ProbeCall, type ProbeReply } from './probe-call.ts'

/** Two tries of a probe must end within the 90 s of its permit. */
const TIMEOUT_MS = 40_000
/** How soon a due probe is looked at again that nobody wanted, nobody could pay for, or whose permit was out. */
const RECHECK_MS = 15_000

export interface ProbeDependencies {
  readonly time: Time
  readonly random: Random
  readonly log: Log
  readonly config: () => HealthConfig
  readonly health: Health
  readonly call: ProbeCall
  /** Whether some live session could use the route, were it not held: in an enabled group or as a home, neither disabled nor `ask`. */
  readonly wanted: (route: Route) => boolean
  readonly emit: EmitHealth
}

export interface Probes {
  /** Something changed that health does not know of: settings, sessions, groups. */
  poke(): void
  report(): ProbeReport
  /** Cuts off what runs and waits for it; no probe starts afterwards. */
  close(): Promise<void>
}

interface Schedule {
  readonly route: Route
  failures: number
  /** Back-off: no probe before this instant of the steady clock. */
  notBefore: number
  running: boolean
  lastAt: number | null
  lastOk: boolean | null
  lastMessage: string | null
}

export function createProbes(parts: ProbeDependencies): Probes {
  return new ProbeScheduler(parts)
}

class ProbeScheduler implements Probes {
  readonly #parts: ProbeDependencies
  readonly #schedules = new Map<string, Schedule>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #busy = new Set<string>()
  readonly #lifetime = new AbortController()
  readonly #unsubscribe: Dispose
  readonly #purse: Purse
  #timer: Dispose | null = null
  #timerAt = Number.POSITIVE_INFINITY
  #lastStart = Number.NEGATIVE_INFINITY
  #outage = { since: Number.NaN, tries: 0, from: 0 }

  constructor(parts: ProbeDependencies) {
    this.#parts = parts
    this.#purse = new Purse(() => dayNumber(parts.time.now()))
    this.#unsubscribe = parts.health.subscribe(() => this.poke())
    this.poke()
  }

  poke(): void {
    this.#wakeAt(this.#parts.time.mono())
  }

  report(): ProbeReport {
    const { time, health } = this.#parts
    const wall = (mono: number): number => Math.round(time.now() + Math.max(0, mono - time.mono()))
    const probes: HealthStatus['probes'] = health.probeNeeds().map((need) => {
      const schedule = this.#scheduleOf(need)
      const { running, failures, lastAt, lastOk, lastMessage } = schedule
      return { ...need.route, nextAt: running ? null : wall(dueOf(need, schedule)), running, failures, lastAt, lastOk, lastMessage, serves: [...need.serves] }
    })
    return { probes, tokens: this.#purse.spent() }
  }

  async close(): Promise<void> {
    this.#unsubscribe()
    this.#lifetime.abort()
    this.#timer?.()
    this.#timer = null
    await Promise.all(this.#running.values())
  }

  #wakeAt(mono: number): void {
    if (this.#lifetime.signal.aborted || this.#timerAt <= mono) return
    this.#timer?.()
    this.#timerAt = mono
    this.#timer = this.#parts.time.after(Math.max(0, mono - this.#parts.time.mono()), () => {
      this.#timer = null
      this.#timerAt = Number.POSITIVE_INFINITY
      if (!this.#lifetime.signal.aborted) this.#plan()
    })
  }

  #plan(): void {
    const { health, config } = this.#parts
    if (!config().enabled || !config().enableProbe) return
    const needs = health.probeNeeds()
    this.#forget(needs)
    const outage = health.outage()
    if (outage) return this.#planOutage(outage, needs)
    const mono = this.#parts.time.mono()
    const waiting = needs.map((need) => ({ need, schedule: this.#scheduleOf(need) }))
      .filter(({ schedule }) => !schedule.running)
      .toSorted((a, b) => dueOf(a.need, a.schedule) - dueOf(b.need, b.schedule))
    for (const { need, schedule } of waiting) {
      const due = dueOf(need, schedule)
      if (due > mono) return this.#wakeAt(due)
      if (this.#running.size >= PROBES_AT_ONCE) return
      if (this.#busy.has(need.route.provider)) continue
      if (mono < this.#lastStart + PROBE_GAP_MS) return this.#wakeAt(this.#lastStart + PROBE_GAP_MS)
      if (!this.#start(schedule, need.capMs)) this.#wakeAt(mono + RECHECK_MS)
    }
  }

  /** During a local outage one route at a time is asked, whether it is held or not; the answer ends the outage. */
  #planOutage(outage: { readonly since: number; readonly routes: readonly Route[] }, needs: readonly ProbeNeed[]): void {
    const { time, health, wanted } = this.#parts
    const mono = time.mono()
    if (this.#outage.since !== outage.since) this.#outage = { since: outage.since, tries: 0, from: outage.since + outageProbeMs(0) }
    if (this.#running.size > 0) return
    if (mono < this.#outage.from) return this.#wakeAt(this.#outage.from)
    const view = health.view()
    const now = time.now()
    const free = outage.routes.filter((route) => wanted(route) && view.hard(route, now) === null)
    const askable = [...free, ...needs.map(({ route }) => route).filter(wanted)]
    const route = askable[this.#outage.tries % Math.max(1, askable.length)]
    this.#outage.tries += 1
    this.#outage.from = mono + outageProbeMs(this.#outage.tries)
    this.#wakeAt(this.#outage.from)
    if (!route) return
    const need = needs.find((one) => one.route.provider === route.provider && one.route.model === route.model)
    this.#start(this.#scheduleOf(need ?? { route, failed: 0 }), need?.capMs ?? GONE_CAP_MS)
  }

  /** Starts the probe of a schedule; false when nobody wants it, nobody can pay for it, or its permit is out. */
  #start(schedule: Schedule, capMs: number): boolean {
    const { health, wanted, config, time } = this.#parts
    const { route } = schedule
    if (!wanted(route) || !this.#purse.affords(route.provider, config().probeMaxTokens)) return false
    const needed = health.needsPermit(route)
    const permit = needed ? health.lease(route) : null
    if (needed && !permit) return false
    schedule.running = true
    this.#busy.add(route.provider)
    this.#lastStart = time.mono()
    const key = routeKey(route)
    const run = this.#probe(schedule, capMs, permit).finally(() => {
      schedule.running = false
      this.#busy.delete(route.provider)
      this.#running.delete(key)
      this.poke()
    })
    this.#running.set(key, run)
    return true
  }

  async #probe(schedule: Schedule, capMs: number, permit: Permit | null): Promise<void> {
    const { time, health, emit, log } = this.#parts
    const { route } = schedule
    const began = { startedAt: time.now(), startedMono: time.mono() }
    const reply = await this.#ask(route)
    const outcome: Outcome = {
      ...began, route, endedAt: time.now(), endedMono: time.mono(), failure: reply.failure, escaped: false, final: false, purpose: 'probe', permit,
    }
    if (this.#lifetime.signal.aborted || !reply.conclusive) {
      if (permit) health.release(permit)
      if (this.#lifetime.signal.aborted) return
    } else {
      health.observeProbe(outcome)
    }
    this.#settle(schedule, reply, capMs)
    log.info('probe of %s/%s: %s', route.provider, route.model, reply.ok ? 'serves' : (reply.failure?.class ?? 'no answer'))
    const message = reply.failure?.message ?? null
    try {
      emit('probe', { provider: route.provider, model: route.model, ok: reply.ok, ...(message === null ? {} : { message }) })
    } catch (error) { log.error('a listener of probe failed: %s', error) }
  }

  /** A good probe frees the schedule for the next evidence; anything else backs off. An outage is nobody's fault. */
  #settle(schedule: Schedule, reply: ProbeReply, capMs: number): void {
    const { time, random, config, health } = this.#parts
    schedule.lastAt = time.now()
    schedule.lastOk = reply.ok
    schedule.lastMessage = reply.failure?.message ?? null
    if (reply.ok) {
      schedule.failures = 0
      schedule.notBefore = Number.NEGATIVE_INFINITY
    } else if (!health.outage()) {
      const gone = reply.failure?.class === 'model_not_found' || reply.failure?.class === 'upstream_unavailable'
      schedule.notBefore = time.mono() + backoffMs(schedule.failures, config().endpoint_probe_interval_ms, gone ? GONE_CAP_MS : capMs, random())
      schedule.failures += 1
    }
  }

  /** The call, repeated once with more room when the answer said nothing about the route. */
  async #ask(route: Route): Promise<ProbeReply> {
    const first = await this.#attempt(route, this.#parts.config().probeMaxTokens)
    if (first.conclusive || this.#lifetime.signal.aborted || !this.#purse.affords(route.provider, REPEAT_TOKENS)) return first
    return this.#attempt(route, REPEAT_TOKENS)
  }

  async #attempt(route: Route, maxTokens: number): Promise<ProbeReply> {
    const { time, call, log } = this.#parts
    const limit = new AbortController()
    const signal = AbortSignal.any([this.#lifetime.signal, limit.signal])
    const stop = time.after(TIMEOUT_MS, () => limit.abort())
    const cut = new Promise<null>((resolve) => { signal.addEventListener('abort', () => resolve(null), { once: true }) })
    const asked = call(route, maxTokens, signal).catch((error: unknown) => {
      log.error('a probe of %s/%s broke: %s', route.provider, route.model, error)
      return null
    })
    const reply = await Promise.race([asked, cut])
    stop()
    this.#purse.pay(route.provider, reply?.tokens ?? 0)
    if (reply && !limit.signal.aborted) return reply
    if (!limit.signal.aborted) return { ok: false, conclusive: false, failure: null, tokens: 0 }
    return {
      ok: false, conclusive: true, tokens: 0,
      failure: { class: 'timeout', scope: 'route', reset: null, rule: 'probe-timeout', endOfLife: false, code: 'TIMEOUT', message: `no answer to a probe within ${TIMEOUT_MS / 1000} s` },
    }
  }

  #scheduleOf(need: Pick<ProbeNeed, 'route' | 'failed'>): Schedule {
    const key = routeKey(need.route)
    let schedule = this.#schedules.get(key)
    if (!schedule) {
      schedule = { route: need.route, failures: need.failed, notBefore: Number.NEGATIVE_INFINITY, running: false, lastAt: null, lastOk: null, lastMessage: null }
      this.#schedules.set(key, schedule)
    }
    return schedule
  }

  /** Drops the schedules of routes that need no probe any more, so that the next trouble starts from its own beginning. */
  #forget(needs: readonly ProbeNeed[]): void {
    const needed = new Set(needs.map(({ route }) => routeKey(route)))
    for (const [key, schedule] of this.#schedules) if (!schedule.running && !needed.has(key)) this.#schedules.delete(key)
  }
}

function dueOf(need: ProbeNeed, schedule: Schedule): number {
  return Math.max(need.from, schedule.notBefore)
}
