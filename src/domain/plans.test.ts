import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { at, entry, FakeHealth, group, NOON } from '../../tests/support/routing.ts'
import { pick } from './pick.ts'
import { Plans } from './plans.ts'

const names = (plans: Plans, text: string): string[] => plans.loose(at(text)).options.map(({ entry: { model }, groupId }) => `${groupId ?? '-'}:${model}`)
const asker = { automatic: true, probesOn: true }

describe('plans', () => {
  it('has none for a group that is switched off or unknown', () => {
    const plans = new Plans([group('off', [entry('a')], { enabled: false }), group('on', [entry('a')])])
    expect([plans.group('off'), plans.group('gone'), plans.group(null)]).toEqual([null, null, null])
    expect(plans.group('on')?.options).toHaveLength(1)
  })

  it('compiles a group once, until that group changes', () => {
    const a = group('a', [entry('x')])
    const b = group('b', [entry('y')])
    const plans = new Plans([a, b])
    const [first, second] = [plans.group('a'), plans.group('b')]
    plans.update([a, { ...b, rev: 2 }], [])
    expect(plans.group('a')).toBe(first)
    expect(plans.group('b')).not.toBe(second)
    plans.update([{ ...a, enabled: false }], [])
    expect([plans.group('a'), plans.group('b')]).toEqual([null, null])
  })

  it('of a session without a group: no worse priority first, then the whole group, then the fallbacks in order', () => {
    const plans = new Plans([
      group('g', [entry('late', 9), entry('x', 5), entry('same', 5), entry('first', 1)]),
      group('h', [entry('other', 3), entry('x', 2)]),
      group('without', [entry('never', 1)]),
      group('off', [entry('x', 1), entry('hidden', 1)], { enabled: false }),
    ], [at('f1'), at('x'), at('f0')])
    expect(names(plans, 'x')).toEqual(['g:first', 'g:same', 'h:other', 'g:late', '-:f1', '-:f0'])
    expect(names(plans, 'stranger')).toEqual(['-:f1', '-:x', '-:f0'])
  })

  it('follows a change of groups and fallbacks', () => {
    const plans = new Plans([group('g', [entry('x'), entry('a')])])
    expect(names(plans, 'x')).toEqual(['g:a'])
    plans.update([group('g', [entry('x'), entry('b')])], [at('f')])
    expect(names(plans, 'x')).toEqual(['g:b', '-:f'])
  })

  it('law: of what works equally well, an unbound session never gets a worse priority while a no worse one is there', () => {
    const priorities = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 6 })
    fc.assert(fc.property(fc.array(priorities, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(3)), (groups, barred) => {
      const plans = new Plans(groups.map((list, g) => group(`g${g}`, list.map((priority, n) => entry(n === 0 ? 'own' : `q${g}/m${n}`, priority)))), [at('fallback')])
      const health = new FakeHealth()
      for (const n of barred) health.bar(`q0/m${n}`)
      const own = new Map(groups.map((list, g) => [`g${g}`, list[0]!]))
      const free = groups.flatMap((list, g) => list.map((priority, n) => ({ g: `g${g}`, priority, route: at(`q${g}/m${n}`), n }))).filter(({ n, route }) => n > 0 && !health.hard(route, NOON))
      const choice = pick(plans.loose(at('own')), health, NOON, asker)!.option
      if (choice.groupId === null) expect(free).toEqual([])
      else if (free.some(({ g, priority }) => priority <= own.get(g)!)) expect(choice.entry.priority).toBeLessThanOrEqual(own.get(choice.groupId)!)
    }))
  })
})
