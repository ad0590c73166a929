import { describe, expect, it } from 'vitest'
import type { Hold } from '../contract/health.ts'
import type { Breaker } from './breaker.ts'
import { AT_REST, freshProvider, freshRoute, hardHold, openCauses, softState, type ProviderState, type RouteState } from './health.ts'

const OFFSET = 1_000_000
const hold = (until: number, more: Partial<Hold> = {}): Hold => ({ scope: 'route', provider: 'p', model: 'm', class: 'quota', reason: null, setAt: 0, until, ...more })
const openUntil = (until: number): Breaker => ({ at: 'open', since: 0, until, opens: 1, cause: 'server', by: 1, before: null })

function states(change: (route: RouteState, provider: ProviderState) => void): [ProviderState, RouteState] {
  const provider = freshProvider('p', '')
  const route = freshRoute({ provider: 'p', model: 'm' })
  provider.routes.set('m', route)
  change(route, provider)
  return [provider, route]
}
const hard = (change: (route: RouteState, provider: ProviderState) => void, mono = 0): string | null => {
  const hit = hardHold(...states(change), { now: mono + OFFSET, offset: OFFSET })
  return hit && `${hit.why} ${hit.class} ${(hit.until ?? Number.NaN) - OFFSET}`
}
const soft = (change: (route: RouteState, provider: ProviderState) => void, mono = 0): string => {
  const { tier, why, until } = softState(...states(change), mono + OFFSET, OFFSET)
  return `${tier} ${why} ${until === null ? null : until - OFFSET}`
}

describe('all holds of a route', () => {
  it('bar it by the one that ends last, wherever it is kept', () => {
    expect(hard((route, provider) => { provider.holds = [hold(OFFSET + 90)]; route.holds = [hold(OFFSET + 50, { class: 'forbidden' })] })).toBe('held quota 90')
    expect(hard((route, provider) => { provider.holds = [hold(OFFSET + 50)]; route.holds = [hold(OFFSET + 90, { class: 'forbidden' })] })).toBe('held forbidden 90')
    expect(hard((route) => { route.holds = [hold(OFFSET + 50)] }, 50)).toBeNull()
  })

  it('cost nothing when there are none', () => {
    const [provider, route] = states(() => {})
    expect(softState(provider, route, OFFSET, OFFSET)).toBe(AT_REST)
    expect(softState(provider, undefined, OFFSET, OFFSET)).toBe(AT_REST)
    expect(hardHold(provider, undefined, { now: OFFSET, offset: OFFSET })).toBeNull()
  })

  it('give the worst tier, with the end of what causes it', () => {
    expect(soft((route) => { route.breaker = openUntil(60); route.restUntil = 90 })).toBe('4 open 60')
    expect(soft((route) => { route.breaker = openUntil(60); route.restUntil = 90 }, 60)).toBe('3 resting 90')
    expect(soft((route) => { route.breaker = openUntil(60); route.restUntil = 90 }, 90)).toBe('2 open null')
    expect(soft((route, provider) => { route.breaker = openUntil(60); provider.open = { since: 0, until: 120, by: 1 } })).toBe('4 open 120')
    expect(soft((route, provider) => { route.breaker = openUntil(200); provider.open = { since: 0, until: 120, by: 1 } })).toBe('4 open 200')
    expect(soft((_route, provider) => { provider.open = { since: 0, until: 120, by: 1 } }, 120)).toBe('0 null null')
  })

  it('tell that the permit is out, and until when', () => {
    const lease = { id: 1, since: 0, until: 90 }
    expect(soft((route) => { route.breaker = openUntil(60); route.lease = lease })).toBe('4 trial 90')
    expect(soft((route) => { route.breaker = openUntil(60); route.lease = lease }, 70)).toBe('2 trial 90')
    expect(soft((route) => { route.breaker = openUntil(60); route.lease = lease }, 90)).toBe('2 open null')
    expect(soft((route) => { route.lease = lease })).toBe('0 null null')
  })

  it('count as open only while they are', () => {
    const [provider] = states((route) => { route.breaker = openUntil(60) })
    expect([59, 60].map((mono) => openCauses(provider, mono))).toEqual([['server'], []])
  })
})
