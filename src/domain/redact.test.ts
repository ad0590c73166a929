import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LONGEST, REDACTED, redact } from './redact.ts'

/** Built from parts so that no scanner takes a fixture for a leaked key. */
const letters = (n: number): string => 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY'.repeat(8).slice(0, n)
const hex = (n: number): string => '0123456789abcdef'.repeat(16).slice(0, n)

describe('a secret does not get through', () => {
  it.each([
    ['an OpenAI key', `sk-${letters(48)}`],
    ['a project key', `sk-proj-${letters(20)}_${letters(30)}`],
    ['an Anthropic key', `sk-ant-api03-${letters(60)}-AA`],
    ['an OpenRouter key', `sk-or-v1-${hex(64)}`],
    ['a short relay key', `sk-${letters(12)}`],
    ['a Groq key', `gsk_${letters(40)}`],
    ['an xAI key', `xai-${letters(60)}`],
    ['a Google key', `AIza${letters(35)}`],
    ['a Hugging Face token', `hf_${letters(34)}`],
    ['a GitHub token', `ghp_${letters(36)}`],
    ['an NVIDIA key', `nvapi-${letters(50)}`],
    ['an AWS key id', `AKIA${letters(16).toUpperCase()}`],
    ['a BigModel key', `${hex(32)}.${letters(16)}`],
    ['a JSON web token', `eyJ${letters(20)}.eyJ${letters(30)}.${letters(43)}`],
    ['long hex', hex(40)],
    ['long base64', `${letters(60)}==`],
  ])('%s', (_name, secret) => {
    for (const text of [secret, `Incorrect API key provided: ${secret}.`, `{"error":{"message":"bad key ${secret}","code":401}}`, `看这里：${secret}，错误`]) {
      const clean = redact(text)
      expect(clean).toContain(REDACTED)
      expect(clean).not.toContain(secret.slice(4, 14))
    }
  })

  it.each([
    ['Authorization: Bearer abc123def456ghi', 'abc123def456ghi'],
    ['authorization: Basic dXNlcjpwYXNzd29yZA==', 'dXNlcjpwYXNzd29yZA'],
    ['https://user:hunter22@relay.example/v1', 'hunter22'],
    ['https://relay.example/v1?key=abcdef123&model=x', 'abcdef123'],
    ['https://relay.example/v1?a=1&access_token=zzz999#top', 'zzz999'],
    ['https://relay.example/v1?a=1&amp;api_key=zzz999', 'zzz999'],
    ['{"api_key":"plainvalue"}', 'plainvalue'],
    ["{'x-api-key': 'plainvalue'}", 'plainvalue'],
    ['password=correcthorse', 'correcthorse'],
    ['client_secret: s3cr3tvalue', 's3cr3tvalue'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----', 'abc'],
    ['data:image/png;base64,iVBORw0KGgo=', 'iVBORw0KGgo'],
  ])('%s', (text, secret) => {
    expect(redact(text)).not.toContain(secret)
  })

  it('wherever it stands in any text', () => {
    fc.assert(fc.property(fc.string(), fc.string(), fc.nat(40), (before, after, n) => {
      const secret = `sk-${letters(24 + n)}`
      expect(redact(`${before} ${secret} ${after}`)).not.toContain(secret.slice(3))
    }))
  })

  it('across the cut', () => {
    const clean = redact(`${'x '.repeat(LONGEST / 2 - 6)}sk-${letters(48)}`)
    expect(clean).not.toContain(letters(8))
  })
})

describe('what a reader needs stays', () => {
  it.each([
    '429: {"error":{"message":"余额不足或无可用资源包,请充值。","code":"1113"}}',
    "This model's maximum context length is 131072 tokens. However, you requested 134026 tokens.",
    'The model `claude-sonnet-4-20250514` does not exist or you do not have access to it.',
    'Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 20',
    'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
    "Function id '87ea0ddc-cff1-4bca-bf8b-3bd98a35ddd0': DEGRADED function cannot be invoked",
    'invalid x-api-key',
    'Invalid token: token is required',
    'max_tokens: 64000 > 8192',
    'Bearer authentication is required',
    'see https://platform.openai.com/docs/guides/error-codes/api-errors',
    'token quota is not enough, token remain quota: ¥0.100000',
    'No API key found for provider "a"; run login',
    'key-value pairs must be strings',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text)
  })
})

describe('length', () => {
  it('is bounded, whatever comes', () => {
    fc.assert(fc.property(fc.string(), fc.nat(5000), (text, n) => {
      expect(redact(text.repeat(n % 500)).length).toBeLessThanOrEqual(LONGEST)
    }))
  })

  it('says that a text was cut', () => {
    expect(redact('word '.repeat(2000))).toMatch(/…$/)
    expect(redact('a '.repeat(10))).not.toMatch(/…$/)
  })

  it.each(['sk-', 'a-', 'Bearer ', 'https://', '-----BEGIN PRIVATE KEY-----', 'eyJ', 'a1', 'api_key='])('stays quick on a megabyte of %j', (piece) => {
    const start = performance.now()
    redact(piece.repeat(1_000_000 / piece.length))
    expect(performance.now() - start).toBeLessThan(1000)
  })
})

it('is the same the second time', () => {
  fc.assert(fc.property(fc.string(), (text) => {
    const once = redact(`key sk-${letters(30)} ${text}`)
    expect(redact(once)).toBe(once)
  }))
})
