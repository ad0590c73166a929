/**
 * Whether a request that is being built takes another model from us. Hosts that refuse it fail the whole turn; the first
 * such refusal is recognised by its words and its place, and remembered, so that it happens once.
 */
import type { HostFailure } from '../ports.ts'

export interface RequestChange {
  /** The host refused once. */
  refused(): boolean
  /** A request left our listener, changed or as it came. */
  returned(session: string, turn: number, changed: boolean): void
  /** A model call of the session was opened: the request was taken. */
  opened(session: string): void
  /** A turn died. True when that was the host's answer to the change of model of this very request. */
  died(session: string, turn: number, failure: HostFailure): boolean
  forget(session: string): void
}

/** Codes of the host itself, as opposed to what adapters and catalogues say of a model. */
const HOST_CODE = /^UNKNOWN$|FROZEN|DEPRECATED|IMMUTABLE|NOT_ALLOWED|INVALID_(?:STATE|TRANSITION|SELECTION)/

/** A refusal speaks of the listener, or of a model choice that may not be changed. */
const REFUSAL = /agent\/request|\b(?:provider|model|effort|selection|route|config)\b.*\b(?:frozen|fixed|deprecated|immutable|read-?only|may not|must not|cannot|can't|not allowed)\b|\b(?:frozen|deprecated|immutable|read-?only)\b.*\b(?:provider|model|effort|selection|config)\b/i

export function createRequestChange(): RequestChange {
  const changed = new Map<string, number>()
  let refused = false
  return {
    refused: () => refused,
    returned(session, turn, isChanged) {
      if (isChanged) changed.set(session, turn)
      else changed.delete(session)
    },
    opened: (session) => { changed.delete(session) },
    died(session, turn, failure) {
      const ours = changed.get(session) === turn
      changed.delete(session)
      if (!ours || !HOST_CODE.test(failure.code) || !REFUSAL.test(failure.message)) return false
      refused = true
      return true
    },
    forget: (session) => { changed.delete(session) },
  }
}
