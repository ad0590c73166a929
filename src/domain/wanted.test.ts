import { describe, expect, it } from 'vitest'
import type { Entry } from '../contract/route.ts'
import { isWanted } from './wanted.ts'

const a = { provider: 'p', model: 'a' }
const group = (more: Partial<Entry> = {}, enabled = true) => ({ id: 'g', rev: 1, name: 'G', enabled, models: [{ ...a, priority: 1, ...more }] })

describe('a route worth a probe', () => {
  it('is one that routing may take by itself, or where a session is at home', () => {
    expect(isWanted(a, [group()], [])).toBe(true)
    expect(isWanted(a, [], [a])).toBe(true)
    expect(isWanted(a, [], [null, { provider: 'p', model: 'b' }])).toBe(false)
  })

  it('is none that only waits for consent or was switched off, even as somebody\'s home', () => {
    expect(isWanted(a, [group({ ask: true })], [a])).toBe(false)
    expect(isWanted(a, [group({ disabled: true })], [a])).toBe(false)
    expect(isWanted(a, [group({}, false)], [])).toBe(false)
  })

  it('is one that a second group admits', () => {
    expect(isWanted(a, [group({ ask: true }), group()], [])).toBe(true)
  })
})
