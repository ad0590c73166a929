/** A failure with its HTTP status, and the one place where anything thrown becomes one. */
import { Refusal, type FieldProblem, type RefusalKind } from '../contract/refusal.ts'
import type { Log } from '../ports.ts'

export class Fault extends Error {
  readonly status: number
  readonly code: string
  readonly details: unknown
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, code: string, message: string, details?: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.name = 'Fault'
    this.status = status
    this.code = code
    this.details = details
    this.headers = headers
  }
}

const STATUS: Readonly<Record<RefusalKind, number>> = { invalid: 400, unknown: 404, conflict: 409, unavailable: 503 }

/** Refusals keep their words; whatever else is thrown is a fault of ours: logged, and answered without its inner words. */
export function toFault(error: unknown, what: string, log: Log): Fault {
  if (error instanceof Fault) return error
  if (error instanceof Refusal) return new Fault(STATUS[error.kind], error.code, error.message, error.details)
  log.error('%s failed: %s', what, error instanceof Error ? error.stack ?? error.message : String(error))
  return new Fault(500, 'INTERNAL', 'the plugin failed to answer; its log says why')
}

/** 400 with one problem per field. */
export function invalidInput(problems: readonly FieldProblem[]): Fault {
  const [first] = problems
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return new Fault(400, 'INVALID_INPUT', first ? `${first.path}: ${first.message}${more}` : 'the input is not acceptable', problems)
}
