/**
 * Reads instants as upstreams write them: ISO, epoch seconds or ms, HTTP dates, `Oct 9 at 5pm`, `3pm (Europe/Berlin)`,
 * `2026-08-25 07:41:44`, `midnight Pacific`, 明天 8 点. Everything is worked out from an argument; no host zone is used.
 */
import { fromZonedTime } from 'date-fns-tz'

const DAY = 86_400_000
/** A clock time that has just gone by is a stale statement, not tomorrow's. */
const JUST_GONE = 5 * 60_000

const ZONES: readonly (readonly [RegExp, string])[] = [
  [/^(?:utc|gmt|z)$/, 'UTC'],
  [/^(?:p[sd]?t|pacific(?: (?:standard |daylight )?time)?)$/, 'America/Los_Angeles'],
  [/^(?:m[sd]t|mountain(?: time)?)$/, 'America/Denver'],
  [/^(?:c[d]t|central(?: time)?)$/, 'America/Chicago'],
  [/^(?:e[sd]?t|eastern(?: (?:standard |daylight )?time)?)$/, 'America/New_York'],
  [/^(?:cest|cet)$/, 'Europe/Berlin'],
  [/^(?:bst)$/, 'Europe/London'],
  [/^(?:jst)$/, 'Asia/Tokyo'],
  [/^(?:cst|beijing(?: time)?|china standard time|北京时间|中国时间)$/, '+08:00'],
]

const ZONE =
  '(?:\\(?(utc ?[+-] ?\\d{1,2}(?::?\\d{2})?|gmt ?[+-] ?\\d{1,2}(?::?\\d{2})?|[+-]\\d{2}:?\\d{2}\\b|[a-z]+(?:_[a-z]+)?/[a-z_+-]+(?:/[a-z_]+)?|utc|gmt|z\\b|' +
  'p[sd]?t\\b|pacific(?: time)?|m[sd]t\\b|c[ds]t\\b|central(?: time)?|e[sd]?t\\b|eastern(?: time)?|ce?st\\b|cet\\b|bst\\b|jst\\b|beijing time|北京时间)\\)?)?'

/** The zone named by a folded text, in the form date-fns-tz takes; null if it is none. */
function zoneOf(name: string | undefined): string | null {
  if (name === undefined || name === '') return null
  const known = ZONES.find(([shape]) => shape.test(name))
  if (known) return known[1]
  const offset = /^(?:utc|gmt)? ?([+-]) ?(\d{1,2}):?(\d{2})?$/.exec(name)
  if (offset) return `${offset[1] ?? '+'}${(offset[2] ?? '0').padStart(2, '0')}:${offset[3] ?? '00'}`
  return name.includes('/') ? name.split('/').map(capital).join('/') : null
}

/** `america/los_angeles` was lower-cased by folding; zone names are written with capitals. */
function capital(part: string): string {
  return part.replace(/(^|[_-])([a-z])/g, (_, joint: string, letter: string) => joint + letter.toUpperCase())
}

