/** A slot as its holder sees it, and the lane of one model that all its slots and its queue belong to. */
import type { Route } from '../contract/route.ts'
import { EMPTY_SLOTS, type Slots } from '../domain/slots.ts'
import type { Dispose } from '../ports.ts'

/** Who holds a slot: told when it is taken back because nobody reads the stream, or because its signal had fired. */
export interface Holder { reclaimed(why: 'abandoned' | 'aborted'): void }

/** Leave to send one request. `beat` is counted up by the reader: odd while a read is outstanding, even between two. */
export interface Slot {
  readonly kind: 'admitted'
  /** How long the request queued, ms. */
  readonly waitMs: number
  beat: number
  /** Told when the slot is taken back. */
  holder: Holder | null
  /** Gives the slot back; further calls do nothing. */
  release(): void
}

/** `closed`: the plugin is being disposed of, so the request goes on without a slot. */
export type Admission =
  | Slot
  | { readonly kind: 'timeout' | 'aborted' | 'closed'; readonly waitMs: number }

/** A place in the queue. `leave` gives it up at once; `settled` then resolves to `aborted`. */
export interface Waiting { readonly kind: 'waiting'; readonly settled: Promise<Admission>; leave(): void }

/** One request in the queue; `since` is an instant of the steady clock. */
export interface Waiter { readonly signal: AbortSignal | undefined; readonly since: number; readonly settle: (admission: Admission) => void }

/** All that is known of one model. `running` has no order; each slot knows its place in it. */
export class Lane {
  slots: Slots = EMPTY_SLOTS
  readonly running: LiveSlot[] = []
  readonly waiters = new Map<number, Waiter>()
  readonly owner: { back(slot: LiveSlot): void }
  readonly key: string
  readonly route: Route
  constructor(owner: { back(slot: LiveSlot): void }, key: string, route: Route) {
    this.owner = owner
    this.key = key
    this.route = { provider: route.provider, model: route.model }
  }
}

export class LiveSlot implements Slot {
  readonly kind = 'admitted'
  beat = 0
  holder: Holder | null = null
  /** Beat at which, and instant when, the sweep last found the reader at work. */
  seenBeat = -1
  seenAt = 0
  /** Index in the lane's list; −1 = given back. */
  place = -1
  unwatch: Dispose | null = null
  readonly waitMs: number
  readonly signal: AbortSignal | undefined
  readonly lane: Lane
  constructor(lane: Lane, signal: AbortSignal | undefined, waitMs: number) {
    this.lane = lane
    this.signal = signal
    this.waitMs = waitMs
  }

  release(): void { this.lane.owner.back(this) }
}
