import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failureClassSchema } from '../contract/failure.ts'
import { ALWAYS_LIMIT, patienceFor, type PatienceFacts } from './patience.ts'

const facts = (over: Partial<PatienceFacts> = {}): PatienceFacts => ({
  class: 'server', hostRetries: true, mode: 'normal', held: false, failures: 1, patience: 'exhaust', ...over,
})

describe('patience', () => {
  it('lets the host retry a transient failure first', () => {
    expect(patienceFor(facts())).toBe('host-first')
    expect(patienceFor(facts({ failures: 5 }))).toBe('host-first')
  })

  it('takes over at once where a retry would only repeat an incurable answer', () => {
    for (const incurable of ['quota', 'auth', 'forbidden', 'model_not_found', 'upstream_unavailable', 'local'] as const) {
      expect(patienceFor(facts({ class: incurable }))).toBe('at-once')
    }
  })

  it('asks the inner policies about an incurable failure the host would not retry, so that a key rotation is heard', () => {
    expect(patienceFor(facts({ class: 'auth', hostRetries: false }))).toBe('host-first')
  })

  it('takes over a stall after the first', () => {
    expect(patienceFor(facts({ class: 'timeout' }))).toBe('at-once')
  })

  it('takes over at once when the route is held by now', () => {
    expect(patienceFor(facts({ held: true }))).toBe('at-once')
  })

  it('overrules a policy without an end at the third failure', () => {
    const always = facts({ mode: 'always' })
    expect(patienceFor({ ...always, failures: ALWAYS_LIMIT - 1 })).toBe('host-first')
    expect(patienceFor({ ...always, failures: ALWAYS_LIMIT })).toBe('at-once')
  })

  it('rides the second retry when asked to', () => {
    expect(patienceFor(facts({ patience: 'ride' }))).toBe('host-first')
    expect(patienceFor(facts({ patience: 'ride', failures: 2 }))).toBe('ride')
  })

  it('never takes an overflow from the compaction, but from a policy without an end', () => {
    fc.assert(fc.property(fc.boolean(), fc.boolean(), fc.nat(9), (held, hostRetries, failures) => {
      expect(patienceFor(facts({ class: 'context_too_long', held, hostRetries, failures }))).toBe('host-first')
      expect(patienceFor(facts({ class: 'context_too_long', held, hostRetries, mode: 'always', failures }))).toBe(failures < ALWAYS_LIMIT ? 'host-first' : 'at-once')
    }))
  })

  it('does not let a policy without an end repeat a request that was refused for what it is', () => {
    for (const refused of ['invalid_request', 'unsupported_modality', 'content_filter'] as const) {
      expect(patienceFor(facts({ class: refused, mode: 'always' }))).toBe('at-once')
      expect(patienceFor(facts({ class: refused }))).toBe('host-first')
    }
  })

  it('never waits for ever under a policy without an end, whatever the class', () => {
    for (const each of failureClassSchema.options) {
      expect(patienceFor(facts({ class: each, mode: 'always', failures: ALWAYS_LIMIT }))).toBe('at-once')
    }
  })
})
