/**
 * A compiled list of candidates: entries in the order of their rank, with everything that does not depend on the asking
 * session worked out once and kept until health or the clock changes it. Owns no rule of choice; see pick.ts.
 */
import type { Entry, Route } from '../contract/route.ts'
import { clockOf, clockState, nextClockChange, type Clock } from './window.ts'
import type { HardHold, HealthView, SoftState, Tier } from './view.ts'

/**
 * One candidate. Lower `rank` goes first inside a tier; equal ranks are equals among whom a session keeps its own.
 * `groupId` null = not a member of a group (a fallback): a day mark does not bar it, it only puts it last.
 */
export interface Option {
  readonly entry: Entry
  readonly groupId: string | null
  readonly rank: number
}

/** Where an option stands for everybody: barred, or in a tier. `changesAt` = when the clock alone may change that. */
export interface Standing {
  readonly barred: HardHold | null
  readonly soft: SoftState
  readonly changesAt: number
}

const NOWHERE: readonly number[] = []
const NEVER = Number.POSITIVE_INFINITY
const CLEAR: SoftState = { tier: 0, why: null, until: null }
const DISABLED: Standing = { barred: { why: 'disabled', class: null, until: null }, soft: CLEAR, changesAt: NEVER }

/** What health says of a route outside any group entry. */
export function routeStanding(route: Route, health: HealthView, now: number): Standing {
  const barred = health.hard(route, now)
  if (barred) return { barred, soft: CLEAR, changesAt: barred.until ?? NEVER }
  const soft = health.soft(route, now)
  return { barred: null, soft, changesAt: soft.until ?? NEVER }
}

/** The same for an option, with its switch, its hours and its last day. */
export function optionStanding(option: Option, clock: Clock, health: HealthView, now: number): Standing {
  if (option.entry.disabled) return DISABLED
  const turn = nextClockChange(clock, now)
  const hours = clockState(clock, now)
  if (hours.state !== 'open') {
    return { barred: { why: hours.state, class: null, until: hours.state === 'window' ? hours.until : null }, soft: CLEAR, changesAt: turn }
  }
  const stands = routeStanding(option.entry, health, now)
  const changesAt = Math.min(stands.changesAt, turn)
  if (option.groupId !== null || stands.barred?.why !== 'failed') return { ...stands, changesAt }
  const marked = markedFallback(option.entry, stands.barred, health, now)
  return { ...marked, changesAt: Math.min(changesAt, marked.changesAt) }
}

/** A fallback that failed today is a last resort, unless more than the mark speaks against it. An open breaker says more than the mark. */
function markedFallback(route: Route, mark: HardHold, health: HealthView, now: number): Standing {
  const barred = health.hard(route, now, false)
  if (barred) return { barred, soft: CLEAR, changesAt: barred.until ?? NEVER }
  const soft = health.soft(route, now)
  const last: SoftState = soft.tier === 4 ? soft : { tier: 4, why: mark.why, until: mark.until }
  return { barred: null, soft: last, changesAt: soft.until ?? NEVER }
}

/** True where a request needs a permit: a breaker is open or half-open, a mere day mark needs none. */
export function needsPermit(soft: SoftState): boolean {
  return soft.tier === 2 || (soft.tier === 4 && soft.why !== 'failed')
}

const TIERS = 5

/**
 * Options sorted by rank, and a sieve over them that sorts them into tiers only as far as somebody asks. The sieve is
 * right for one health version and from the instant it began until the first standing in it changes. A plan serves one
 * health all its life, because it knows it by version only.
 */
export class Plan {
  readonly options: readonly Option[]
  readonly clocks: readonly Clock[]
  /** Rank of each option; the same numbers as in `options`, without the way through two objects. */
  readonly ranks: Float64Array
  /** 1 where the entry asks before it is used. */
  readonly asks: Uint8Array
  /** Tier of each option the sieve has seen; only right for those it returned. */
  readonly tiers: Uint8Array
  /** 1 where a request needs a permit, 2 where that permit is out; only right for options the sieve returned. */
  readonly trials: Uint8Array
  /** End of an open state, which orders the last tier; Infinity = not ended by time. */
  readonly ends: Float64Array
  readonly #index = new Map<string, Map<string, number[]>>()
  readonly #members: Int32Array
  readonly #counts = new Int32Array(TIERS)
  #seen = 0
  #version = -1
  #probesOn = true
  #from = NEVER
  #until = -NEVER

