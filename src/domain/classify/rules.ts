/**
 * The ordered table that decides the class of a failure. The first rule that holds wins, so narrow rules stand
 * before wide ones: what the host knows for certain, causes that dress up as others, wording and vendor codes,
 * then the bare status, and last the host's own guess.
 */
import type { FailureClass, Scope } from '../../contract/failure.ts'
import { NAME_SHAPES, NUMBERS, STRONG_NAMES, WEAK_NAMES } from './codes.ts'
import type { Evidence } from './evidence.ts'
import * as access from './wording-access.ts'
import * as limits from './wording-limits.ts'
import * as network from './wording-network.ts'
import * as request from './wording-request.ts'

export interface Rule {
  readonly id: string
  readonly class: FailureClass
  /** Only where it differs from the usual scope of the class. */
  readonly scope?: Scope
  readonly endOfLife?: true
  /** The short delay in the text belongs to another limit than the one that was met. */
  readonly foreignDelay?: true
  readonly test: (e: Evidence) => boolean
}

type Test = (e: Evidence) => boolean

const says = (...phrases: readonly (RegExp | readonly RegExp[])[]): Test => {
  const all = phrases.flat()
  return (e) => all.some((phrase) => phrase.test(e.text))
}
const host = (...codes: readonly string[]): Test => (e) => codes.includes(e.code)
const status = (...list: readonly number[]): Test => (e) => e.status !== null && list.includes(e.status)
const both = (...tests: readonly Test[]): Test => (e) => tests.every((test) => test(e))
const either = (...tests: readonly Test[]): Test => (e) => tests.some((test) => test(e))
const not = (test: Test): Test => (e) => !test(e)
const named = (...list: readonly string[]): Test => (e) => list.some((name) => e.names.has(name))
const strong = (kind: FailureClass): Test => {
  const list = STRONG_NAMES[kind] ?? []
  const shape = NAME_SHAPES[kind]
  return (e) => list.some((name) => e.names.has(name)) || (shape !== undefined && [...e.names].some((name) => shape.test(name)))
}
const weak = (kind: FailureClass): Test => named(...(WEAK_NAMES[kind] ?? []))
const numbered = (kind: FailureClass): Test => {
  const list = NUMBERS[kind] ?? []
  return (e) => list.some((number) => e.numbers.has(number))
}

/** No answer came: neither a status, nor a host code that stands for a 5xx the adapter then dropped. */
const noStatus: Test = (e) => e.status === null && !(e.code === 'SERVER' && !/\b5\d\d\b/.test(e.text))
const broke: Test = (e) => e.status === null || e.status >= 500
const silent: Test = (e) => e.text === ''

const shortWindow = both(says(limits.SHORT_WINDOW), either(says(limits.LIMIT_MET, limits.RATE), weak('rate_limit')))
const longWindow = both(says(limits.LONG_WINDOW), says(limits.LIMIT_MET, limits.RATE))

/** The host saw this itself, without an upstream: nothing in the text can be clearer. */
const CERTAIN: readonly Rule[] = [
  { id: 'host.capacity-timeout', class: 'capacity', test: host('CAPACITY_TIMEOUT') },
  { id: 'host.no-adapter', class: 'local', test: host('NO_ADAPTER', 'DUPLICATE_ADAPTER', 'INVALID_CATALOG', 'INVALID_MODEL_INFO') },
  { id: 'host.unknown-model', class: 'model_not_found', test: host('UNKNOWN_MODEL') },
  { id: 'host.credential', class: 'auth', test: host('MISSING_CREDENTIAL', 'INVALID_CREDENTIAL') },
  { id: 'host.content', class: 'unsupported_modality', test: host('UNSUPPORTED_CONTENT') },
  { id: 'host.option', class: 'invalid_request', test: host('UNSUPPORTED_REASONING_EFFORT', 'UNSUPPORTED_OPTION', 'INVALID_ARGS') },
  { id: 'host.empty', class: 'empty_response', test: host('EMPTY_RESPONSE') },
]

