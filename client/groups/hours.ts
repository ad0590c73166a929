/** Hours of the day as people type them: `22–6, 12–14`. Pure. */
import type { Window } from '../../src/contract/route.ts'

export function hoursText(windows: readonly Window[] | undefined): string {
  return (windows ?? []).map(({ from, to }) => `${from}–${to}`).join(', ')
}

/** The windows of a text, [] for an empty one, or null when a part is no pair of whole hours 0–23. At most 48. */
export function parseHours(text: string): readonly Window[] | null {
  // NFKC turns the full-width forms of a Chinese keyboard into the plain ones.
  const windows = text.normalize('NFKC').split(/[,;、]/).filter((part) => part.trim()).map((part) => {
    const [, from, to] = /^\s*(\d\d?)(?::00)?\s*[-–—~至到]\s*(\d\d?)(?::00)?\s*$/.exec(part)?.map(Number) ?? []
    return { from: from ?? 24, to: to ?? 24 }
  })
  return windows.length > 48 || windows.some(({ from, to }) => from > 23 || to > 23) ? null : windows
}

/** True for a real calendar day written YYYY-MM-DD. */
export function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00Z`) : null
  return at !== null && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

/** A priority as typed: a whole number 1–999, or null. */
export function priorityOf(text: string): number | null {
  return /^[1-9]\d{0,2}$/.test(text) ? Number(text) : null
}
