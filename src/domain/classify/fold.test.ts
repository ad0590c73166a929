import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bounded, fold, unescaped } from './fold.ts'

describe('fold', () => {
  it('reads a body packed into a body like a plain one', () => {
    const inner = JSON.stringify({ error: { message: '余额不足', code: '1113' } })
    const packed = JSON.stringify({ metadata: { raw: JSON.stringify({ body: inner }) } })
    expect(fold(packed)).toContain('"message":"余额不足"')
  })

  it('decodes \\u escapes', () => {
    expect(fold('{"msg":"\\u4f59\\u989d\\u4e0d\\u8db3"}')).toBe('{"msg":"余额不足"}')
  })

  it('brings traditional characters and words to the simplified ones', () => {
    expect(fold('您的帳戶餘額不足，請儲值')).toBe('您的账户余额不足,请充值')
    expect(fold('伺服器繁忙')).toBe('服务器繁忙')
    expect(fold('連線逾時')).toBe('连接超时')
  })

  it('drops scripts and tags but keeps a status in angle brackets and comparisons', () => {
    expect(fold('<html><script>var timeout = 1</script><title>502 Bad Gateway</title></html>')).toBe('502 bad gateway')
    expect(fold('<400> a < b')).toBe('<400> a < b')
  })

  it('keeps an element that never closes, because it may hold the cause', () => {
    expect(fold('<style>x</style><script>quota')).toContain('quota')
  })

  it('writes contractions and quotation marks in one form', () => {
    expect(fold('You don’t have “access”, it isn`t supported and can\'t work')).toBe('you do not have "access", it is not supported and cannot work')
  })

  it('keeps the head and the tail of a long text', () => {
    const text = `429 ${'x'.repeat(200_000)} resets in 5m`
    expect(bounded(text).length).toBeLessThan(33_000)
    expect(fold(text)).toMatch(/^429 .* resets in 5m$/)
  })

  it('is done after one pass over folded text without escapes', () => {
    fc.assert(fc.property(fc.string().filter((s) => !/[\\<&]/.test(s)), (text) => {
      expect(fold(fold(text))).toBe(fold(text))
    }))
  })
})

describe('unescaped', () => {
  it('stops after four levels and never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => {
      expect(typeof unescaped(text.repeat(3))).toBe('string')
    }))
    expect(unescaped('\\'.repeat(64))).toBe('\\'.repeat(4))
  })
})
