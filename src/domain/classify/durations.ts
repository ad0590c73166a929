/** Reads durations as upstreams write them: `6m0s`, `12ms`, `1h2m3.5s`, `5 days 10 hours`, `30 秒`, `00:05:30`. */

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|msecs?|millis|milliseconds?|毫秒)$/, 1],
  [/^(?:s|secs?|seconds?|秒钟?)$/, SECOND],
  [/^(?:m|mins?|minutes?|分钟?)$/, MINUTE],
  [/^(?:h|hrs?|hours?|个?小时|个?钟头)$/, HOUR],
  [/^(?:d|days?|天|日)$/, DAY],
  [/^(?:w|weeks?|周|个?星期)$/, 7 * DAY],
]

const PART = /~?(\d{1,9}(?:\.\d{1,12})?) ?(milliseconds?|millis|msecs?|ms|seconds?|secs?|s|minutes?|mins?|months?|m|hours?|hrs?|h|days?|d|weeks?|w|毫秒|秒钟|秒|分钟|分(?!之)|个?小时|个?钟头|天|日|周|个?星期)(?![a-z])/y
const PART_GLUED = /~?(\d{1,9}(?:\.\d{1,12})?) ?(ms|s|m|h|d|w)(?=\d)/y
const JOINT = /(?: ?(?:,|and|,? ?and|零|又)? ?)/y

export interface Span {
  readonly ms: number
  /** Index just behind the duration. */
  readonly end: number
}

/** The duration that starts exactly at `at` in a folded text; null if none does. */
export function durationAt(text: string, at: number): Span | null {
  const clock = /(\d{1,3}):(\d{2}):(\d{2})(?![\d:])/y
  clock.lastIndex = at
  const hms = clock.exec(text)
  if (hms) return { ms: Number(hms[1]) * HOUR + Number(hms[2]) * MINUTE + Number(hms[3]) * SECOND, end: clock.lastIndex }
  let total = 0
  let end = at
  for (let next = at, parts = 0; parts < 6; parts++) {
    const part = partAt(text, next)
    if (part === null) break
    total += part.ms
    end = part.end
    JOINT.lastIndex = end
    JOINT.exec(text)
    next = JOINT.lastIndex
  }
  return end > at ? { ms: total, end } : null
}

function partAt(text: string, at: number): Span | null {
  for (const shape of [PART_GLUED, PART]) {
    shape.lastIndex = at
    const match = shape.exec(text)
    const unit = match && UNITS.find(([name]) => name.test(match[2] ?? ''))
    if (match && unit) return { ms: Number(match[1]) * unit[1], end: shape.lastIndex }
  }
  return null
}

/** A whole text that is one duration, or a plain number of `unit` ms; null otherwise. */
export function duration(text: string, unit = SECOND): number | null {
  const trimmed = text.trim().toLowerCase()
  if (/^\d{1,15}(?:\.\d{1,12})?$/.test(trimmed)) return Number(trimmed) * unit
  const span = durationAt(trimmed, 0)
  return span !== null && span.end === trimmed.length ? span.ms : null
}
