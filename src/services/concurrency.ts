/**
 * Live slots per model, over all groups: first come first served, with abort, queue limit, and a sweep for streams nobody
 * reads any more. A slot is given back exactly once; nothing here throws, and the free path reads no clock.
 */
import { parseRouteKey, routeKey, type Route } from '../contract/route.ts'
import { enter, hasRoom, leave, refill, release, take, type Admissions } from '../domain/slots.ts'
import type { Dispose, Time } from '../ports.ts'
import type { Deadline, Deadlines } from './deadlines.ts'
import { Lane, LiveSlot, type Admission, type Waiting } from './slot.ts'

/** A stream whose reader does not come back for this long loses its slot. */
export const ABANDONED_MS = 600_000
const SWEEP_MS = 10_000
/** Idle lanes are forgotten beyond this many. */
const LANES_KEPT = 500

export interface LiveCount {
  readonly provider: string
  readonly model: string
  /** The model's own limit; null = follows the default. */
  readonly limit: number | null
  /** What holds now; 0 = none. */
  readonly effectiveLimit: number
  readonly running: number
  readonly queued: number
}

export interface Concurrency {
  /** Asks for a slot. Answers at once when one is free or the signal has already fired. */
  acquire(route: Route, signal?: AbortSignal): Admission | Waiting
  /** Models with a limit of their own, with calls running, or with requests waiting. */
  live(): readonly LiveCount[]
  count(route: Route): LiveCount
  /** True when a request to the route would not have to wait. */
  free(route: Route): boolean
  /** To be called after `limits` or `defaultLimit` changed: wakes those whom the new limit lets in. */
  limitsChanged(): void
  /** Ends all waiting with `closed`; later requests are let through whatever the limit. */
  dispose(): void
}

export interface ConcurrencyDeps {
  readonly time: Time
  readonly deadlines: Deadlines
  /** Own limits by route key. */
  readonly limits: () => Readonly<Record<string, number>>
  /** Limit of all other models; 0 = none. */
  readonly defaultLimit: () => number
  /** Longest wait in the queue, ms; 0 = for ever. */
  readonly queueTimeoutMs: () => number
  /** A count has changed. Must not throw. */
  readonly onChange?: () => void
}

class Gatekeeper implements Concurrency {
  readonly #deps: ConcurrencyDeps
  /** By provider, then model: no key has to be built for a lookup. */
  readonly #lanes = new Map<string, Map<string, Lane>>()
  #laneCount = 0
  #nextId = 0
  #closed = false
  #sweeping: Dispose | null = null

