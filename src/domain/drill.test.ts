import { describe, expect, it } from 'vitest'
import { FAULTS } from '../contract/faults.ts'
import { drillSteps } from './drill.ts'
import { classify } from './classify.ts'

const classes: Readonly<Record<string, string>> = {
  '429': 'rate_limit', '429-retry-after': 'rate_limit', '429-zh': 'capacity', quota: 'quota', 'quota-reset': 'quota', 'quota-zh': 'quota', '402': 'quota', '401': 'auth', '403': 'forbidden',
  '404': 'model_not_found', '410': 'model_not_found', '400-context': 'context_too_long', '400-unavailable': 'upstream_unavailable', '400-parameter': 'invalid_request',
  '400-image': 'unsupported_modality', '400-filter': 'content_filter', '500': 'server', '500-empty': 'server', '502-html': 'server', '503': 'server', '504': 'timeout', '529': 'capacity',
  reset: 'transport', 'reset-mid': 'transport', 'close-mid': 'transport', 'error-first': 'capacity', 'error-mid': 'server', filtered: 'content_filter', empty: 'empty_response',
}

describe('the drill', () => {
  it.each(FAULTS.map((fault) => [fault.id, fault] as const))('%s: ends exactly once, or hangs', (_id, fault) => {
    const steps = drillSteps(fault)
    const ends = steps.filter((step) => step.kind === 'hang' || (step.kind === 'frame' && step.chunk.type === 'finish'))
    expect(ends).toHaveLength(1)
    expect(steps.at(-1)).toBe(ends[0])
  })

  it.each(Object.entries(classes))('%s is taken for %s, as the same fault of a real upstream is', (id, expected) => {
    const last = drillSteps(FAULTS.find((fault) => fault.id === id) ?? FAULTS[0]).at(-1)
    if (last?.kind !== 'frame' || last.chunk.type !== 'finish' || last.chunk.reason.kind !== 'error') throw new Error('no failure')
    const { code, message, status, providerRetryAfterMs } = last.chunk.reason.failure
    expect(classify({ code, message, status: status ?? null, retryAfterMs: providerRetryAfterMs ?? null }, 0).class).toBe(expected)
  })

  it('covers the whole catalogue', () => {
    const healthy = ['ok', 'slow', 'tool-call', 'error-as-text', 'hang', 'hang-mid']
    expect([...Object.keys(classes), ...healthy].toSorted()).toEqual(FAULTS.map(({ id }) => id).toSorted())
  })
})