/** Causes whose wording looks like another one's, and statuses that leave no doubt. */
const DISGUISED: readonly Rule[] = [
  { id: 'status.402', class: 'quota', test: status(402) },
  { id: 'quota.site-wide', class: 'quota', scope: 'provider', test: says(limits.SITE_WIDE) },
  { id: 'wrapped.request', class: 'invalid_request', test: both((e) => e.wrapped === 400 || e.wrapped === 422, says(request.PARAMETERS), not(says(request.TOO_LONG, request.MODALITY, request.FILTERED, limits.BALANCE, limits.ALLOWANCE_SPENT))) },
  { id: 'forbidden.client', class: 'forbidden', test: says(access.CLIENT_ONLY) },
  { id: 'context.one-request-over-rate', class: 'context_too_long', test: says(/\brequest too large for\b|\brequest body too large for\b/) },
  { id: 'rate.gemini-minute', class: 'rate_limit', test: both(either(quotaId(/perminute/), says(/metric: \S+_token_count\b/)), not(quotaId(/perday/)), not(freeTierDay)) },
  { id: 'quota.gemini-day', class: 'quota', scope: 'route', foreignDelay: true, test: either(quotaId(/perday/), freeTierDay) },
  { id: 'quota.free-tier-only', class: 'quota', scope: 'route', test: named('freetieronly') },
  { id: 'rate.allocated', class: 'rate_limit', test: says(/(?<!free |hour |week |month |day )\ballocated quota exceeded|error-code#(?:token|rate)-limit|\bresource has been exhausted \(e\.g\. check quota/) },
]

function quotaId(shape: RegExp): Test {
  return (e) => [...e.names].some((name) => shape.test(name))
}

/**
 * Gemini without the quota id names only the metric and its limit. Free tiers allow at most 15 (one old model: 30)
 * requests a minute and at least 20 a day, and 0 means that the tier has none.
 */
function freeTierDay(e: Evidence): boolean {
  if (/free_tier_\w+, limit: 0\b/.test(e.text)) return true
  const limit = /free_tier_requests, limit: (\d{1,6})\b/.exec(e.text)?.[1]
  if (limit === undefined) return false
  const value = Number(limit)
  return value >= 20 && value !== 30
}

/** The request itself. */
const REQUEST: readonly Rule[] = [
  { id: 'filter.code', class: 'content_filter', test: either(strong('content_filter'), numbered('content_filter')) },
  { id: 'filter.text', class: 'content_filter', test: both(says(request.FILTERED), not(says(access.BLOCKED))) },
  { id: 'context.code', class: 'context_too_long', test: either(strong('context_too_long'), numbered('context_too_long')) },
  { id: 'context.text', class: 'context_too_long', test: both(says(request.TOO_LONG), not(shortWindow)) },
  { id: 'context.shorten', class: 'context_too_long', test: both(says(request.SHORTEN), says(/\btokens?\b|\blength\b|\blong\b|\bcontext\b/), not(shortWindow), not(longWindow)) },
  { id: 'modality.code', class: 'unsupported_modality', test: strong('unsupported_modality') },
  { id: 'modality.text', class: 'unsupported_modality', test: says(request.MODALITY) },
]

const poolInUse = both(says(limits.POOL), not(status(400, 422)))

/** Limits: full now, too often, used up. */
const LIMITS: readonly Rule[] = [
  { id: 'rate.pool-cooling', class: 'rate_limit', test: says(limits.POOL_COOLING) },
  { id: 'capacity.concurrency', class: 'capacity', test: says(limits.CONCURRENCY) },
  { id: 'capacity.overload', class: 'capacity', test: says(limits.OVERLOAD) },
  { id: 'capacity.code', class: 'capacity', test: either(strong('capacity'), numbered('capacity')) },
  { id: 'rate.code', class: 'rate_limit', test: numbered('rate_limit') },
  { id: 'quota.code', class: 'quota', test: either(strong('quota'), numbered('quota')) },
  { id: 'rate.minute', class: 'rate_limit', test: both(shortWindow, not(longWindow)) },
  { id: 'quota.balance', class: 'quota', test: says(limits.BALANCE) },
  { id: 'quota.window', class: 'quota', test: longWindow },
  { id: 'quota.allowance', class: 'quota', test: says(limits.ALLOWANCE_SPENT) },
  { id: 'capacity.pool', class: 'capacity', test: poolInUse },
]

/** Who asks and what is asked for. */
const ACCESS: readonly Rule[] = [
  { id: 'timeout.no-answer', class: 'timeout', test: both(noStatus, says(network.NO_ANSWER)) },
  { id: 'transport.connect', class: 'transport', test: both(noStatus, says(network.NO_CONNECTION)) },
  { id: 'model.no-channel', class: 'model_not_found', test: says(access.NO_CHANNEL) },
  { id: 'rate.text', class: 'rate_limit', test: says(limits.RATE) },
  { id: 'quota.upsell', class: 'quota', test: both(status(429), says(limits.UPSELL)) },
  { id: 'forbidden.code', class: 'forbidden', test: either(strong('forbidden'), numbered('forbidden')) },
  { id: 'model.end-of-life', class: 'model_not_found', endOfLife: true, test: either(status(410), says(access.END_OF_LIFE)) },
  { id: 'auth.code', class: 'auth', test: either(strong('auth'), numbered('auth')) },
  { id: 'model.code', class: 'model_not_found', test: either(strong('model_not_found'), numbered('model_not_found')) },
  { id: 'upstream.code', class: 'upstream_unavailable', test: strong('upstream_unavailable') },
  { id: 'forbidden.model', class: 'forbidden', test: says(access.MODEL_BARRED) },
  { id: 'forbidden.account', class: 'forbidden', test: says(access.BLOCKED) },
  { id: 'auth.text', class: 'auth', test: says(access.CREDENTIAL) },
  { id: 'invalid.text', class: 'invalid_request', test: both(says(request.PARAMETERS), not(status(401, 403, 404))) },
  { id: 'upstream.text', class: 'upstream_unavailable', test: both(says(access.DEAD_UPSTREAM), not(status(401, 403, 404, 429)), not(says(/\bstream (?:was )?(?:closed|ended|disconnected|interrupted)/))) },
  { id: 'model.text', class: 'model_not_found', test: both(says(access.NO_MODEL), not(status(429))) },
  { id: 'forbidden.text', class: 'forbidden', test: both(says(access.TIER), not(status(401, 404))) },
]

/** Broken on the way or inside. With a 4xx status the call arrived and was judged, so these do not apply. */
const BROKEN: readonly Rule[] = [
  { id: 'timeout.text', class: 'timeout', test: both(broke, either(says(network.TIMED_OUT), strong('timeout'), weak('timeout'))) },
  { id: 'host.stream-closed', class: 'bad_output', test: host('STREAM_CLOSED') },
  { id: 'empty.text', class: 'empty_response', test: both(broke, either(says(network.NOTHING_CAME), strong('empty_response')), not(says(/\bempty_stream\b/))) },
  { id: 'output.garbled', class: 'bad_output', test: both(broke, either(says(network.GARBLED), strong('bad_output'), host('MALFORMED_RESPONSE', 'INVALID_RESPONSE'))) },
  { id: 'transport.broken', class: 'transport', test: both(noStatus, either(says(network.BROKEN_CONNECTION), weak('transport'))) },
]

/** What is left: the status, then names of a family, then the host's guess. */
const REST: readonly Rule[] = [
  { id: 'status.400', class: 'invalid_request', test: both(status(400, 422), not(both(host('CONTEXT_WINDOW_EXCEEDED'), not(silent)))) },
  { id: 'status.401', class: 'auth', test: status(401, 440, 498) },
  { id: 'status.403-silent', class: 'auth', test: both(status(403), silent) },
  { id: 'status.403', class: 'forbidden', test: status(403, 418, 423, 434, 451) },
  { id: 'status.404', class: 'model_not_found', test: status(404) },
  { id: 'status.413', class: 'context_too_long', test: status(413) },
  { id: 'status.429', class: 'rate_limit', test: status(429, 449) },
  { id: 'status.529', class: 'capacity', test: status(529) },
  { id: 'status.timeout', class: 'timeout', test: status(408, 504, 522, 524, 598, 599) },
  { id: 'status.closed', class: 'transport', test: status(407, 444, 499, 511) },
  { id: 'status.424', class: 'server', test: status(424, 425) },
  { id: 'status.4xx', class: 'invalid_request', test: (e) => e.status !== null && e.status < 500 && !host('CONTEXT_WINDOW_EXCEEDED')(e) },
  { id: 'status.5xx', class: 'server', test: (e) => e.status !== null && e.status >= 500 && !host('CONTEXT_WINDOW_EXCEEDED')(e) },
  { id: 'name.rate', class: 'rate_limit', test: weak('rate_limit') },
  { id: 'name.model', class: 'model_not_found', test: weak('model_not_found') },
  { id: 'name.invalid', class: 'invalid_request', test: weak('invalid_request') },
  { id: 'name.server', class: 'server', test: either(says(network.SERVER_FAULT), weak('server')) },
  { id: 'guess.context', class: 'context_too_long', test: host('CONTEXT_WINDOW_EXCEEDED', 'CONTEXT_LENGTH_EXCEEDED') },
  { id: 'guess.rate', class: 'rate_limit', test: both(host('RATE_LIMIT'), not(stray(/\b429\b/))) },
  { id: 'guess.quota', class: 'quota', test: host('QUOTA') },
  { id: 'guess.auth', class: 'auth', test: both(host('AUTH'), not(stray(/\b40[13]\b/))) },
  { id: 'guess.invalid', class: 'invalid_request', test: both(host('INVALID_REQUEST'), not(stray(/\b4(?:00|13)\b/))) },
  { id: 'guess.server', class: 'server', test: both(host('SERVER'), not(stray(/\b5\d\d\b/))) },
  { id: 'guess.timeout', class: 'timeout', test: host('TIMEOUT') },
  { id: 'guess.transport', class: 'transport', test: host('TRANSPORT', 'ABORTED') },
  { id: 'guess.local', class: 'local', test: host('UNKNOWN') },
  { id: 'guess.in-band', class: 'bad_output', test: host('PI_AI_ERROR', 'RATE_LIMIT', 'AUTH', 'INVALID_REQUEST', 'SERVER') },
]

/** The host guesses some codes from digits anywhere in the text; with no status stated, such a guess has no ground. */
function stray(digits: RegExp): Test {
  return (e) => e.status === null && digits.test(e.text)
}

export const RULES: readonly Rule[] = [...CERTAIN, ...DISGUISED, ...REQUEST, ...LIMITS, ...ACCESS, ...BROKEN, ...REST]

/** Decides when no rule holds: nothing is known but that the call failed. */
export const UNDECIDED: Rule = { id: 'unknown', class: 'unknown', test: () => true }