function instant(day: string, hour: number, minute: number, second: number, zone: string): number | null {
  if (hour > 24 || minute > 59 || second > 59) return null
  const two = (n: number): string => String(n).padStart(2, '0')
  const base = hour === 24 ? fromZonedTime(`${day}T00:00:00`, zone).getTime() + DAY : fromZonedTime(`${day}T${two(hour)}:${two(minute)}:${two(second)}`, zone).getTime()
  return Number.isFinite(base) ? base : null
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const FULL = new RegExp(`(\\d{4})[-/](\\d{1,2})[-/](\\d{1,2})(?:t| ?at | |, ?)(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:\\.\\d{1,9})?)? ?${ZONE}`, 'y')
const FULL_ZH = new RegExp(`(\\d{4})年(\\d{1,2})月(\\d{1,2})日 ?(\\d{1,2})[:时点](\\d{1,2})?(?:[:分](\\d{1,2})?)?秒? ?${ZONE}`, 'y')
const NAMED = new RegExp(`(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? )?(${MONTHS.join('|')})[a-z]* (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?(?:,? at |,? )(\\d{1,2})(?::(\\d{2}))?(?::\\d{2})? ?([ap]m)? ?${ZONE}`, 'y')
const CLOCK = new RegExp(`(?:(today|tomorrow|每天|每日|今天|今日|明天|明日|次日|第二天)(?: at)? ?)?(\\d{1,2})(?:(?::(\\d{2})(?::(\\d{2}))?| ?[点时](\\d{1,2})?分?))? ?([ap]\\.?m\\.?(?![a-z]))? ?${ZONE}`, 'y')
const MIDNIGHT = new RegExp(`(?:(?:today|tomorrow) ?(?:at )?)?(?:midnight|noon)(?: in)? ?${ZONE}|(?:每天|每日|今天|今日|明天|明日|次日|第二天)?(?:零点|凌晨零点)`, 'y')
const EPOCH = /(\d{13}|\d{10})(?!\d)/y

export interface Stated {
  readonly at: number
  /** True for a clock time without a date: its day is guessed. */
  readonly clockOnly: boolean
}

export interface Frame {
  readonly now: number
  /** Zone for a clock time without one. */
  readonly clockZone: string
  /** Zone for a full date and time without one. */
  readonly dateZone: string
}

function run(shape: RegExp, text: string, at: number): RegExpExecArray | null {
  shape.lastIndex = at
  return shape.exec(text)
}

/** The instant that is written exactly at `at` in a folded text; null if none is. */
export function instantAt(text: string, at: number, frame: Frame): Stated | null {
  const full = run(FULL, text, at) ?? run(FULL_ZH, text, at)
  if (full) {
    const day = `${full[1]}-${full[2]?.padStart(2, '0')}-${full[3]?.padStart(2, '0')}`
    const found = instant(day, Number(full[4]), Number(full[5] ?? 0), Number(full[6] ?? 0), zoneOf(full[7]) ?? frame.dateZone)
    return found === null ? null : { at: found, clockOnly: false }
  }
  const epoch = run(EPOCH, text, at)
  if (epoch) return { at: epochMs(Number(epoch[1])), clockOnly: false }
  return namedDay(text, at, frame) ?? clockTime(text, at, frame)
}

/** Epoch seconds or milliseconds, told apart by size. */
export function epochMs(value: number): number {
  return value < 100_000_000_000 ? value * 1000 : value
}

function hourOf(digits: string | undefined, half: string | undefined): number {
  const hour = Number(digits)
  if (half === undefined) return hour
  return (hour % 12) + (half.startsWith('p') ? 12 : 0)
}

function namedDay(text: string, at: number, frame: Frame): Stated | null {
  const match = run(NAMED, text, at)
  if (!match) return null
  const zone = zoneOf(match[7]) ?? frame.clockZone
  const month = String(MONTHS.indexOf(match[1] ?? '') + 1).padStart(2, '0')
  const year = match[3] === undefined ? Number(dayIn(zoneOr(zone), frame.now).slice(0, 4)) : Number(match[3])
  const on = (y: number): number | null =>
    instant(`${y}-${month}-${(match[2] ?? '').padStart(2, '0')}`, hourOf(match[4], match[6]), Number(match[5] ?? 0), 0, zone)
  const found = on(year)
  if (found === null) return null
  // Without a year, a day far behind us is next year's ("Jan 2" said in December).
  const at_ = match[3] === undefined && found < frame.now - 30 * DAY ? (on(year + 1) ?? found) : found
  return { at: at_, clockOnly: false }
}

function clockTime(text: string, at: number, frame: Frame): Stated | null {
  const midnight = run(MIDNIGHT, text, at)
  if (midnight) {
    const hour = midnight[0].includes('noon') ? 12 : 0
    const zone = zoneOf(midnight[1]) ?? (/[零每今明次]/.test(midnight[0]) ? '+08:00' : frame.clockZone)
    return nextClock(frame.now, hour, 0, 0, zone)
  }
  const match = run(CLOCK, text, at)
  // A bare number is no time: it needs minutes, a half of the day, or 点/时.
  if (!match || (match[3] === undefined && match[6] === undefined && !/[点时]/.test(match[0]))) return null
  const zone = zoneOf(match[7]) ?? (/[点时天日]/.test(match[0]) ? '+08:00' : frame.clockZone)
  return nextClock(frame.now, hourOf(match[2], match[6]), Number(match[3] ?? match[5] ?? 0), Number(match[4] ?? 0), zone)
}

/** The next time the clock of `zone` shows the hour, safe across changes of summer time. */
function nextClock(now: number, hour: number, minute: number, second: number, zone: string): Stated | null {
  for (let shift = -1; shift <= 2; shift++) {
    const day = dayIn(zoneOr(zone), now + shift * DAY)
    const found = instant(day, hour, minute, second, zone)
    if (found === null) return null
    if (found > now - JUST_GONE) return { at: found, clockOnly: true }
  }
  return null
}

/**
 * The calendar day of a zone at an instant, `yyyy-MM-dd`. Finds the wall clock that stands for the instant in two steps
 * of the one conversion used here anyway; a formatter would bring a whole date library into the bundle.
 */
function dayIn(zone: string, at: number): string {
  let wall = at
  for (let step = 0; step < 2; step++) wall += at - fromZonedTime(new Date(wall).toISOString().slice(0, -1), zone).getTime()
  return new Date(wall).toISOString().slice(0, 10)
}

/** A zone that Intl does not know gives no instant at all; until then its days are those of UTC. */
function zoneOr(zone: string): string {
  return Number.isNaN(fromZonedTime('2000-01-01T00:00:00', zone).getTime()) ? 'UTC' : zone
}
