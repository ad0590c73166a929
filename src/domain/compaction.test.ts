import { describe, expect, it } from 'vitest'
import { bypasses, downgraded, HINTS, reasonOf, shimCovered, type CompactionFacts } from './compaction.ts'

const facts = (change: Partial<CompactionFacts> = {}): CompactionFacts => ({ enabled: true, providers: ['qoder', 'qodercn'], active: true, shim: 'absent', ...change })

describe('a route bypasses compression', () => {
  it('only when all four conditions hold', () => {
    expect(bypasses(facts(), 'qoder')).toBe(true)
    expect(bypasses(facts({ enabled: false }), 'qoder')).toBe(false)
    expect(bypasses(facts({ providers: [] }), 'qoder')).toBe(false)
    expect(bypasses(facts({ active: false }), 'qoder')).toBe(false)
    expect(bypasses(facts({ shim: null }), 'qoder')).toBe(false)
    expect(bypasses(facts(), 'openai')).toBe(false)
  })

  it('even with the shim, when it is a provider the shim does not know', () => {
    const now = facts({ providers: ['qoder', 'sealed'], shim: null })
    expect(bypasses(now, 'sealed')).toBe(true)
    expect(shimCovered(now)).toEqual(['qoder'])
    expect(reasonOf(now, 'sealed')).toBe('not-covered')
  })

  it('for a reason that has a hint', () => {
    for (const shim of ['off', 'absent', 'hook', 'waiting', 'port'] as const) expect(HINTS[reasonOf(facts({ shim }), 'qoder')]).toContain('billion-context')
  })
})

describe('the list of demoted entries', () => {
  const models = Array.from({ length: 60 }, (_, index) => ({ provider: 'qoder', model: `m${index}`, priority: index + 1 }))

  it('leaves out disabled groups and entries, and ends at fifty', () => {
    const group = { id: 'g', rev: 1, name: 'G', enabled: true, models: [{ provider: 'openai', model: 'x', priority: 1 }, { provider: 'qoder', model: 'barred', priority: 1, disabled: true }, ...models] }
    const list = downgraded(facts(), [{ ...group, id: 'off', enabled: false }, group])
    expect(list).toHaveLength(50)
    expect(list[0]).toEqual({ groupId: 'g', provider: 'qoder', model: 'm0' })
  })

  it('keeps entries that are out of their hours or past their day', () => {
    const group = { id: 'g', rev: 1, name: 'G', enabled: true, models: [{ provider: 'qoder', model: 'm', priority: 1, until: '2000-01-01', windows: [{ from: 1, to: 2 }] }] }
    expect(downgraded(facts(), [group])).toEqual([{ groupId: 'g', provider: 'qoder', model: 'm' }])
  })
})
