// Any row config, any failure and any text: a verdict every time, quickly, and never a throw.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFIG_KEYS, configSchema, readConfig } from '../src/contract/config.ts'
import { FAULTS } from '../src/contract/faults.ts'
import { failureClassSchema } from '../src/contract/failure.ts'
import { CLASS_RULES, consequences } from '../src/domain/consequences.ts'
import { classify } from '../src/domain/classify.ts'
import { LONGEST, redact } from '../src/domain/redact.ts'
import { json, nastyText, near, RUNS, timeFor } from './support/weird.ts'

const NOW = Date.UTC(2025, 2, 3, 4)
const DAY_MS = 86_400_000
const { config } = readConfig({})

describe('a row', () => {
  it('is taken whole, or the plugin is inert and says why, key by key', () => {
    const legal = Object.fromEntries(CONFIG_KEYS.map((key) => [key, (config as Readonly<Record<string, unknown>>)[key] ?? 'x']))
    const row = fc.oneof(near([legal, {}, { fallbacks: [{ provider: 'p', model: 'm' }], tripCodes: ['SERVER'] }]), json, fc.dictionary(fc.constantFrom(...CONFIG_KEYS, 'failRestHour'), json), fc.anything())
    fc.assert(fc.property(row, (value) => {
      const read = readConfig(value)
      expect(configSchema.safeParse(read.config).success).toBe(true)
      expect(read.config.enabled && read.errors.length > 0).toBe(false)
      for (const error of read.errors) {
        expect(error.message).toMatch(/\S/)
        expect(error.value.length).toBeLessThanOrEqual(200)
        if (error.nearest !== null) expect(CONFIG_KEYS).toContain(error.nearest)
      }
    }), { numRuns: RUNS })
  }, timeFor(10))

  it('may even fight back when it is read', () => {
    const fighting = new Proxy({}, { ownKeys: () => { throw new Error('no') } })
    const volatile = { enabled: { get: () => { throw new Error('no') } } }
    for (const value of [volatile, { get failResetHour() { throw new Error('no') } }, fighting, Object.create(null), new Date(Number.NaN), () => undefined, Symbol('x'), 1n]) {
      expect(() => readConfig(value)).not.toThrow()
    }
  })
})

/** Pieces of what upstreams write, from the faults the demo plays and the words that rules look for. */
const PIECES: readonly string[] = [
  ...FAULTS.flatMap(({ play }) => ('body' in play ? [typeof play.body === 'string' ? play.body : JSON.stringify(play.body)] : [])),
  '429: ', '[503] ', 'HTTP 400', 'status code 529', '{"error":{"message":"', '"}}', '<html>', 'Error: ', 'quota', 'insufficient', 'balance', '余额不足', '请在', ' 后重试', '将在 2026-08-25 07:41:44 重置', 'resets 2am (America/Los_Angeles)', 'try again in ',
  '6m0s', '12ms', '5 days 10 hours', ' Mon, 03 Mar 2025 04:00:00 GMT', '1741000000', 'midnight', '明天 8 点', 'rate limit', 'model ', ' not found', ' does not exist', 'maximum context length is ', '当前并发数过高', ' tokens', 'policy', '模型', '超过', '"code":"1302"', 'sk-', 'Bearer ',
].filter((piece) => piece !== '')
const upstreamText = fc.oneof(fc.array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PIECES) }, { weight: 1, arbitrary: nastyText }), { maxLength: 12 }).map((parts) => parts.join('')), nastyText)
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<unknown> => fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: fc.anything() })

