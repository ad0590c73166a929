/**
 * FIFO admission to a limited number of slots, as a value: who runs, who waits, who is next. A limit of 0 means none.
 * Laws: no more run than the limit allowed at their admission; somebody waits only while all slots are taken.
 */

/** `running` slots are taken; `waiting` holds the ids in the queue, first come first. */
export interface Slots { readonly running: number; readonly waiting: readonly number[] }

/** A new state and the ids that were let in by it, in order. */
export interface Admissions { readonly slots: Slots; readonly admitted: readonly number[] }

export const EMPTY_SLOTS: Slots = { running: 0, waiting: [] }
const NOBODY: readonly number[] = []

/** True when a newcomer would be let in at once. */
export function hasRoom(slots: Slots, limit: number): boolean {
  return slots.waiting.length === 0 && (limit === 0 || slots.running < limit)
}

/** Takes a free slot; only while {@link hasRoom}. */
export function take(slots: Slots): Slots {
  return { running: slots.running + 1, waiting: slots.waiting }
}

/** Asks for a slot: let in at once (`admitted` holds the id) or put at the end of the queue. */
export function enter(slots: Slots, limit: number, id: number): Admissions {
  return hasRoom(slots, limit)
    ? { slots: take(slots), admitted: [id] }
    : { slots: { running: slots.running, waiting: [...slots.waiting, id] }, admitted: NOBODY }
}

/** Somebody gives up waiting; an id that does not wait changes nothing. */
export function leave(slots: Slots, id: number): Slots {
  return slots.waiting.includes(id) ? { running: slots.running, waiting: slots.waiting.filter((other) => other !== id) } : slots
}

/** Somebody who ran is done; the next ones in the queue come in as far as the limit allows. */
export function release(slots: Slots, limit: number): Admissions {
  const left = { running: Math.max(0, slots.running - 1), waiting: slots.waiting }
  return slots.waiting.length === 0 ? { slots: left, admitted: NOBODY } : refill(left, limit)
}

/** Lets in whoever the limit allows now: after the limit was raised or dropped. */
export function refill(slots: Slots, limit: number): Admissions {
  const room = limit === 0 ? slots.waiting.length : Math.min(slots.waiting.length, Math.max(0, limit - slots.running))
  if (room === 0) return { slots, admitted: NOBODY }
  return {
    slots: { running: slots.running + room, waiting: slots.waiting.slice(room) },
    admitted: slots.waiting.slice(0, room),
  }
}
