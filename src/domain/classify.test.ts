import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verdictSchema, type Failure } from '../contract/failure.ts'
import { classify } from './classify.ts'
import { isHostOwned } from './classify/codes.ts'

const NOW = Date.UTC(2026, 7, 25, 2)

/** Pieces that upstream texts are made of, whole and broken, so that random texts come close to real ones. */
const pieces = fc.constantFrom(
  '429: ', '{"error":{"message":"', '"code":', '\\"', '\\\\\\"', '}}', '[503]', 'quota exceeded', 'try again in ', '20s', 'resets at ', '2026-08-25',
  ' 07:41:44', '余额不足', '额度', '模型不存在', 'model not found', 'prompt is too long', '<html>', '<script>', '</script>', 'stream closed', '(2056)', 'code=11200',
  'x-ratelimit-reset: ', 'overloaded', 'per minute', '\u0000', '\ud800', '😀', 'fetch failed', 'retryDelay:', 'Infinity', ':', ' ', '\n',
)
const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.array(pieces, { maxLength: 30 }).map((list) => list.join('')))
const failures: fc.Arbitrary<Failure> = fc.record({
  code: fc.option(fc.oneof(fc.string(), fc.constantFrom('RATE_LIMIT', 'AUTH', 'PI_AI_ERROR', 'HTTP_404', 'SERVER', 'UNKNOWN'))),
  status: fc.option(fc.oneof(fc.integer(), fc.double())),
  message: fc.option(text),
  retryAfterMs: fc.option(fc.double()),
  headers: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('retry-after', 'x-ratelimit-reset', 'retry-after-ms')), fc.string()),
  aborted: fc.boolean(),
}, { requiredKeys: [] })

describe('laws', () => {
  it('judges any failure, and always in the form of the contract', () => {
    fc.assert(fc.property(failures, (failure) => {
      const verdict = classify(failure, NOW)
      expect(verdictSchema.safeParse(verdict).success).toBe(true)
      if (verdict.reset !== null) {
        expect(verdict.reset).toBeGreaterThan(NOW)
        expect(verdict.reset).toBeLessThanOrEqual(NOW + 86_400_000)
      }
    }), { numRuns: 1000 })
  })

  it('judges values that the types forbid, because a host may send them', () => {
    fc.assert(fc.property(fc.anything(), fc.anything(), fc.anything(), (code, status, message) => {
      const failure = { code, status, message, headers: undefined } as unknown as Failure
      expect(verdictSchema.safeParse(classify(failure, NOW)).success).toBe(true)
    }))
  })

  it('gives the same verdict for the same failure', () => {
    fc.assert(fc.property(failures, (failure) => {
      expect(classify(failure, NOW)).toEqual(classify(failure, NOW))
    }))
  })

  it('is cancelled exactly when the turn was aborted', () => {
    fc.assert(fc.property(failures, (failure) => {
      expect(classify(failure, NOW).class === 'cancelled').toBe(failure.aborted === true)
    }))
  })

  it('survives JSON that is nested and cut anywhere', () => {
    const body = JSON.stringify({ error: { message: JSON.stringify({ error: { message: 'Insufficient Balance', code: 402 } }), metadata: { raw: '{"a":[[[[' } } })
    fc.assert(fc.property(fc.nat(body.length), fc.nat(40), (cut, depth) => {
      const nested = `${'{"a":'.repeat(depth)}${body.slice(0, cut)}`
      expect(() => classify({ message: `429: ${nested}` }, NOW)).not.toThrow()
    }))
  })

  it.each(['exceeded_', 'no ', 'models ', '\\', '"', 'model. ', '余额', '<script', 'a_', '[429', 'token ', '((', 'retry ', '不支持'])('stays quick on a megabyte of %j', (piece) => {
    const start = performance.now()
    classify({ code: 'RATE_LIMIT', message: piece.repeat(1_000_000 / piece.length) }, NOW)
    expect(performance.now() - start).toBeLessThan(2000)
  })
})

describe('scopes', () => {
  it.each([
    ['prompt is too long: 2 tokens > 1 maximum', 400, 'request'],
    ['max_tokens must be less than 8000', 400, 'request'],
    ['this model does not support image input', 400, 'request'],
    ['Content Exists Risk', 400, 'request'],
    ['The engine is currently overloaded', 429, 'route'],
    ['Rate limit reached, requests per minute', 429, 'route'],
    ['insufficient balance', 402, 'provider'],
    ['You have exhausted your daily quota on this model.', 429, 'route'],
    ['Free plan temporarily disabled due to abuse', 403, 'provider'],
    ['site-wide free-model capacity is currently full', 429, 'provider'],
    ['invalid api key', 401, 'provider'],
    ['your plan does not include this model', 403, 'route'],
    ['model gone', 404, 'route'],
    ['no healthy upstream', 503, 'route'],
    ['internal error', 500, 'route'],
    ['gateway time-out', 504, 'route'],
  ])('%s (%d) reaches the %s', (message, status, scope) => {
    expect(classify({ message, status }, NOW).scope).toBe(scope)
  })

  it('a broken connection reaches the endpoint', () => {
    expect(classify({ code: 'TRANSPORT', message: 'read ECONNRESET' }, NOW)).toMatchObject({ class: 'transport', scope: 'endpoint' })
  })
})

describe('what the host only guessed', () => {
  it('yields to the text', () => {
    expect(classify({ code: 'CONTEXT_WINDOW_EXCEEDED', message: '400: {"code":"Arrearage","message":"Access denied"}' }, NOW).class).toBe('quota')
    expect(classify({ code: 'AUTH', status: 403, message: '用户额度不足' }, NOW).class).toBe('quota')
    expect(classify({ code: 'INVALID_REQUEST', status: 400, message: 'Model is unavailable' }, NOW).class).toBe('upstream_unavailable')
    expect(classify({ code: 'RATE_LIMIT', status: 429, message: '当前并发数过高' }, NOW).class).toBe('capacity')
  })

  it('has no ground when it came from digits in the middle of a text', () => {
    for (const [code, digits] of [['AUTH', 403], ['RATE_LIMIT', 429], ['INVALID_REQUEST', 400], ['SERVER', 503]] as const) {
      expect(classify({ code, message: `odd event ${digits} in shard 7` }, NOW)).toMatchObject({ class: 'bad_output', status: null })
    }
  })

  it('holds when the text says nothing', () => {
    expect(classify({ code: 'QUOTA', message: '' }, NOW).class).toBe('quota')
    expect(classify({ code: 'SERVER' }, NOW).class).toBe('server')
  })
})

describe('the end of a model', () => {
  it.each([
    { status: 410, message: 'Gone' },
    { code: 'HTTP_410', message: 'x' },
    { message: "The model 'a/b' has reached its end of life on 2026-05-14 and is no longer available." },
    { message: 'The model `m` has been decommissioned and is no longer supported.' },
    { message: '模型 m 已下线' },
  ])('$message', (failure) => {
    expect(classify(failure, NOW)).toMatchObject({ class: 'model_not_found', endOfLife: true })
  })

  it('is not said of a model that is merely unknown', () => {
    expect(classify({ status: 404, message: 'model m not found' }, NOW).endOfLife).toBe(false)
  })
})

it('tells the host its own failures', () => {
  expect(isHostOwned('IMAGE_OFFLOAD_REQUIRED')).toBe(true)
  expect(isHostOwned('SERVER')).toBe(false)
  expect(isHostOwned(null)).toBe(false)
  expect(isHostOwned(undefined)).toBe(false)
})
