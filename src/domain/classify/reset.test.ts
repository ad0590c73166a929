import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Failure } from '../../contract/failure.ts'
import { classify } from '../classify.ts'

/** 2026-08-25 10:00 in Beijing, 19:00 the day before in Los Angeles. */
const NOW = Date.UTC(2026, 7, 25, 2)
const DAY = 86_400_000

/** Seconds until the reset that a failure states; null for none. */
function seconds(failure: Failure, now = NOW, zone?: string): number | null {
  const { reset } = classify(failure, now, zone)
  return reset === null ? null : (reset - now) / 1000
}
const said = (message: string, now = NOW, zone?: string): number | null => seconds({ code: 'RATE_LIMIT', message: `429 ${message}` }, now, zone)

describe('a countdown in the text', () => {
  it.each([
    ['Please try again in 20s.', 20],
    ['Please try again in 644ms.', 0.644],
    ['try again in 2 hours', 7200],
    ['Please retry in 17.2s.', 17.2],
    ['Please retry after 26 seconds.', 26],
    ['Please wait 43 seconds before retrying.', 43],
    ['Wait ~30s before retrying.', 30],
    ['Come back in 3h 47m.', 13_620],
    ['resets in: 30m0s', 1800],
    ['Your quota will reset after 3h45m12s.', 13_512],
    ['usage limit, [retrying in 17h 42m attempt #1]', 63_720],
    ['rate limited (reset after 5s)', 5],
    ['请在 30 秒后重试', 30],
    ['请 117 秒后重试', 117],
    ['请求过于频繁，5 分钟后再试', 300],
    ['請求過於頻繁，請在 30 秒後重試', 30],
    ['{"retryDelay":"17s"}', 17],
    ['map[@type:RetryInfo retryDelay:12s]', 12],
    ['{"error":{"message":"later","resets_in_seconds":600}}', 600],
    ['{"error":{"message":"later","retry_after":12}}', 12],
    ['{"error":{"message":"later","retryAfterMs":10000}}', 10],
    ['retry_delay {\n seconds: 44\n}', 44],
  ])('%s', (message, expected) => {
    expect(said(message)).toBeCloseTo(expected, 3)
  })

  it('is cut to a day', () => {
    expect(said('try again in 5 days 10 hours')).toBe(86_400)
  })
})

describe('an instant in the text', () => {
  it.each([
    ['limit resets at 2026-08-25T04:00:00Z', 7200],
    ['limit resets at 2026-08-25T12:00:00+08:00', 7200],
    ['您的限额将在 2026-08-25 12:41:44 重置', 9704],
    ['您的限额将在 2026年8月25日12时41分44秒 重置', 9704],
    ['Usage limit reached for 5 hour. Your limit will reset at 2026-08-25 12:41:44', 9704],
    ['quota used, it will reset at 2026-08-25 13:42:35 +0800 CST', 13_355],
    ['You will regain access on 2026-08-25 at 12:00 UTC.', 36_000],
    ['try again at Aug 25th, 2026 9:06 PM.', 68_760],
    ['limit reached, resets Aug 25 at 5pm (UTC)', 54_000],
    ['Claude AI usage limit reached|1787637600', 14_400],
    ['{"error":{"type":"usage_limit_reached","resets_at":1787637600}}', 14_400],
    ['{"error":{"type":"usage_limit_reached","resets_at":1787637600000}}', 14_400],
    ['Free quota used. Resets at 10:00 UTC', 28_800],
    ['hit your limit · resets 2am (America/Los_Angeles)', 25_200],
    ['hit your limit · resets 4:30pm (Europe/Berlin)', 45_000],
    ['limit resets at midnight Pacific', 18_000],
    ['daily quota used, resets at 08:00 (UTC+8)', 79_200],
    ['额度已用完，将于明天 08:00 重置', 79_200],
    ['额度已用完，每天零点重置', 50_400],
  ])('%s', (message, expected) => {
    expect(said(message)).toBe(expected)
  })

  it('uses the zone it is given for a clock time without one', () => {
    expect(said('hit your limit · resets 3pm')).toBe(13 * 3600)
    expect(said('hit your limit · resets 3pm', NOW, 'Asia/Shanghai')).toBe(5 * 3600)
  })

  it('keeps to the wall clock when summer time ends in between', () => {
    const eve = Date.UTC(2026, 9, 24, 20) // 22:00 summer time in Berlin; 03:00 turns into 02:00 that night
    expect(said('hit your limit · resets 4am (Europe/Berlin)', eve)).toBe(7 * 3600)
  })

  it('takes the next day for a clock time long gone, and nothing for one that has just gone by', () => {
    expect(said('hit your limit · resets 1am (UTC)')).toBe(23 * 3600)
    expect(said('hit your limit · resets 1:58am (UTC)')).toBeNull()
  })
})

