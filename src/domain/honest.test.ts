import { describe, expect, it } from 'vitest'
import { duration, honestError, type Say } from './honest.ts'

const say: Say = (key, facts) => `<${key}${facts ? ` ${Object.values(facts).join('|')}` : ''}>`
const a = { provider: 'a', model: 'x' }
const b = { provider: 'b', model: 'y' }
// 2026-01-01 00:30 UTC is 08:30 in Beijing.
const now = Date.UTC(2026, 0, 1, 0, 30)

describe('the honest error', () => {
  it('keeps the upstream words in front and names what was tried and when something returns', () => {
    const text = honestError('429: no more', { tried: [{ route: a, class: 'quota' }, { route: b, class: 'server' }], earliest: { route: b, until: now + 90_000 }, offers: [], limit: null, outage: false, now }, say)
    expect(text.startsWith('429: no more\n')).toBe(true)
    expect(text).toContain('a/x (<class.quota>) → b/y (<class.server>)')
    expect(text).toContain('b/y|01-01 08:31 (UTC+8)|<unit.minute 1> <unit.second 30>')
    expect(text).toContain('<honest.act>')
  })

  it('offers the entries that only wait for consent', () => {
    const text = honestError('x', { tried: [], earliest: null, offers: [b], limit: null, outage: false, now }, say)
    expect(text).toContain('<honest.offer b/y>')
    expect(text).toContain('<honest.noReturn>')
  })

  it('sends nobody to the settings while the network of the machine is down', () => {
    const text = honestError('x', { tried: [{ route: a, class: 'transport' }], earliest: null, offers: [b], limit: 'hops', outage: true, now }, say)
    expect(text).toBe('x\n[Model Failover] <honest.tried a/x (<class.transport>)> <honest.outage>')
  })

  it('says which bound ended the search', () => {
    expect(honestError('x', { tried: [], earliest: null, offers: [], limit: 'moves', outage: false, now }, say)).toContain('<honest.limit.moves>')
  })

  it('writes durations in their two largest units', () => {
    expect(duration(0, say)).toBe('<unit.second 1>')
    expect(duration(59_001, say)).toBe('<unit.minute 1>')
    expect(duration(3 * 86_400_000 + 5 * 3_600_000 + 61_000, say)).toBe('<unit.day 3> <unit.hour 5>')
    expect(duration(2 * 3_600_000 + 30_000, say)).toBe('<unit.hour 2>')
  })
})
