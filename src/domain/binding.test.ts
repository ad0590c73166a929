import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionRecord } from '../contract/group.ts'
import { record } from '../../tests/support/routing.ts'
import { effectiveBinding, PARENTS_MAX, startBinding, UNBOUND, type Lineage } from './binding.ts'

function lineage(records: Record<string, SessionRecord>, parents: Record<string, string> = {}): Lineage {
  return { recordOf: (id) => records[id] ?? null, parentOf: (id) => parents[id] ?? null }
}

describe('the binding in force', () => {
  it('is the own one', () => {
    expect(effectiveBinding('s', lineage({ s: record({ groupId: 'g', mode: 'route' }) }))).toEqual({ groupId: 'g', mode: 'route', pin: false, inheritedFrom: null })
  })

  it('comes from the nearest parent that chose one, and says from which', () => {
    const family = lineage({ b: record({ groupId: 'near', mode: 'route', pin: true }), a: record({ groupId: 'far' }) }, { c: 'b', b: 'a' })
    expect(effectiveBinding('c', family)).toEqual({ groupId: 'near', mode: 'route', pin: true, inheritedFrom: 'b' })
  })

  it('passes records that say nothing about a group', () => {
    const family = lineage({ c: record({ home: { provider: 'p', model: 'a' } }), a: record({ groupId: 'g' }) }, { c: 'b', b: 'a' })
    expect(effectiveBinding('c', family).groupId).toBe('g')
  })

  it('is none where a session, or a parent on the way, said "no group"', () => {
    const family = lineage({ b: record({ unbound: true }), a: record({ groupId: 'g' }) }, { c: 'b', b: 'a' })
    expect([effectiveBinding('c', family), effectiveBinding('b', family)]).toEqual([UNBOUND, UNBOUND])
  })

  it('keeps the own pin, whatever is inherited', () => {
    const family = lineage({ c: record({ pin: true }), a: record({ groupId: 'g' }) }, { c: 'a' })
    expect(effectiveBinding('c', family)).toMatchObject({ groupId: 'g', pin: true, inheritedFrom: 'a' })
    expect(effectiveBinding('x', lineage({ x: record({ pin: true }) }))).toEqual({ ...UNBOUND, pin: true })
  })

  it('looks at no more than 32 parents', () => {
    const chain = Object.fromEntries(Array.from({ length: PARENTS_MAX + 2 }, (_, n) => [`s${n}`, `s${n + 1}`]))
    expect(effectiveBinding('s0', lineage({ [`s${PARENTS_MAX}`]: record({ groupId: 'g' }) }, chain)).groupId).toBe('g')
    expect(effectiveBinding('s0', lineage({ [`s${PARENTS_MAX + 1}`]: record({ groupId: 'g' }) }, chain)).groupId).toBeNull()
  })

  it('law: ends for any parents, also circular ones, and names a parent on the way', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    fc.assert(fc.property(fc.dictionary(id, id), fc.dictionary(id, fc.boolean()), id, (parents, marked, start) => {
      const records = Object.fromEntries(Object.entries(marked).map(([key, own]) => [key, own ? record({ groupId: key }) : record()]))
      const binding = effectiveBinding(start, lineage(records, parents))
      expect(binding.groupId === null || records[binding.groupId]?.groupId === binding.groupId).toBe(true)
      expect(binding.inheritedFrom).toBe(binding.groupId === start ? null : binding.groupId)
    }))
  })
})

describe('the default binding', () => {
  const fallback = { groupId: 'g', mode: 'route' as const }
  const start = { source: 'startup', subagent: false, record: null, fallback, groupExists: () => true }

  it('applies on startup and clear, never on resume or compact', () => {
    expect(['startup', 'clear', 'resume', 'compact', 'other'].map((source) => startBinding({ ...start, source }))).toEqual([fallback, fallback, null, null, null])
  })

  it('leaves subagents and sessions that chose alone', () => {
    expect(startBinding({ ...start, subagent: true })).toBeNull()
    expect(startBinding({ ...start, record: record({ groupId: 'h' }) })).toBeNull()
    expect(startBinding({ ...start, record: record({ unbound: true }) })).toBeNull()
    expect(startBinding({ ...start, record: record() })).toEqual(fallback)
  })

  it('binds nothing when its group is gone', () => {
    expect(startBinding({ ...start, groupExists: () => false })).toBeNull()
  })
})
