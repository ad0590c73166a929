/**
 * Finds the instant at which an upstream says that a limit ends.
 *
 * Rule among several hints: the longest that belongs to the failing limit wins, because a call before it fails again.
 * Headers of counters belong to it only when that counter is used up, or when nothing else is stated. A clock time
 * without a date is a guess of the day, so a countdown or a full date of at least five minutes beats it.
 * Gemini repeats a short per-minute delay under a used-up day allowance; it does not belong to that limit.
 */
import type { Failure } from '../../contract/failure.ts'
import { duration, durationAt } from './durations.ts'
import { headerHints } from './headers.ts'
import { epochMs, instantAt, type Frame, type Stated } from './instants.ts'

const DAY = 86_400_000
const FIRM = 5 * 60_000

interface Setting {
  readonly now: number
  /** IANA zone of clock times that name none. */
  readonly zone: string
  /** Delays of less than five minutes in the text belong to another limit. */
  readonly foreignDelay: boolean
}

/** Epoch ms in (now, now + 24 h], or null when the failure names no usable instant. */
export function resetInstant(failure: Failure, text: string, { now, zone, foreignDelay }: Setting): number | null {
  const frame: Frame = { now, clockZone: zone, dateZone: dateZone(text) }
  const least = foreignDelay ? now + FIRM : now
  const worded = textHints(text, frame).filter((hint) => hint.at > least)
  const hints = [...worded, ...headerHints(failure, text, now)].filter((hint) => Number.isFinite(hint.at) && hint.at > now)
  const firm = Math.max(...hints.filter((hint) => !hint.clockOnly).map((hint) => hint.at))
  const latest = firm >= now + FIRM ? firm : Math.max(...hints.map((hint) => hint.at))
  return Number.isFinite(latest) ? Math.min(Math.ceil(latest), now + DAY) : null
}

/**
 * Full dates without a zone: the vendors that print them (BigModel and Z.ai in both languages) mean Beijing time;
 * any other English text means UTC.
 */
function dateZone(text: string): string {
  return /[\u4e00-\u9fff]|\b13(?:08|10)\b|usage limit reached for|limit exhausted/.test(text) ? '+08:00' : 'UTC'
}

const LEAD =
  /(?:\btry (?:it |this )?again|\bretry(?:ing)?(?:[_ -]?after)?|\bcome back|\bavailable(?: again)?|\bwait(?:ing)?|\bresets?|\bresetting|\breset (?:is |will be )?|\brefresh(?:es|ed)?|\brenew(?:s|ed)?|\brestored?|\bregain access|\bcool(?:ing)?[ -]?down|\bresumes?|\bunlock(?:s|ed)?|\bblocked until|\buntil|\bexpires|\bnext (?:request|attempt)|重试|重置|恢复|刷新|冷却|等待|解除|解封|可用|limit reached\|)/g
const FILLER = /^(?:[ :,'"~=(|·-]|\b(?:in|after|for|at|on|about|approximately|approx|around|within|another|is|are|will be|be|your|the|limit|quota|usage|until|automatically|daily|every day|again|time|before retrying|from now|please|least|by|next|it|again in|剩余)\b|后|时间|于|在|约|为|还需|需|请|至)*/

const ZH_LEAD = /(?:将?[在于]|将|请在|请于|等待|请等|还需|剩余|冷却|每天|每日|明天|明日|次日|今天|今日) ?(?=[\d零明次每今])/g

/** Real errors state a handful of times; a text of thousands is not worth the time its conversions take. */
const MOST_HINTS = 40

function* first(matches: Iterable<RegExpExecArray>): Generator<RegExpExecArray> {
  let count = 0
  for (const match of matches) {
    yield match
    if (++count >= MOST_HINTS) return
  }
}

/** Every hint stated in words or fields of a folded text. */
function textHints(text: string, frame: Frame): Stated[] {
  const hints: Stated[] = []
  for (const match of first(text.matchAll(LEAD))) {
    const at = match.index + match[0].length
    const filler = FILLER.exec(text.slice(at, at + 60))?.[0].length ?? 0
    addAt(text, at + filler, frame, hints)
  }
  for (const match of first(text.matchAll(ZH_LEAD))) addTrailed(text, match.index + match[0].length, frame, hints)
  for (const match of first(text.matchAll(/(?<![\d.])\d{1,6}(?:\.\d{1,3})? ?(?:毫秒|秒|分|小时|个小时|天)/g))) {
    const span = durationAt(text, match.index)
    if (span !== null && /^ ?(?:之?后|以后)/.test(text.slice(span.end, span.end + 4))) hints.push({ at: frame.now + span.ms, clockOnly: false })
  }
  return [...hints, ...fieldHints(text, frame)]
}

function addAt(text: string, at: number, frame: Frame, hints: Stated[]): void {
  const stated = instantAt(text, at, frame)
  const span = stated === null || stated.clockOnly ? durationAt(text, at) : null
  if (span !== null) hints.push({ at: frame.now + span.ms, clockOnly: false })
  else if (stated !== null) hints.push(stated)
}

/** 将在 … 重置: the verb stands behind the time, so it must be there. */
function addTrailed(text: string, from: number, frame: Frame, hints: Stated[]): void {
  const back = /(?:每天|每日|明天|明日|次日|今天|今日) ?$/.exec(text.slice(Math.max(0, from - 4), from))
  const at = back ? from - back[0].length : from
  const window = text.slice(at, at + 70)
  if (!/(?:重试|重置|恢复|刷新|再试|可用|解除|更新|使用)/.test(window)) return
  addAt(text, at, frame, hints)
}

/** Fields of bodies and of headers copied into bodies: a delay, or an instant. */
const FIELD =
  /["']?\b(retry-?_?after(?:[_-]?(?:ms|seconds|secs|s))?|retry_?delay|quotaresetdelay|resets?_?in(?:_?(?:seconds|secs|ms))?|reset_?(?:after_)?seconds|reset_?after|resets?_?at|reset_?time(?:stamp)?|quotareset_?timestamp|next_?reset_?time|estimated_time|retry_?at|available_?at|cooldown_?(?:seconds|until)|wait_?seconds|window_?reset)["']?(?: ?[:=] ?["']?| ?:? ?\{ ?seconds: ?)/g

function fieldHints(text: string, frame: Frame): Stated[] {
  const hints: Stated[] = []
  for (const match of first(text.matchAll(FIELD))) {
    const at = match.index + match[0].length
    const name = match[1] ?? ''
    const plain = /^\d{1,15}(?:\.\d{1,9})?(?![\d.:a-z-]| ?[a-z]{1,7}\b)/.exec(text.slice(at, at + 30))?.[0]
    if (plain === undefined) addAt(text, at, frame, hints)
    else if (Number(plain) >= 1_000_000_000) hints.push({ at: epochMs(Number(plain)), clockOnly: false })
    else hints.push({ at: frame.now + (duration(plain, name.endsWith('ms') ? 1 : 1000) ?? Number.NaN), clockOnly: false })
  }
  return hints
}
