/**
 * Reads HTTP statuses out of a folded upstream text. A number counts only where a wording says that it is a status;
 * digits anywhere else never do.
 */

const HTTP_STATUS = new Set([
  ...range(400, 418), ...range(421, 426), 428, 429, 431, 434, 440, 444, 449, 451, 498, 499,
  ...range(500, 511), ...range(520, 530), 598, 599,
])

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}

/** A number followed by one of these counts things and is no status ("429 tokens", "500 ms"). */
const COUNTED = /^ ?(?:tokens?|characters?|chars|ms\b|s\b|sec|seconds?|minutes?|hours?|messages?|images?|bytes?|[km]b\b|credits?|requests?(?! to\b)|times|次|个|秒|毫秒|字|条|元)/

const REASON =
  'bad request|unauthorized|payment required|forbidden|not found|method not allowed|not acceptable|request time-?out|conflict|gone|' +
  'payload too large|request entity too large|content too large|unprocessable (?:entity|content)|too many requests|internal server error|' +
  'not implemented|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|site is overloaded|client closed request|web server|origin'

/** Each pattern has the number as its only group. */
const WORDED: readonly RegExp[] = [
  /^(?:[\w.]{0,60}(?:error|exception): ?)?(\d{3})(?=[:\s,]|$)/g,
  /\bhttp(?:\/\d(?:\.\d)?)?[ _-]?(?:status|error|code|response)?(?:[ _-]?code)?["']? ?[:=(]? ?["']?(\d{3})(?!\d|\.\d)/g,
  /\bstatus(?:[ _-]?code)?["']? ?(?:of|is|was)? ?[:=(]? ?["']?(\d{3})(?!\d|\.\d)/g,
  /\berror(?:[ _-]?code)?["']? ?[:(=]? ?["']?(\d{3})(?=[\s:,;)\]"'}-]|$)/g,
  /\b(?:rejected|returned|responded|replied|answered|failed|received|got)(?: with)?(?: an?)?(?: http)?(?: status)?(?: code)?:? ?\(?(\d{3})(?=[\s:,;.)\]"'}-]|$)/g,
  /(?<![\w\])'".])\[(\d{3})\]/g,
  /<(\d{3})>/g,
  /\b(\d{3}) status code \(no body\)/g,
  new RegExp(`\\b(\\d{3}) (?:${REASON})\\b`, 'g'),
  /(?:状态码|错误码|错误代码|响应码|返回)(?: ?(?:为|是))? ?[:=(]? ?(\d{3})(?!\d)/g,
]

/** A JSON (or Go, or Python) field that holds a status. Weaker than prose: vendors put own numbers there too. */
const FIELD = /["']?\b(?:code|status|status_?code|http_?(?:code|status)|errcode|error_code)["']? ?[:=] ?["']?(\d{3})(?!\d|\.\d)/g

export interface TextStatuses {
  /** The status the text opens with or names first; null if it names none. */
  readonly first: number | null
  /** Every status named in words or in fields, in the order of the text. */
  readonly all: readonly number[]
  /** Only those named in words. */
  readonly worded: readonly number[]
}

/** The statuses a folded text names in words, else in fields. */
export function textStatuses(text: string): TextStatuses {
  const worded = find(text, WORDED)
  const all = inOrder(new Map([...worded, ...find(text, [FIELD])]))
  return { first: all[0] ?? null, all, worded: inOrder(worded) }
}

/** Position and value of each status that one of the patterns finds. */
function find(text: string, patterns: readonly RegExp[]): Map<number, number> {
  const found = new Map<number, number>()
  for (const pattern of patterns) {
    for (const match of text.matchAll(pattern)) {
      const digits = match[1] ?? ''
      const at = match.index + match[0].lastIndexOf(digits)
      const status = Number(digits)
      if (HTTP_STATUS.has(status) && !COUNTED.test(text.slice(at + 3, at + 20))) found.set(at, status)
    }
  }
  return found
}

function inOrder(found: ReadonlyMap<number, number>): number[] {
  return [...found].sort((a, b) => a[0] - b[0]).map(([, status]) => status)
}