describe('no hint', () => {
  it.each([
    'Weekly/Monthly Limit Exhausted. Your limit will reset at',
    'already reset at 2020-01-01T00:00:00Z',
    'please wait or upgrade to continue',
    'Please wait 0 seconds before retrying.',
    'try again later. Limit: 30000, Used 29937',
    'resets at 2pm (Nowhere/Land)',
    'resets at 99:99',
    'retry after NaN',
    '已达到 5 小时的使用上限',
  ])('%s', (message) => {
    expect(said(message)).toBeNull()
  })

  it('comes from a refused request', () => {
    expect(seconds({ status: 400, message: 'prompt is too long, try again in 20s', retryAfterMs: 5000 })).toBeNull()
  })

  it.each([Number.NaN, -1, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('comes from a delay of %d ms', (retryAfterMs) => {
    expect(seconds({ status: 429, message: 'slow down', retryAfterMs })).toBeNull()
  })
})

describe('headers', () => {
  const header = (headers: Record<string, string>, more: Failure = {}): number | null => seconds({ status: 429, message: 'slow down', headers, ...more })

  it.each([
    [{ 'Retry-After': '7' }, 7],
    [{ 'retry-after': 'Tue, 25 Aug 2026 02:01:00 GMT' }, 60],
    [{ 'retry-after-ms': '1500' }, 1.5],
    [{ 'x-ratelimit-reset-requests': '6m0s', 'x-ratelimit-remaining-requests': '0' }, 360],
    [{ 'x-ratelimit-reset-tokens': '12ms' }, 0.012],
    [{ 'anthropic-ratelimit-tokens-reset': '2026-08-25T02:00:30Z', 'anthropic-ratelimit-tokens-remaining': '0' }, 30],
    [{ 'X-RateLimit-Reset': '1787623260' }, 60],
    [{ 'X-RateLimit-Reset': '1787623260000' }, 60],
    [{ 'ratelimit-reset': '45' }, 45],
  ])('%j', (headers, expected) => {
    expect(header(headers as Record<string, string>)).toBeCloseTo(expected, 3)
  })

  it('of counters that are not used up do not count', () => {
    expect(header({ 'retry-after': '3', 'x-ratelimit-reset-requests': '6m0s', 'x-ratelimit-remaining-requests': '12' })).toBe(3)
    expect(header({ 'x-ratelimit-reset-requests': '6m0s', 'x-ratelimit-remaining-requests': '12' })).toBeNull()
  })

  it('of a counter that is used up outlast a shorter retry-after', () => {
    expect(header({ 'retry-after': '3', 'x-ratelimit-reset-requests': '6m0s', 'x-ratelimit-remaining-requests': '0' })).toBe(360)
  })

  it('copied into a body are read like real ones', () => {
    expect(said('{"metadata":{"headers":{"X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1787623260000"}}}')).toBe(60)
  })

  it('win only if they name the longer delay', () => {
    expect(header({ 'retry-after': '3' }, { message: 'Please try again in 20s' })).toBe(20)
    expect(header({ 'retry-after': '30' }, { message: 'Please try again in 20s' })).toBe(30)
    expect(header({}, { retryAfterMs: 60_000, message: 'Please try again in 20s' })).toBe(60)
  })

  it.each([{ 'retry-after': 'soon' }, { 'retry-after': '-4' }, { 'x-ratelimit-reset': '' }])('%j are ignored', (headers) => {
    expect(header(headers as Record<string, string>)).toBeNull()
  })
})

describe('several hints', () => {
  it('prefer a countdown of minutes to a clock time whose day is a guess', () => {
    expect(said('You have used all of today\'s free usage. Come back in 3h 47m. Your usage resets automatically at midnight Pacific.')).toBe(13_620)
  })

  it('prefer the clock time to a delay of seconds', () => {
    expect(said('daily quota used. Retry after 5 seconds. Resets at 10:00 UTC')).toBe(28_800)
  })

  it('of which the short one belongs to another limit leave none', () => {
    const text = '429: {"details":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"},{"retryDelay":"36s"}],"message":"Please retry in 36.4s."}'
    expect(classify({ code: 'QUOTA', message: text }, NOW)).toMatchObject({ class: 'quota', scope: 'route', reset: null })
  })
})

it('lies in the day ahead, whatever is said', () => {
  const unit = fc.constantFrom('s', 'ms', ' minutes', ' hours', ' days', 'h 3m', ' 秒')
  fc.assert(fc.property(fc.double({ min: 0, noNaN: true, max: 1e9 }), unit, fc.string(), (n, u, noise) => {
    const { reset } = classify({ status: 429, message: `${noise} try again in ${n}${u} ${noise}` }, NOW)
    if (reset !== null) {
      expect(reset).toBeGreaterThan(NOW)
      expect(reset).toBeLessThanOrEqual(NOW + DAY)
    }
  }))
})
