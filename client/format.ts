/** Numbers, sizes, spans and instants as people read them. All clock times are Beijing time, as everywhere in the plugin. */
import { t } from './text.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const BEIJING = 8 * HOUR

/** What stands where nothing is known. */
export const NONE = '—'

/** A span of ms in its two largest units, rounded up to whole seconds. */
export function span(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms / SECOND)) * SECOND
  const part = (unit: number, of: number): number => Math.floor((whole % of) / unit)
  if (whole >= DAY) return t('span.days', { d: Math.floor(whole / DAY), h: part(HOUR, DAY) })
  if (whole >= HOUR) return t('span.hours', { h: part(HOUR, DAY), m: part(MINUTE, HOUR) })
  if (whole >= MINUTE) return t('span.minutes', { m: part(MINUTE, HOUR), s: part(SECOND, MINUTE) })
  return t('span.seconds', { s: whole / SECOND })
}

/** The Beijing day of an instant, `YYYY-MM-DD`. */
export function day(at: number): string {
  return new Date(at + BEIJING).toISOString().slice(0, 10)
}

/** The full hour of an instant, Beijing time. */
export function hour(at: number): string {
  return `${new Date(at + BEIJING).toISOString().slice(11, 13)}:00`
}

/** The Beijing clock of an instant: `HH:MM` on the same day, `MM-DD HH:MM` otherwise. */
export function clockTime(at: number, now: number): string {
  const text = new Date(at + BEIJING).toISOString()
  return day(at) === day(now) ? text.slice(11, 16) : `${text.slice(5, 10)} ${text.slice(11, 16)}`
}

/** Milliseconds of a latency. */
export function latency(ms: number | null): string {
  if (ms === null) return NONE
  return ms < SECOND ? `${Math.round(ms)} ms` : `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 2 : 1)} s`
}

/** Tokens per second. */
export function speed(tps: number | null): string {
  return tps === null ? NONE : tps < 100 ? tps.toFixed(1) : String(Math.round(tps))
}

/** A count in at most four signs: 940, 12.3K, 4.5M. */
export function count(value: number | null): string {
  if (value === null) return NONE
  if (value < 1000) return String(Math.round(value))
  const [size, unit] = value < 999_500 ? [value / 1000, 'K'] : value < 999_500_000 ? [value / 1e6, 'M'] : [value / 1e9, 'G']
  return `${size < 99.95 ? Number(size.toFixed(1)) : Math.round(size)}${unit}`
}

/** A share of one as a percentage; never rounded up to 100. */
export function percent(share: number | null): string {
  if (share === null) return NONE
  const value = Math.floor(share * 1000) / 10
  return `${Number.isInteger(value) ? value : value.toFixed(1)}%`
}
