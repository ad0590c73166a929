import { expect, it } from 'vitest'
import { compressionGuardStatus } from '../contract/status.ts'
import { createCompactionGuard, type GuardSources } from './compaction-guard.ts'

function world() {
  const state = { enabled: true, active: true, shim: 'absent' as ReturnType<GuardSources['shim']> }
  const guard = createCompactionGuard({
    enabled: () => state.enabled, providers: () => ['qoder'], compactorActive: () => state.active, shim: () => state.shim,
    groups: () => [{ id: 'g', rev: 1, name: 'G', enabled: true, models: [{ provider: 'qoder', model: 'm', priority: 1 }] }],
    sessions: () => [{ sessionId: 's1', route: { provider: 'qoder', model: 'm' } }, { sessionId: 's2', route: { provider: 'x', model: 'y' } }],
  })
  return { state, guard }
}

it('demotes a sealed route while the compactor is active and forgets it when the shim serves', () => {
  const { state, guard } = world()
  expect(guard.demoted({ provider: 'qoder', model: 'm' })).toBe(true)
  expect(guard.demoted({ provider: 'x', model: 'y' })).toBe(false)
  state.shim = null
  expect(guard.demoted({ provider: 'qoder', model: 'm' })).toBe(false)
  expect(guard.status()).toMatchObject({ shimCovered: ['qoder'], downgradedModels: [], degradedSessions: [] })
})

it('changes its version exactly when an answer may change', () => {
  const { state, guard } = world()
  const first = guard.version()
  expect(guard.version()).toBe(first)
  state.active = false
  expect(guard.version()).toBe(first + 1)
})

it('diagnoses only failures without compression', () => {
  const { state, guard } = world()
  expect(guard.status().lastDiagnosis).toBeNull()
  expect(guard.noteFailure({ at: 5, route: { provider: 'x', model: 'y' }, code: 'SERVER' })).toBe(false)
  expect(guard.noteFailure({ at: 7, route: { provider: 'qoder', model: 'm' }, code: 'CONTEXT_WINDOW_EXCEEDED' })).toBe(true)
  state.active = false
  expect(guard.noteFailure({ at: 9, route: { provider: 'qoder', model: 'm' }, code: 'SERVER' })).toBe(false)
  expect(guard.status().lastDiagnosis).toMatchObject({ at: 7, provider: 'qoder', model: 'm', code: 'CONTEXT_WINDOW_EXCEEDED', reason: 'absent' })
})

it('tells its whole state in the shape of the interface', () => {
  const { guard } = world()
  expect(compressionGuardStatus.parse(guard.status())).toEqual({
    enabled: true, biliActive: true, uncompressedProviders: ['qoder'], shimCovered: [],
    downgradedModels: [{ groupId: 'g', provider: 'qoder', model: 'm' }], degradedSessions: [{ sessionId: 's1', provider: 'qoder', model: 'm' }], lastDiagnosis: null,
  })
})
