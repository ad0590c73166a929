import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonErrorAt, placeOf } from './json.ts'

it.each([
  ['', 0], ['abc', 0], ['{"a":1,}', 7], ['[1,2', 4], ['{"a" 1}', 5], ['[1 2]', 3], ['{"a":tru}', 5], ['"a\\x"', 3], ['"a\nb"', 2], ['[01]', 2], ['{} {}', 3], ['[1}', 2], ['{"a":1]', 6], ['{"a":1', 6], ['-', 0], ['"abc', 4], ['"\\u12x4"', 2], ['[,1]', 1], ['{a:1}', 1],
])('finds where %j stops being JSON', (text, at) => {
  expect(jsonErrorAt(text)).toBe(at)
})

it('agrees with the engine on what is JSON, whatever the text', () => {
  const pieces = fc.array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"', '1', '-0.5e3', 'true', 'null', ' ', '\n', '\\u00e9', 'x', '0'), { maxLength: 9 }).map((parts) => parts.join(''))
  fc.assert(fc.property(fc.oneof(pieces, fc.string(), fc.json()), (text) => {
    let legal = true
    try { JSON.parse(text) } catch { legal = false }
    expect(jsonErrorAt(text) === -1).toBe(legal)
  }), { numRuns: 3000 })
})

it('a broken document is legal up to the place it names', () => {
  fc.assert(fc.property(fc.json(), fc.nat(), (text, cut) => {
    const broken = `${text.slice(0, cut % (text.length + 1))}\u0000${text.slice(cut % (text.length + 1))}`
    expect(jsonErrorAt(broken)).toBeLessThanOrEqual(cut % (text.length + 1))
  }), { numRuns: 500 })
})

it('is not deep where the text is', () => {
  expect(jsonErrorAt('['.repeat(200_000))).toBe(200_000)
})

it('says line and column', () => {
  expect(placeOf('{\n "a": x}', 8)).toBe('line 2, column 7')
})
