/**
 * Beijing time as plain arithmetic: UTC+8 without daylight saving, whatever the zone of the machine.
 * Instants are epoch ms; a civil day is the text YYYY-MM-DD.
 */

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
const SHIFT_MS = 8 * HOUR_MS

/** Number of the Beijing day an instant lies in; day 0 is 1970-01-01. Consecutive days have consecutive numbers. */
export function dayNumber(at: number): number {
  return Math.floor((at + SHIFT_MS) / DAY_MS)
}

/** Hour of the Beijing day, 0–23. */
export function beijingHour(at: number): number {
  return Math.floor((at + SHIFT_MS) / HOUR_MS) - 24 * dayNumber(at)
}

/** The Beijing civil day an instant lies in. */
export function beijingDay(at: number): string {
  return dayText(dayNumber(at))
}

/** Instant at which the Beijing day with that number begins. */
export function startOfDayNumber(day: number): number {
  return day * DAY_MS - SHIFT_MS
}

/** Instant at which the Beijing day that holds `at` begins. */
export function startOfDay(at: number): number {
  return startOfDayNumber(dayNumber(at))
}

/** Instant at which the next hour of the Beijing clock begins; always after `at`. */
export function nextHour(at: number): number {
  return (Math.floor(at / HOUR_MS) + 1) * HOUR_MS
}

/** The usage day of an instant: usage day D runs from `resetHour` (0–23) of D to `resetHour` of the day after. */
export function usageDay(at: number, resetHour: number): string {
  return beijingDay(at - resetHour * HOUR_MS)
}

/** Instant at which the usage day of `at` began; never after `at`. */
export function usageDayStart(at: number, resetHour: number): number {
  return startOfDay(at - resetHour * HOUR_MS) + resetHour * HOUR_MS
}

/** Instant at which the usage day of `at` ends; always after `at`. */
export function usageDayEnd(at: number, resetHour: number): number {
  return usageDayStart(at, resetHour) + DAY_MS
}

/**
 * Text of a day number. The civil calendar by integer arithmetic over 400-year eras that begin in March, so that a leap
 * day is the last of its year (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
 */
export function dayText(day: number): string {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor((dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const dayOfMonth = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return `${String(year).padStart(4, '0')}-${month < 10 ? '0' : ''}${month}-${dayOfMonth < 10 ? '0' : ''}${dayOfMonth}`
}

/** Number of a civil day; null unless the text is a real date written YYYY-MM-DD. Inverse of {@link dayText}. */
export function parseDay(text: string): number | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!match) return null
  const month = Number(match[2])
  const year = Number(match[1]) - (month <= 2 ? 1 : 0)
  const era = Math.floor(year / 400)
  const yearOfEra = year - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + Number(match[3]) - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  const day = era * 146_097 + dayOfEra - 719_468
  return dayText(day) === text ? day : null
}

/** The civil day `days` after (or, negative, before) a day text; null when that text is no real date. */
export function addDays(text: string, days: number): string | null {
  const day = parseDay(text)
  return day === null ? null : dayText(day + days)
}

/** Instants `from` (included) to `to` (excluded); −Infinity and Infinity where a side is open. */
export interface InstantRange { readonly from: number; readonly to: number }

/** The whole Beijing days from `since` to `until`, both included. A side that is null or no real date stays open. */
export function wholeDays(since: string | null, until: string | null): InstantRange {
  const first = since === null ? null : parseDay(since)
  const last = until === null ? null : parseDay(until)
  return {
    from: first === null ? Number.NEGATIVE_INFINITY : startOfDayNumber(first),
    to: last === null ? Number.POSITIVE_INFINITY : startOfDayNumber(last + 1),
  }
}
