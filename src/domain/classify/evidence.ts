/**
 * Turns a failure into what the rules look at: host code, status, error names and numbers, folded text.
 * Takes any input, throws on none.
 */
import type { Failure } from '../../contract/failure.ts'
import { fold } from './fold.ts'
import { textStatuses, type TextStatuses } from './status.ts'

export interface Evidence {
  /** The host's own code in upper case, '' if it gave none. */
  readonly code: string
  /** The HTTP status that decides: the host's, else the text's, else a wrapped one. */
  readonly status: number | null
  /** A 4xx status of an inner upstream that a gateway reports under a status of its own. */
  readonly wrapped: number | null
  /** Folded text, '' if there was none or it says no more than the status. */
  readonly text: string
  /** Lower-case identifiers of the text that may be error names: field values, exception names, snake_case words. */
  readonly names: ReadonlySet<string>
  /** Vendor numbers with the field that held them: `code:1302`, `status_code:1002`, `tail:2056`. */
  readonly numbers: ReadonlySet<string>
}

/** What adapters write when a response had no usable body; it repeats the status and says nothing else. */
const NO_BODY = [
  /^(?:.{0,60}[ =:])?\d{3}(?: status code)? \(no body\)$/,
  /^(?:\w{1,40}: )?(?:[\w -]{0,40} )?(?:api )?(?:error|request failed)(?::| with| \()? ?(?:http )?(?:status )?(?:code )?\d{3}\)?\.?$/,
  /^(?:error: ?)?(?:http(?: status)?(?: code)?:? )?\d{3}:?$/,
]

/** Reads the evidence out of a failure. */
export function evidence(failure: Failure): Evidence {
  const code = typeof failure.code === 'string' ? failure.code.trim().toUpperCase().slice(0, 80) : ''
  const folded = typeof failure.message === 'string' ? fold(failure.message) : ''
  const stated = textStatuses(folded)
  const outer = validStatus(failure.status) ?? validStatus(Number(/^HTTP_(\d{3})$/.exec(code)?.[1])) ?? stated.first
  const wrapped = wrappedStatus(outer, stated)
  return {
    code,
    status: wrapped ?? outer,
    wrapped,
    text: NO_BODY.some((shape) => shape.test(folded)) ? '' : folded,
    names: namesIn(folded),
    numbers: numbersIn(folded),
  }
}

/**
 * The inner 4xx status of a gateway's 5xx answer. A gateway's own 429 hides one too when every account of its pool
 * got the same refusal of the request; there only a status named in words counts.
 */
function wrappedStatus(outer: number | null, stated: TextStatuses): number | null {
  if (outer === 429) return stated.worded.findLast((status) => REFUSED.has(status)) ?? null
  return outer !== null && outer >= 500 ? (stated.all.findLast((status) => status < 500) ?? null) : null
}

/** Statuses with which an upstream refuses the request itself. */
const REFUSED: ReadonlySet<number> = new Set([400, 413, 422])

function validStatus(status: number | null | undefined): number | null {
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599 ? status : null
}

/** Longer words are no names; the bound keeps the tests on names linear. */
const LONGEST_NAME = 100

const NAMED_FIELD = /["']?\b(?:code|type|status|reason|error|error_?type|error_?code|err_?code|__type|quotaid|name|ret)["']? ?[:=] ?["']?([a-z][a-z0-9_.:-]{1,100})/g
const EXCEPTION = /\b([a-z][a-z0-9_.]{3,80})(?= ?[:(])/g
const SNAKE = /\b[a-z][a-z0-9]*(?:[_-][a-z0-9]+)+\b/g

/** A dotted name stands for its first part and its last one too, so that a vendor's sub-codes need no own entry. */
function namesIn(text: string): Set<string> {
  const names = new Set<string>()
  for (const pattern of [NAMED_FIELD, EXCEPTION]) {
    for (const match of text.matchAll(pattern)) {
      const name = (match[1] ?? '').replace(/[.:]+$/, '')
      names.add(name)
      const parts = name.split('.')
      names.add(parts[0] ?? name)
      names.add(parts.at(-1) ?? name)
    }
  }
  for (const match of text.matchAll(SNAKE)) {
    if (match[0].length <= LONGEST_NAME) names.add(match[0])
  }
  return names
}

const NUMBER_FIELD = /["']?\b(code|status_code|error_?code|err_?code|err_?no)["']? ?[:=] ?["']?(\d{1,6})\b/g
const NUMBER_WORDED = /(?:error code|错误码|错误代码|error no\.?) ?[:=(]? ?(\d{4,6})\b/g
const NUMBER_BRACKET = /(?<![\w\])])\[(\d{4,6})\]/g
const NUMBER_TAIL = /\((\d{4})\)["'}\s]*(?:$|[,."])/g

/** Close codes of web sockets (1000–1015) look like vendor numbers, so a text about one has none. */
function numbersIn(text: string): Set<string> {
  const numbers = new Set<string>()
  if (/web ?socket/.test(text)) return numbers
  for (const match of text.matchAll(NUMBER_FIELD)) numbers.add(`${field(match[1] ?? '')}:${match[2] ?? ''}`)
  for (const pattern of [NUMBER_WORDED, NUMBER_BRACKET]) {
    for (const match of text.matchAll(pattern)) numbers.add(`code:${match[1] ?? ''}`)
  }
  for (const match of text.matchAll(NUMBER_TAIL)) numbers.add(`tail:${match[1] ?? ''}`)
  return numbers
}

function field(name: string): string {
  return name === 'code' || name === 'status_code' ? name : 'error_code'
}
