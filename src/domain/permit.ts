/** The one permit of a route whose breaker is not closed: whoever holds it sends the trial, everybody else goes elsewhere. */

/** A trial must be over by then; a later answer no longer speaks for it. */
export const LEASE_MS = 90_000

/** Instants of the steady clock, ms. */
export interface Lease { readonly id: number; readonly since: number; readonly until: number }

/** The lease that counts at `now`, null when there is none or its time is over. */
export function liveLease(lease: Lease | null, now: number): Lease | null {
  return lease && now < lease.until ? lease : null
}