  /** `options` in order of registration; equal ranks keep it. */
  constructor(options: readonly Option[]) {
    this.options = options.toSorted((a, b) => a.rank - b.rank)
    const size = this.options.length
    this.clocks = this.options.map((option) => clockOf(option.entry))
    this.ranks = Float64Array.from(this.options, (option) => option.rank)
    this.asks = Uint8Array.from(this.options, (option) => (option.entry.ask ? 1 : 0))
    this.tiers = new Uint8Array(size)
    this.trials = new Uint8Array(size)
    this.ends = new Float64Array(size)
    this.#members = new Int32Array(size * TIERS)
    this.options.forEach(({ entry }, at) => {
      const models = this.#index.get(entry.provider) ?? new Map<string, number[]>()
      this.#index.set(entry.provider, models)
      models.set(entry.model, [...(models.get(entry.model) ?? []), at])
    })
  }

  /** Places of a route, best rank first; several only where groups are joined. */
  places(route: Route): readonly number[] {
    return this.#index.get(route.provider)?.get(route.model) ?? NOWHERE
  }

  holds(route: Route): boolean {
    return this.places(route).length > 0
  }

  standing(at: number, health: HealthView, now: number): Standing {
    const option = this.options[at]
    const clock = this.clocks[at]
    return option && clock ? optionStanding(option, clock, health, now) : DISABLED
  }

  /** Makes the sieve right for this instant. Must precede {@link member}. */
  refresh(health: HealthView, now: number, probesOn: boolean): void {
    if (this.#version === health.version && now >= this.#from && now < this.#until && this.#probesOn === probesOn) return
    this.#version = health.version
    this.#probesOn = probesOn
    this.#from = now
    this.#until = NEVER
    this.#seen = 0
    this.#counts.fill(0)
  }

  /**
   * Place of the `nth` option of a tier in the order in which they are tried, −1 when there are no more. The last tier
   * is ordered by the end of its state, all others by rank.
   */
  member(tier: Tier, nth: number, health: HealthView, now: number): number {
    while (nth >= (this.#counts[tier] ?? 0) || tier === TIERS - 1) {
      if (this.#seen >= this.options.length) break
      this.#sift(health, now)
    }
    return nth < (this.#counts[tier] ?? 0) ? (this.#members[tier * this.options.length + nth] ?? -1) : -1
  }

  /** Takes one more option into its tier. Nothing it finds can change the answer for options already taken. */
  #sift(health: HealthView, now: number): void {
    const at = this.#seen++
    const clock = this.clocks[at]
    const option = this.options[at]
    if (!clock || !option || option.entry.disabled) return this.#finish()
    const stands = optionStanding(option, clock, health, now)
    this.#from = now
    if (stands.changesAt < this.#until) this.#until = stands.changesAt
    if (!stands.barred) {
      this.tiers[at] = stands.soft.tier
      this.trials[at] = trialOut(stands.soft) ? 2 : needsPermit(stands.soft) ? 1 : 0
      this.ends[at] = stands.soft.until ?? NEVER
      this.#put(at, seatOf(stands.soft.tier, this.#probesOn))
    }
    this.#finish()
  }

  #put(at: number, tier: Tier): void {
    const count = this.#counts[tier] ?? 0
    this.#members[tier * this.options.length + count] = at
    this.#counts[tier] = count + 1
  }

  /** Orders the last tier once all options have been seen. */
  #finish(): void {
    if (this.#seen < this.options.length) return
    const start = (TIERS - 1) * this.options.length
    const last = this.#members.subarray(start, start + (this.#counts[TIERS - 1] ?? 0))
    last.sort((a, b) => (this.ends[a] ?? 0) - (this.ends[b] ?? 0) || a - b)
  }
}

/** True while somebody else tries the route out. */
export function trialOut(soft: SoftState): boolean {
  return soft.why === 'trial'
}

/**
 * The tier an option competes in. While probes run, a half-open route waits behind everything that works; without them
 * only a user's request can close its breaker, so it competes as if it were healthy and its permit limits the risk.
 */
export function seatOf(tier: Tier, probesOn: boolean): Tier {
  return tier === 2 && !probesOn ? 0 : tier
}
