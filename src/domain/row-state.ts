/** The state of a model on the dashboard. Of all that stands against it only the worst is told. */
import type { Hold } from '../contract/health.ts'
import type { MetricRow } from '../contract/metrics.ts'

/** What stands against a model now. Instants are epoch ms. */
export interface Against {
  /** Its mark in the day ledger. */
  readonly mark: { readonly until: number } | null
  /** It is switched off in every group that holds it. */
  readonly disabled: boolean
  /** The stated hold of its route or provider that ends last. */
  readonly hold: Pick<Hold, 'until'> | null
  readonly restUntil: number | null
  readonly quarantinedUntil: number | null
}

/**
 * Failed today > disabled > held > resting > quarantined > normal, and when the clock alone ends that state (null = it
 * does not). A hold bars the route until an instant its upstream named, so it is told before a short rest.
 */
export function rowStateOf({ mark, disabled, hold, restUntil, quarantinedUntil }: Against): Pick<MetricRow, 'state' | 'until'> {
  if (mark) return { state: 'failed', until: mark.until }
  if (disabled) return { state: 'disabled', until: null }
  if (hold) return { state: 'held', until: hold.until }
  if (restUntil !== null) return { state: 'resting', until: restUntil }
  return quarantinedUntil === null ? { state: 'normal', until: null } : { state: 'quarantined', until: quarantinedUntil }
}
