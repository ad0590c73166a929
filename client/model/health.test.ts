import { expect, it } from 'vitest'
import { NOW, info, mark, status, verdict } from '../testing/builders.ts'
import { routeHealth, sessionHealth } from './health.ts'

const route = { provider: 'alpha', model: 'a-1' }
const base = status()
const hold = { scope: 'provider' as const, provider: 'alpha', model: null, class: 'auth' as const, reason: null, setAt: NOW, until: NOW + 1000 }

it('tells the worst of a route: a day mark, a hold of it or its provider, a rest', () => {
  const health = { ...base.health, holds: [hold], rests: [{ ...route, until: NOW + 5 }] }
  expect(routeHealth({ failed: [mark(route)], health }, route)).toMatchObject({ tone: 'failed', why: 'failed', class: 'quota' })
  expect(routeHealth({ failed: [], health }, route)).toMatchObject({ tone: 'failed', why: 'held', class: 'auth', until: NOW + 1000 })
  expect(routeHealth({ failed: [], health: { ...health, holds: [] } }, route)).toMatchObject({ tone: 'resting', until: NOW + 5 })
  expect(routeHealth(base, route).tone).toBe('normal')
  expect(routeHealth(null, route).tone).toBe('normal')
})

it('puts a move away from home above everything', () => {
  const override = { provider: 'beta', model: 'b-1', kind: 'failure' as const, class: 'server' as const, from: route, at: NOW, until: NOW + 9 }
  expect(sessionHealth(base, info({ home: route, override }), route)).toMatchObject({ tone: 'moved', class: 'server', until: NOW + 9 })
})

it('takes the verdict of the session for its own route, and asking for no fault', () => {
  const view = (why: 'window' | 'ask' | 'quarantined') => info({ verdicts: [verdict(route, { routable: false, why, until: NOW + 7 })] })
  expect(sessionHealth(base, view('window'), route)).toMatchObject({ tone: 'resting', why: 'window', until: NOW + 7 })
  expect(sessionHealth(base, view('quarantined'), route).tone).toBe('failed')
  expect(sessionHealth(base, view('ask'), route).tone).toBe('normal')
  expect(sessionHealth(base, null, null).tone).toBe('normal')
})
