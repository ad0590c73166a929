/**
 * Live slots per model, over all groups: first come first served, with abort, queue limit, and a sweep for streams nobody
 * reads any more. A slot is given back exactly once; nothing here throws, and the free path reads no clock.
 */
import { parseRouteKey, routeKey, type Route } from '../contract/route.ts'
import { EMPTY_SLOTS, enter, hasRoom, leave, refill, release, type Admissions, type Slots } from '../domain/slots.ts'
import type { Dispose, Time } from '../ports.ts'
import type { Deadline, Deadlines } from './deadlines.ts'

/** A stream whose reader does not come back for this long loses its slot. */
export const ABANDONED_MS = 600_000
const SWEEP_MS = 10_000
/** Idle lanes are forgotten beyond this many. */
const LANES_KEPT = 500

/** Leave to send one request. `beat` is counted up by the reader: odd while a read is outstanding, even between two. */
export interface Slot {
  readonly kind: 'admitted'
  /** How long the request queued, ms. */
  readonly waitMs: number
  beat: number
  /** Called when the slot is taken back because nobody reads the stream, or because its signal had fired. */
  onReclaimed: ((why: 'abandoned' | 'aborted') => void) | null
  /** Gives the slot back; further calls do nothing. */
  release(): void
}

/** `closed`: the plugin is being disposed of, so the request goes on without a slot. */
export type Admission =
  | Slot
  | { readonly kind: 'timeout' | 'aborted' | 'closed'; readonly waitMs: number }

/** A place in the queue. `leave` gives it up at once; `settled` then resolves to `aborted`. */
export interface Waiting { readonly kind: 'waiting'; readonly settled: Promise<Admission>; leave(): void }

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

interface Waiter { readonly signal: AbortSignal | undefined; readonly since: number; readonly settle: (admission: Admission) => void }

class Lane {
  slots: Slots = EMPTY_SLOTS
  readonly running = new Set<LiveSlot>()
  readonly waiters = new Map<number, Waiter>()
  readonly key: string
  readonly route: Route
  constructor(key: string, route: Route) {
    this.key = key
    this.route = { provider: route.provider, model: route.model }
  }
}

class LiveSlot implements Slot {
  readonly kind = 'admitted'
  beat = 0
  onReclaimed: Slot['onReclaimed'] = null
  /** Beat at which, and instant when, the sweep last found the reader at work. */
  seenBeat = -1
  seenAt = 0
  unwatch: Dispose | null = null
  readonly waitMs: number
  readonly signal: AbortSignal | undefined
  readonly lane: Lane
  readonly #owner: Gatekeeper
  constructor(owner: Gatekeeper, lane: Lane, signal: AbortSignal | undefined, waitMs: number) {
    this.#owner = owner
    this.lane = lane
    this.signal = signal
    this.waitMs = waitMs
  }

  release(): void { this.#owner.back(this) }
}

class Gatekeeper implements Concurrency {
  readonly #deps: ConcurrencyDeps
  readonly #lanes = new Map<string, Lane>()
  #nextId = 0
  #closed = false
  #sweeping: Dispose | null = null

  constructor(deps: ConcurrencyDeps) { this.#deps = deps }

  acquire(route: Route, signal?: AbortSignal): Admission | Waiting {
    if (signal?.aborted) return { kind: 'aborted', waitMs: 0 }
    const lane = this.#laneOf(route)
    const limit = this.#limitOf(lane.key)
    if (!hasRoom(lane.slots, limit)) this.#reclaimAborted(lane)
    const id = ++this.#nextId
    const step = enter(lane.slots, limit, id)
    lane.slots = step.slots
    const place = step.admitted.length === 0 ? this.#queue(lane, id, signal) : this.#give(lane, signal, 0)
    this.#deps.onChange?.()
    return place
  }

  live(): readonly LiveCount[] {
    const routes = new Map<string, Route>()
    for (const key of Object.keys(this.#deps.limits())) {
      const route = parseRouteKey(key)
      if (route) routes.set(key, route)
    }
    for (const [key, lane] of this.#lanes) if (lane.running.size > 0 || lane.waiters.size > 0) routes.set(key, lane.route)
    return [...routes.values()].map((route) => this.count(route))
  }

  count(route: Route): LiveCount {
    const key = routeKey(route)
    const lane = this.#lanes.get(key)
    if (lane) this.#reclaimAborted(lane)
    const own = this.#deps.limits()[key] ?? null
    return {
      provider: route.provider, model: route.model, limit: own, effectiveLimit: own ?? this.#deps.defaultLimit(),
      running: lane?.running.size ?? 0, queued: lane?.waiters.size ?? 0,
    }
  }

  free(route: Route): boolean {
    const lane = this.#lanes.get(routeKey(route))
    if (!lane) return true
    if (!hasRoom(lane.slots, this.#limitOf(lane.key))) this.#reclaimAborted(lane)
    return hasRoom(lane.slots, this.#limitOf(lane.key))
  }

  limitsChanged(): void {
    for (const lane of this.#lanes.values()) this.#settle(lane, refill(lane.slots, this.#limitOf(lane.key)))
    this.#deps.onChange?.()
  }

  dispose(): void {
    this.#closed = true
    this.#sweeping?.()
    this.#sweeping = null
    for (const lane of this.#lanes.values()) {
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
    if (!lane.running.delete(slot)) return
    slot.unwatch?.()
    this.#settle(lane, release(lane.slots, this.#limitOf(lane.key)))
    this.#deps.onChange?.()
  }

  #since(mono: number): number { return Math.max(0, this.#deps.time.mono() - mono) }

  #limitOf(key: string): number { return this.#closed ? 0 : this.#deps.limits()[key] ?? this.#deps.defaultLimit() }

  #laneOf(route: Route): Lane {
    const key = routeKey(route)
    const known = this.#lanes.get(key)
    if (known) return known
    if (this.#lanes.size >= LANES_KEPT) for (const [other, lane] of this.#lanes) if (lane.running.size === 0 && lane.waiters.size === 0) this.#lanes.delete(other)
    const lane = new Lane(key, route)
    this.#lanes.set(key, lane)
    return lane
  }

  #give(lane: Lane, signal: AbortSignal | undefined, waitMs: number): LiveSlot {
    const slot = new LiveSlot(this, lane, signal, waitMs)
    lane.running.add(slot)
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
    if (limit > 0) deadline = deadlines.set(since + limit, () => giveUp('timeout'))
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
    for (const slot of lane.running) if (slot.signal?.aborted) this.#reclaim(slot, 'aborted')
  }

  #reclaim(slot: LiveSlot, why: 'abandoned' | 'aborted'): void {
    const told = slot.onReclaimed
    slot.onReclaimed = null
    this.back(slot)
    told?.(why)
  }

  #sweep(): void {
    this.#sweeping = null
    const now = this.#deps.time.mono()
    for (const lane of this.#lanes.values()) {
      this.#reclaimAborted(lane)
      for (const slot of lane.running) {
        if (slot.beat !== slot.seenBeat || slot.beat % 2 === 1) {
          slot.seenBeat = slot.beat
          slot.seenAt = now
        } else if (now - slot.seenAt >= ABANDONED_MS) this.#reclaim(slot, 'abandoned')
      }
      if (lane.running.size > 0 && !this.#closed) this.#sweeping ??= this.#deps.time.after(SWEEP_MS, () => this.#sweep())
    }
  }
}

/** Slots for the calls of one plugin instance. */
export function createConcurrency(deps: ConcurrencyDeps): Concurrency {
  return new Gatekeeper(deps)
}
