/**
 * Reads reset hints out of response headers: `retry-after` (seconds or HTTP date), `retry-after-ms`, and the counters
 * `x-ratelimit-reset[-…]`, `anthropic-ratelimit-…-reset`, `ratelimit-reset`. Bodies that carry copies of such headers
 * are read the same way.
 */
import type { Failure } from '../../contract/failure.ts'
import { duration } from './durations.ts'
import { epochMs, type Stated } from './instants.ts'

/** All hints of the host's own delay and of the headers that belong to the failing limit. */
export function headerHints(failure: Failure, text: string, now: number): Stated[] {
  const headers = new Map<string, string>(copiedHeaders(text))
  for (const [name, value] of Object.entries(failure.headers ?? {})) {
    if (typeof value === 'string') headers.set(name.toLowerCase(), value.slice(0, 200))
  }
  const told: Stated[] = []
  const add = (at: number | null): void => {
    if (at !== null && Number.isFinite(at)) told.push({ at, clockOnly: false })
  }
  if (typeof failure.retryAfterMs === 'number') add(now + failure.retryAfterMs)
  add(retryAfter(headers.get('retry-after'), now))
  const ms = headers.get('retry-after-ms')
  if (ms !== undefined && /^\s*\d{1,15}(?:\.\d+)?\s*$/.test(ms)) add(now + Number(ms))
  return [...told, ...counterHints(headers, now, told.length > 0)]
}

function retryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null
  const span = duration(value)
  if (span !== null) return now + span
  return /\d{4}/.test(value) && /gmt|utc|z$/i.test(value) ? Date.parse(value) : null
}

const RESET_NAME = /^(?:x-)?(?:[a-z]+-)?ratelimit(?:-[a-z0-9]+)*?-reset(?:-[a-z0-9-]+)?$|^x-rate-limit-reset$/

/** A counter that is used up belongs to the failing limit; others count only when nothing else is stated. */
function counterHints(headers: ReadonlyMap<string, string>, now: number, told: boolean): Stated[] {
  const spent: Stated[] = []
  const unknown: Stated[] = []
  for (const [name, value] of headers) {
    if (!RESET_NAME.test(name)) continue
    const at = counterReset(value, now)
    const left = headers.get(name.replace('-reset', '-remaining'))
    if (at === null) continue
    if (left === undefined) unknown.push({ at, clockOnly: false })
    else if (Number(left) <= 0) spent.push({ at, clockOnly: false })
  }
  if (spent.length > 0) return spent
  return told ? [] : unknown
}

/** Forms seen: `6m0s`, `12ms`, `1.5` or `60` (seconds), epoch seconds or ms, ISO. */
function counterReset(value: string, now: number): number | null {
  const plain = value.trim()
  if (/^\d{10,13}(?:\.\d+)?$/.test(plain)) return epochMs(Number(plain))
  const span = duration(plain)
  if (span !== null) return now + span
  return /^\d{4}-\d{2}-\d{2}t/i.test(plain) ? Date.parse(plain) : null
}

const COPIED = /["']?\b((?:x-)?(?:[a-z]+-)?ratelimit-[a-z0-9-]+|x-rate-limit-[a-z-]+|retry-after(?:-ms)?)["']? ?: ?["'[]{0,2}([a-z0-9:.+-]{1,40})/g

function copiedHeaders(text: string): [string, string][] {
  return [...text.matchAll(COPIED)].map((match) => [match[1] ?? '', match[2] ?? ''])
}