describe('a failure', () => {
  const failure = fc.record({
    code: maybe(fc.constantFrom('RATE_LIMIT', 'QUOTA', 'AUTH', 'SERVER', 'TRANSPORT', 'PI_AI_ERROR', 'INVALID_REQUEST', 'HTTP_404', 'UNKNOWN')), status: maybe(fc.integer({ min: 0, max: 999 })),
    message: maybe(upstreamText), retryAfterMs: maybe(fc.double()), headers: maybe(fc.dictionary(fc.constantFrom('retry-after', 'retry-after-ms', 'x-ratelimit-reset-requests', 'x'), upstreamText)), aborted: maybe(fc.constant(false)),
  }, { requiredKeys: [] })

  it('of any shape gets a class, a scope and a reset that lies ahead within a day', () => {
    fc.assert(fc.property(fc.oneof({ weight: 8, arbitrary: failure }, { weight: 1, arbitrary: fc.object() }), fc.constantFrom('UTC', 'Asia/Shanghai', 'America/New_York', 'No/Where', ''), (value, zone) => {
      const verdict = classify(value as Parameters<typeof classify>[0], NOW, zone)
      expect(failureClassSchema.options).toContain(verdict.class)
      if (verdict.reset !== null) {
        expect(verdict.reset).toBeGreaterThan(NOW)
        expect(verdict.reset).toBeLessThanOrEqual(NOW + DAY_MS)
      }
      expect(CLASS_RULES[verdict.class]).toBeDefined()
      expect(() => consequences({ ...verdict, code: null }, config, NOW)).not.toThrow()
      expect(classify(value as Parameters<typeof classify>[0], NOW, zone)).toEqual(verdict)
    }), { numRuns: RUNS })
  }, timeFor(10))

  it('of any length is judged in a moment: no pattern runs away', () => {
    const long = fc.tuple(fc.oneof(fc.constantFrom(...PIECES, ' ', '\n', '[', '{', '"', '\\', 'a', '1', '1:', '-', '/', 'a/', '点', '时', '(', '1 ', 'a ', '. ', ', ', '=', 'x-', 'key=', '\u00a0'), fc.string({ minLength: 1, maxLength: 4 })), fc.constantFrom(...PIECES, ''), fc.constantFrom(...PIECES, '!'))
    fc.assert(fc.property(long, ([piece, head, tail]) => {
      const text = head + piece.repeat(Math.ceil(65_536 / piece.length)).slice(0, 65_536) + tail
      // Of several tries the quickest: a busy machine is not the text's fault.
      let least = Infinity
      for (let tries = 0; tries < 3 && least > 500; tries += 1) {
        const started = performance.now()
        classify({ code: 'PI_AI_ERROR', message: text }, NOW)
        redact(text)
        least = Math.min(least, performance.now() - started)
      }
      expect(least, JSON.stringify([head, piece, tail])).toBeLessThan(500)
    }), { numRuns: RUNS })
  }, timeFor(300))
})

describe('the redactor', () => {
  const KEYS = ['sk-proj-Zq7bW2nX9cV4mL1kJ8hG5fD3', 'sk-ant-api03-abcDEF123456789abcDEF123456789', '9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c', 'AIzaSyD4mQ7xW2bN8vK1jH6gF3dS9aP0oI5uY7t', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U']
  it('lets no key through, wherever it stands, and nothing grows', () => {
    fc.assert(fc.property(upstreamText, fc.constantFrom(...KEYS), fc.constantFrom(' ', '"', "'", ': ', '=', '\n', '(', 'Bearer ', ','), upstreamText, (before, key, joint, after) => {
      const clean = redact(`${before}${joint}${key}${joint.trim() === '' ? ' ' : ''}${/^\w/.test(after) ? ` ${after}` : after}`)
      expect(clean).not.toContain(key)
      expect(clean.length).toBeLessThanOrEqual(LONGEST)
      expect(redact(clean).length).toBeLessThanOrEqual(LONGEST)
    }), { numRuns: RUNS })
  }, timeFor(10))

  it('takes any text', () => {
    fc.assert(fc.property(fc.oneof(upstreamText, fc.string({ unit: 'binary', maxLength: 500 })), (text) => { expect(redact(text).length).toBeLessThanOrEqual(LONGEST) }), { numRuns: RUNS })
  })
})
