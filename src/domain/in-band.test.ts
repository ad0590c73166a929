import fc from 'fast-check'
import { expect, it } from 'vitest'
import { errorInDisguise } from './in-band.ts'

it.each([
  'upstream overloaded', 'Our servers are currently overloaded. Please try again later.', 'The model is currently overloaded, please try again later',
  'Service temporarily unavailable', '503 Service Unavailable', 'HTTP 429: Too Many Requests', 'Error: 502 Bad Gateway', 'error: upstream error', '500',
  'Rate limit exceeded', 'You have exceeded your current quota. Please check your plan and billing details.', 'Insufficient balance', 'Request timed out.',
  'The upstream provider is unavailable. Sorry for the inconvenience.', 'Internal server error', 'An unexpected error occurred. Please retry your request.',
  '服务繁忙，请稍后再试', '当前访问量过大，请稍后再试。', '余额不足', '系统繁忙', '请求过于频繁，请稍后重试', '没有可用的账号', '错误：模型过载，请稍后再试', '您的请求过于频繁',
  '{"error":{"message":"Worker local total request limit reached (33/32)","code":502}}', '{"error":"overloaded"}', '{"type":"error"}', '503 {"error":{"type":"overloaded_error"}}',
  '{"code":429,"message":"Too many requests"}',
])('takes %j for an error', (text) => {
  expect(errorInDisguise(text)).toEqual({ code: 'MALFORMED_RESPONSE', message: text })
})

it.each([
  'OK', 'done', '', '42', '200', 'Hello', '4040 items', '{"ok":true}', '{"error":null,"result":5}', '{"message":"Too many requests"}', '{', '{"error":""}',
  'The server is overloaded because your loop never yields.', 'HTTP 429 means that too many requests were sent.', 'Rate limit exceeded is the message your API should send.',
  'I raised the rate limit', 'Use 503 Service Unavailable here.', 'Error: division by zero', 'error: undefined variable `x`', 'Your test timed out; I fixed it.',
  '服务繁忙是因为并发太多，我已修改代码。', '这个错误是余额不足引起的', '已修复：请求超时', 'Please try again later', '请稍后再试', 'The model is unavailable in my list, so I used another one.',
  'Connection refused: start the database first with `npm run db`.',
])('takes %j for an answer', (text) => {
  expect(errorInDisguise(text)).toBeNull()
})

it('takes an error with anything said after it for an answer', () => {
  const words = fc.stringMatching(/^[a-z]{4,9}( [a-z]{4,9}){2,5}$/)
  fc.assert(fc.property(fc.constantFrom('Service unavailable', '服务繁忙', 'Rate limit exceeded', '{"error":"x"}'), words, (error, more) => {
    expect(errorInDisguise(`${error}. So ${more}`)).toBeNull()
    expect(errorInDisguise(`Here ${more}: ${error}`)).toBeNull()
  }))
})

it('decides about any short text, also one that looks like an error for long', () => {
  fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => { errorInDisguise(text) }))
  for (const hard of ['the model '.repeat(30), 'request '.repeat(37), 'please try again '.repeat(17), '模型服务系统'.repeat(50), `{${'"error":'.repeat(30)}}`]) errorInDisguise(hard)
})