  constructor(deps: ConcurrencyDeps) { this.#deps = deps }

  acquire(route: Route, signal?: AbortSignal): Admission | Waiting {
    if (signal?.aborted) return { kind: 'aborted', waitMs: 0 }
    const lane = this.#laneOf(route)
    const limit = this.#limitOf(lane.key)
    if (!hasRoom(lane.slots, limit)) this.#reclaimAborted(lane)
    let place: Admission | Waiting
    if (hasRoom(lane.slots, limit)) {
      lane.slots = take(lane.slots)
      place = this.#give(lane, signal, 0)
    } else {
      const id = ++this.#nextId
      lane.slots = enter(lane.slots, limit, id).slots
      place = this.#queue(lane, id, signal)
    }
    this.#deps.onChange?.()
    return place
  }

  live(): readonly LiveCount[] {
    const routes = new Map<string, Route>()
    for (const key of Object.keys(this.#deps.limits())) {
      const route = parseRouteKey(key)
      if (route) routes.set(key, route)
    }
    for (const lane of this.#all()) if (lane.running.length > 0 || lane.waiters.size > 0) routes.set(lane.key, lane.route)
    return [...routes.values()].map((route) => this.count(route))
  }

  count(route: Route): LiveCount {
    const key = routeKey(route)
    const lane = this.#known(route)
    if (lane) this.#reclaimAborted(lane)
    const own = this.#deps.limits()[key] ?? null
    return {
      provider: route.provider, model: route.model, limit: own, effectiveLimit: own ?? this.#deps.defaultLimit(),
      running: lane?.running.length ?? 0, queued: lane?.waiters.size ?? 0,
    }
  }

  free(route: Route): boolean {
    const lane = this.#known(route)
    if (!lane) return true
    if (!hasRoom(lane.slots, this.#limitOf(lane.key))) this.#reclaimAborted(lane)
    return hasRoom(lane.slots, this.#limitOf(lane.key))
  }

  limitsChanged(): void {
    for (const lane of this.#all()) this.#settle(lane, refill(lane.slots, this.#limitOf(lane.key)))
    this.#deps.onChange?.()
  }

  dispose(): void {
    this.#closed = true
    this.#sweeping?.()
    this.#sweeping = null
    for (const lane of this.#all()) {
      const waiters = [...lane.waiters.values()]
      lane.waiters.clear()
      lane.slots = { running: lane.slots.running, waiting: [] }
      for (const waiter of waiters) waiter.settle({ kind: 'closed', waitMs: this.#since(waiter.since) })
      for (const slot of lane.running) slot.unwatch?.()
    }
  }

  /** A slot comes back; a second time changes nothing. */
  back(slot: LiveSlot): void {
    const { lane } = slot
    if (slot.place < 0) return
    const last = lane.running.pop()
    if (last && last !== slot) {
      lane.running[slot.place] = last
      last.place = slot.place
    }
    slot.place = -1
    slot.unwatch?.()
    this.#settle(lane, release(lane.slots, this.#limitOf(lane.key)))
    this.#deps.onChange?.()
  }

  #since(mono: number): number { return Math.max(0, this.#deps.time.mono() - mono) }

  #limitOf(key: string): number { return this.#closed ? 0 : this.#deps.limits()[key] ?? this.#deps.defaultLimit() }

  #all(): Lane[] { return [...this.#lanes.values()].flatMap((models) => [...models.values()]) }

  #known(route: Route): Lane | undefined { return this.#lanes.get(route.provider)?.get(route.model) }

  #laneOf(route: Route): Lane {
    const known = this.#known(route)
    if (known) return known
    if (this.#laneCount >= LANES_KEPT) this.#forgetIdle()
    const lane = new Lane(this, routeKey(route), route)
    const models = this.#lanes.get(route.provider) ?? new Map<string, Lane>()
    this.#lanes.set(route.provider, models.set(route.model, lane))
    this.#laneCount++
    return lane
  }

  #forgetIdle(): void {
    for (const lane of this.#all()) {
      if (lane.running.length === 0 && lane.waiters.size === 0 && this.#lanes.get(lane.route.provider)?.delete(lane.route.model)) this.#laneCount--
    }
  }

  #give(lane: Lane, signal: AbortSignal | undefined, waitMs: number): LiveSlot {
    const slot = new LiveSlot(lane, signal, waitMs)
    slot.place = lane.running.push(slot) - 1
    if (lane.waiters.size > 0) this.#watch(slot)
    if (!this.#closed) this.#sweeping ??= this.#deps.time.after(SWEEP_MS, () => this.#sweep())
    return slot
  }

  #settle(lane: Lane, step: Admissions): void {
    lane.slots = step.slots
    for (const id of step.admitted) {
      const waiter = lane.waiters.get(id)
      lane.waiters.delete(id)
      waiter?.settle(this.#give(lane, waiter.signal, this.#since(waiter.since)))
    }
  }

  #queue(lane: Lane, id: number, signal: AbortSignal | undefined): Waiting {
    const { time, deadlines } = this.#deps
    const since = time.mono()
    const limit = this.#deps.queueTimeoutMs()
    let deadline: Deadline | null = null
    const giveUp = (kind: 'timeout' | 'aborted'): void => {
      const waiter = lane.waiters.get(id)
      if (!waiter) return
      lane.waiters.delete(id)
      lane.slots = leave(lane.slots, id)
      waiter.settle({ kind, waitMs: this.#since(since) })
      this.#deps.onChange?.()
    }
    const aborted = (): void => giveUp('aborted')
    const settled = new Promise<Admission>((resolve) => {
      const settle = (admission: Admission): void => {
        if (deadline) deadlines.drop(deadline)
        signal?.removeEventListener('abort', aborted)
        resolve(admission)
      }
      lane.waiters.set(id, { signal, since, settle })
    })
    if (limit > 0) deadline = deadlines.set(since + limit, { late: () => giveUp('timeout') })
    signal?.addEventListener('abort', aborted, { once: true })
    for (const slot of lane.running) this.#watch(slot)
    return { kind: 'waiting', settled, leave: aborted }
  }

  /** A stream whose signal fired may still hang in its adapter: where others wait for its slot, the abort frees it at once. */
  #watch(slot: LiveSlot): void {
    const { signal } = slot
    if (!signal || slot.unwatch) return
    const fired = (): void => this.#reclaim(slot, 'aborted')
    signal.addEventListener('abort', fired, { once: true })
    slot.unwatch = () => signal.removeEventListener('abort', fired)
  }

  #reclaimAborted(lane: Lane): void {
    // From the end, because a slot that goes back hands its place to the last one.
    for (let place = lane.running.length - 1; place >= 0; place--) {
      const slot = lane.running[place]
      if (slot?.signal?.aborted) this.#reclaim(slot, 'aborted')
    }
  }

  #reclaim(slot: LiveSlot, why: 'abandoned' | 'aborted'): void {
    const { holder } = slot
    slot.holder = null
    this.back(slot)
    holder?.reclaimed(why)
  }

  #sweep(): void {
    this.#sweeping = null
    const now = this.#deps.time.mono()
    for (const lane of this.#all()) {
      this.#reclaimAborted(lane)
      for (let place = lane.running.length - 1; place >= 0; place--) {
        const slot = lane.running[place]
        if (!slot) continue
        if (slot.beat !== slot.seenBeat || slot.beat % 2 === 1) {
          slot.seenBeat = slot.beat
          slot.seenAt = now
        } else if (now - slot.seenAt >= ABANDONED_MS) this.#reclaim(slot, 'abandoned')
      }
      if (lane.running.length > 0 && !this.#closed) this.#sweeping ??= this.#deps.time.after(SWEEP_MS, () => this.#sweep())
    }
  }
}

/** Slots for the calls of one plugin instance. */
export function createConcurrency(deps: ConcurrencyDeps): Concurrency {
  return new Gatekeeper(deps)
}
