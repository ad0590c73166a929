/** The breaker of a whole provider: it opens when several of its models are open and something else than missing models is behind it. */
import type { FailureClass } from '../contract/failure.ts'

/** `by` = id of the failure that opened it. Instants of the steady clock, ms. */
export interface ProviderOpen { readonly since: number; readonly until: number; readonly by: number }

/**
 * Whether the models that are open now open their provider. Models that do not exist say nothing about their siblings,
 * so at least one must be open for another reason.
 */
export function opensProvider(causes: readonly FailureClass[], threshold: number): boolean {
  return causes.length >= threshold && causes.some((cause) => cause !== 'model_not_found')
}
