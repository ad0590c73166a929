/** A refusal with a stable code: what services and data files throw on purpose, and what HTTP turns into a reply. */

/**
 * `invalid` the input cannot be accepted (400) · `unknown` no such group, session or entry (404) · `conflict` it clashes
 * with the present state (409) · `unavailable` it could not be made durable, so nothing changed (503).
 */
export type RefusalKind = 'invalid' | 'unknown' | 'conflict' | 'unavailable'

/** One bad field: where, what is wrong, the kind of value found, and what would be accepted (null = said by the message). */
export interface FieldProblem {
  readonly path: string
  readonly message: string
  readonly received: string
  readonly allowed: string | null
}

/** Thrown for an expected outcome that the caller must be told; `details` is sent along, so it holds nothing secret. */
export class Refusal extends Error {
  readonly kind: RefusalKind
  /** Upper-case words, stable over versions. */
  readonly code: string
  readonly details: unknown
  constructor(kind: RefusalKind, code: string, message: string, details?: unknown) {
    super(message)
    this.name = 'Refusal'
    this.kind = kind
    this.code = code
    this.details = details
  }
}

export const invalidField = (path: string, message: string, received: string, allowed: string | null = null): Refusal =>
  new Refusal('invalid', 'INVALID_INPUT', `${path}: ${message}`, [{ path, message, received, allowed } satisfies FieldProblem])

export const unknownGroup = (id: string): Refusal => new Refusal('unknown', 'UNKNOWN_GROUP', `there is no group ${JSON.stringify(id)}`)

export const unknownSession = (id: string): Refusal => new Refusal('unknown', 'UNKNOWN_SESSION', `there is no session ${JSON.stringify(id)}`)

export const unknownEntry = (route: { readonly provider: string; readonly model: string }): Refusal =>
  new Refusal('unknown', 'UNKNOWN_ENTRY', `no group concerned holds ${JSON.stringify(`${route.provider}/${route.model}`)}`)
