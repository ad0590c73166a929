import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from './fold.ts'
import { textStatuses } from './status.ts'

const first = (text: string): number | null => textStatuses(fold(text)).first

describe('a status is read where the words say so', () => {
  it.each([
    ['429: {"message":"x"}', 429],
    ['503 Service temporarily unavailable', 503],
    ['402 "Grok Build usage balance exhausted"', 402],
    ['520 <title>x</title>', 520],
    ['Streaming response failed: [503] Upstream error', 503],
    ['upstream client (http 400): {}', 400],
    ['API error 404: model x', 404],
    ['API Error: Request rejected (429) · [1308][Usage limit', 429],
    ['Request failed with status code 404', 404],
    ['DeepSeek API error (HTTP 403)', 403],
    ['unexpected status 401 Unauthorized: x', 401],
    ['exceeded retry limit, last status: 429 Too Many Requests', 429],
    ["Error code: 429 - {'error': {}}", 429],
    ["Server error '503 Service Unavailable' for url 'x'", 503],
    ['<400> InternalError.Algo', 400],
    ['HTTP/1.1 502 Bad Gateway', 502],
    ['请求失败，状态码: 503, 响应: x', 503],
    ['{"statusCode":429}', 429],
    ['{"error":{"code":402,"message":"x"}}', 402],
    ['openai.APIError: 500 internal', 500],
  ])('%s', (text, status) => {
    expect(first(text)).toBe(status)
  })
})

describe('digits that no word calls a status are none', () => {
  it.each([
    'This model allows 429 tokens',
    'requested 134026 tokens (34026 in the messages)',
    '429 tokens are too many',
    '500 requests per day',
    'messages[404] is bad',
    'connect ECONNREFUSED 10.0.0.4:503',
    'request id 20260225429404',
    'took 504 ms',
    'version 4.0.3',
    'status 200, then nothing',
    'error code: 20012',
    'expected a tensor of [512]',
    'max 400',
  ])('%s', (text) => {
    expect(first(text)).toBeNull()
  })

  it('whatever stands around them', () => {
    fc.assert(fc.property(fc.integer({ min: 400, max: 599 }), fc.constantFrom('tokens', 'ms', 'characters', 'images'), (n, unit) => {
      expect(first(`the answer stopped after ${n} ${unit}`)).toBeNull()
    }))
  })
})

it('tells every status in order, and those in words apart from those in fields', () => {
  const found = textStatuses(fold('503: {"error":{"code":400,"message":"upstream returned 404"}}'))
  expect(found.all).toEqual([503, 400, 404])
  expect(found.worded).toEqual([503, 404])
})
