/**
 * What a failed model call looks like from outside: the input the classifier takes and the verdict it gives.
 * Shared by the domain, the services, HTTP and the browser half (there as types only).
 */
import * as z from 'zod'

/** What went wrong, seen as what it moves. The order has no meaning. */
export const failureClassSchema = z.enum([
  'cancelled',
  'context_too_long',
  'invalid_request',
  'unsupported_modality',
  'content_filter',
  'capacity',
  'rate_limit',
  'quota',
  'auth',
  'forbidden',
  'model_not_found',
  'upstream_unavailable',
  'transport',
  'server',
  'timeout',
  'empty_response',
  'bad_output',
  'local',
  'unknown',
])
export type FailureClass = z.infer<typeof failureClassSchema>

/**
 * How far a failure reaches: this request only, the route (provider, endpoint, model),
 * the endpoint (one base URL of a provider), or everything of the provider.
 */
export const scopeSchema = z.enum(['request', 'route', 'endpoint', 'provider'])
export type Scope = z.infer<typeof scopeSchema>

/**
 * A failure as an inlet hands it over. Every field may be missing: an adapter that hides the status passes none.
 * `retryAfterMs` is a duration in milliseconds; header names are matched without regard to case.
 */
export const failureSchema = z.object({
  code: z.string().nullish(),
  status: z.number().nullish(),
  message: z.string().nullish(),
  retryAfterMs: z.number().nullish(),
  headers: z.record(z.string(), z.string()).optional(),
  /** True only if the turn's own abort signal fired; an upstream that says "aborted" does not count. */
  aborted: z.boolean().optional(),
})
export type Failure = Readonly<z.infer<typeof failureSchema>>

/** The judgement of one failure. */
export const verdictSchema = z.strictObject({
  class: failureClassSchema,
  scope: scopeSchema,
  /** Instant (epoch ms) at which the upstream says the limit ends; null if it named none. Never past, never over 24 h away. */
  reset: z.number().nullable(),
  /** Id of the rule that decided, for the journal and the explain page. */
  rule: z.string(),
  /** The model is gone for good (410, end of life): counts double for endpoint health. */
  endOfLife: z.boolean(),
  /** HTTP status as understood from the failure and its text; null if none was stated. */
  status: z.number().nullable(),
})
export type Verdict = Readonly<z.infer<typeof verdictSchema>>
