/**
 * When a group entry may be used: its hours of the Beijing day and its last day. Owns the clock part of a hard hold and
 * says exactly when that part changes next.
 */
import type { Entry, Window } from '../contract/route.ts'
import { HOUR_MS, beijingHour, nextHour, parseDay, startOfDayNumber } from './beijing.ts'

/** One bit per hour of the Beijing day, bit 0 = 00:00–00:59. */
export type Hours = number

export const ALL_HOURS: Hours = 0xff_ff_ff

/** The opening times of an entry, ready to be asked: its hours, and the instant (epoch ms) at which its last day is over. */
export interface Clock { readonly hours: Hours; readonly ends: number }

/** Hours covered by any of the windows, both ends included; `from > to` crosses midnight. No window = the whole day. */
export function hoursOf(windows: readonly Window[] | null | undefined): Hours {
  if (!windows || windows.length === 0) return ALL_HOURS
  let hours = 0
  for (const { from, to } of windows) {
    const length = ((to - from + 24) % 24) + 1
    for (let step = 0; step < length; step++) hours |= 1 << ((from + step) % 24)
  }
  return hours
}

/** Instant at which the last valid day is over; Infinity without one. */
export function endOf(until: string | null | undefined): number {
  const day = until ? parseDay(until) : null
  return day === null ? Number.POSITIVE_INFINITY : startOfDayNumber(day + 1)
}

export function clockOf(entry: Pick<Entry, 'windows' | 'until'>): Clock {
  return { hours: hoursOf(entry.windows), ends: endOf(entry.until) }
}

/** True while one of the windows covers the instant. */
export function isOpen(windows: readonly Window[] | null | undefined, at: number): boolean {
  return coversHour(hoursOf(windows), beijingHour(at))
}

/** True from the first instant of the day after `until`. */
export function isExpired(until: string | null | undefined, at: number): boolean {
  return at >= endOf(until)
}

/** What the clock says of an entry. `until` of 'window' is the next opening, null if the entry expires before it. */
export type ClockState =
  | { readonly state: 'open' }
  | { readonly state: 'window'; readonly until: number | null }
  | { readonly state: 'expired' }

export function clockState(clock: Clock, at: number): ClockState {
  if (at >= clock.ends) return { state: 'expired' }
  if (coversHour(clock.hours, beijingHour(at))) return { state: 'open' }
  const opens = nextFlip(clock.hours, at)
  return { state: 'window', until: opens < clock.ends ? opens : null }
}

/** The next instant after `at` at which {@link clockState} changes its state; Infinity if it never does. */
export function nextClockChange(clock: Clock, at: number): number {
  if (at >= clock.ends) return Number.POSITIVE_INFINITY
  return Math.min(clock.ends, nextFlip(clock.hours, at))
}

export function coversHour(hours: Hours, hour: number): boolean {
  return ((hours >>> hour) & 1) === 1
}

/** The next hour boundary at which coverage turns on or off; Infinity when all hours are alike. */
function nextFlip(hours: Hours, at: number): number {
  const hour = beijingHour(at)
  const now = coversHour(hours, hour)
  for (let step = 1; step < 24; step++) {
    if (coversHour(hours, (hour + step) % 24) !== now) return nextHour(at) + (step - 1) * HOUR_MS
  }
  return Number.POSITIVE_INFINITY
}
