/** One sample of an older plugin in whatever words it used; what it did not record stays unknown, never 0. */
import type { Purpose, Sample } from '../contract/metrics.ts'
import { purposeSchema } from '../contract/metrics.ts'
import type { Route } from '../contract/route.ts'
import { classify } from '../domain/classify.ts'
import { readable } from '../domain/tally.ts'
import { isPlain, number, readRoute, text, type Plain } from './forms.ts'

const WORDS = {
  at: ['at', 't', 'time', 'ts', 'timestamp', 'startedAt', 'start', 'date'],
  ttft: ['ttft', 'ttftMs', 'firstTokenMs', 'firstToken', 'firstFrameMs'],
  speed: ['tps', 'speed', 'tokensPerSecond', 'outputTps'],
  wait: ['wait', 'waitMs', 'queueMs', 'queueWaitMs', 'slotWaitMs'],
  in: ['inTokens', 'inputTokens', 'promptTokens', 'in'],
  out: ['outTokens', 'outputTokens', 'completionTokens', 'out'],
  cacheRead: ['cacheReadTokens', 'cacheRead', 'cachedTokens'],
  cacheWrite: ['cacheWriteTokens', 'cacheWrite'],
  code: ['errorCode', 'code'],
  message: ['errorMessage', 'errorText', 'reason', 'message'],
} as const

const EARLIEST = Date.UTC(2015, 0)
const DAY_MS = 86_400_000

/** `keys` are the keys it lies under; one of them may be its route. Null when it has no route or no credible time. */
export function readLegacySample(raw: unknown, keys: readonly string[], now: number): Sample | null {
  if (!isPlain(raw)) return null
  const route = routeOf(raw, keys)
  const at = instant(first(raw, WORDS.at))
  if (!route || at === null || at < EARLIEST || at > now + DAY_MS) return null
  const error = isPlain(raw['error']) ? raw['error'] : raw
  const code = text(first(error, WORDS.code))
  const message = text(first(error, WORDS.message)) ?? text(raw['error'])
  const ok = succeeded(raw, code, message)
  return {
    at, provider: route.provider, model: route.model, endpoint: '',
    outcome: ok ? 'ok' : outcomeOf(code, message, at), code: ok ? null : code?.slice(0, 200) ?? null, message: ok ? null : readable(message)?.slice(0, 2000) ?? null,
    wait: amount(first(raw, WORDS.wait)) ?? 0, ttft: amount(first(raw, WORDS.ttft)), speed: amount(first(raw, WORDS.speed)),
    in: amount(first(raw, WORDS.in)), out: amount(first(raw, WORDS.out)), cacheRead: amount(first(raw, WORDS.cacheRead)), cacheWrite: amount(first(raw, WORDS.cacheWrite)),
    purpose: purposeOf(raw),
  }
}

/** Of the sample itself, else of the nearest key that is a route, else of the last two keys (provider, then model). */
function routeOf(raw: Plain, keys: readonly string[]): Route | null {
  const own = readRoute(raw, null)
  if (own) return own
  for (const key of keys.toReversed()) {
    const found = readRoute(null, key)
    if (found) return found
  }
  const [provider, model] = keys.filter((key) => key !== 'samples').slice(-2)
  return provider && model ? readRoute({ provider, model }, null) : null
}

function succeeded(raw: Plain, code: string | null, message: string | null): boolean {
  const said = first(raw, ['ok', 'success', 'succeeded'])
  if (typeof said === 'boolean') return said
  if (said === 0 || said === 1) return said === 1
  return code === null && message === null && raw['outcome'] !== 'error' && raw['failed'] !== true
}

function outcomeOf(code: string | null, message: string | null, at: number): Sample['outcome'] {
  if (code !== null && /^(?:aborted|abort_err|cancell?ed)$/i.test(code)) return 'cancelled'
  return classify({ code, message }, at).class
}

function purposeOf(raw: Plain): Purpose {
  const purpose = purposeSchema.safeParse(raw['purpose'])
  if (purpose.success) return purpose.data
  return raw['speedtest'] === true ? 'speedtest' : 'chat'
}

function first(raw: Plain, words: readonly string[]): unknown {
  const word = words.find((name) => raw[name] !== undefined && raw[name] !== null)
  return word === undefined ? undefined : raw[word]
}

function amount(value: unknown): number | null {
  const found = number(value)
  return Number.isFinite(found) && found >= 0 ? found : null
}

/** Epoch ms from a number of ms or of seconds, or from a date text that names its zone. */
function instant(value: unknown): number | null {
  const found = number(value)
  if (Number.isFinite(found)) return found < 100_000_000_000 ? found * 1000 : found
  const parsed = typeof value === 'string' && /(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isFinite(parsed) ? parsed : null
}
