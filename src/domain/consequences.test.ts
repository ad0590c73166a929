import { describe, expect, it } from 'vitest'
import { configSchema } from '../contract/config.ts'
import { failureClassSchema, type FailureClass, type Scope } from '../contract/failure.ts'
import { CLASS_RULES, consequences, type ConsequenceConfig } from './consequences.ts'

const NOW = 1_740_974_400_000
const HOUR = 3_600_000
const defaults = configSchema.parse({})

function of(failure: FailureClass, more: { reset?: number; scope?: Scope; endOfLife?: boolean; code?: string } = {}, config: Partial<ConsequenceConfig> = {}) {
  return consequences({ class: failure, scope: more.scope ?? 'route', reset: more.reset ?? null, rule: 'r', endOfLife: more.endOfLife ?? false, code: more.code ?? null }, { ...defaults, ...config }, NOW)
}

/** breaker weight · structural · hold · mark, one line per class, as the documentation has it. */
const TABLE: Readonly<Record<FailureClass, string>> = {
  cancelled: '0 - - never', context_too_long: '0 - request never', invalid_request: '0 - request never',
  unsupported_modality: '0 - request never', content_filter: '0 - request never',
  capacity: '0 - rest:30 never', rate_limit: '1 - - escaped', quota: '0 - - final', auth: '0 - provider:300 final',
  forbidden: '0 - route:86400 never', model_not_found: '1 route:1 - final', upstream_unavailable: '1 route:1 - final',
  transport: '1 endpoint:1 - final', server: '1 - - final', timeout: '1 - - final', empty_response: '1 - - final',
  bad_output: '1 - - final', local: '0 - route:300 never', unknown: '1 - - final',
}

describe('consequences', () => {
  it.each(failureClassSchema.options)('moves what the table says for %s', (failure) => {
    const found = of(failure)
    const seconds = (until: number): number => (until - NOW) / 1000
    const hold = found.rejection ? 'request' : found.restUntil !== null ? `rest:${seconds(found.restUntil)}` : found.hold ? `${found.hold.scope}:${seconds(found.hold.until)}` : '-'
    expect(`${found.plainWeight} ${found.structural ? `${found.structuralScope}:${found.structural}` : '-'} ${hold} ${found.mark}`).toBe(TABLE[failure])
  })

  it('makes a stated reset the only memory of a failure', () => {
    for (const failure of failureClassSchema.options) {
      const found = of(failure, { reset: NOW + HOUR })
      expect([found.plainWeight, found.escapedWeight, found.mark], failure).toEqual([0, 0, 'never'])
      if (found.rejection || failure === 'cancelled') expect(found.hold ?? found.restUntil).toBeNull()
      else if (failure === 'capacity') expect(found.restUntil).toBe(NOW + HOUR)
      else expect(found.hold).toEqual({ scope: failure === 'auth' ? 'provider' : 'route', until: NOW + HOUR, stated: true })
    }
  })

  it('never holds for more than 24 h, and takes no reset that is past', () => {
    expect(of('quota', { reset: NOW + 100 * HOUR }).hold?.until).toBe(NOW + 24 * HOUR)
    expect(of('capacity', { reset: NOW + 100 * HOUR }).restUntil).toBe(NOW + 24 * HOUR)
    expect(of('rate_limit', { reset: NOW })).toMatchObject({ hold: null, plainWeight: 1, mark: 'escaped' })
  })

  it('lets only a quota reach the whole provider by its judgement', () => {
    expect(of('quota', { reset: NOW + HOUR, scope: 'provider' }).hold?.scope).toBe('provider')
    expect(of('rate_limit', { reset: NOW + HOUR, scope: 'provider' }).hold?.scope).toBe('route')
  })

  it('weighs a failure that used up retries by the threshold, and no other more than 1', () => {
    expect([2, 1, 3, 6].map((modelCircuitThreshold) => {
      const { escapedWeight, plainWeight } = of('server', {}, { modelCircuitThreshold })
      return [escapedWeight, plainWeight]
    })).toEqual([[1.5, 1], [3, 1], [1, 1], [0.5, 0.5]])
  })

  it('ignores a host code that was taken out of the list, and no other', () => {
    const config = { tripCodes: ['SERVER'] }
    expect(of('timeout', { code: 'TIMEOUT' }, config).plainWeight).toBe(0)
    expect(of('server', { code: 'SERVER' }, config).plainWeight).toBe(1)
    expect(of('bad_output', { code: 'STREAM_CLOSED' }, config).plainWeight).toBe(1)
    expect(of('timeout', {}, config).plainWeight).toBe(1)
    expect(of('quota', { code: 'QUOTA' }).plainWeight).toBe(0)
    expect(of('auth', { code: 'AUTH' }, { tripCodes: ['AUTH'] }).plainWeight).toBe(0)
    expect(of('timeout', { code: 'TIMEOUT' }, config).mark).toBe('final')
  })

  it('counts nothing structural when endpoint health is off', () => {
    expect(of('model_not_found', { endOfLife: true }).structural).toBe(2)
    expect(of('model_not_found', {}, { endpointHealth: false })).toMatchObject({ structural: 0, structuralScope: null, plainWeight: 1 })
  })

  it('has only routes probed whose failure trying can cure', () => {
    expect(failureClassSchema.options.filter((failure) => !CLASS_RULES[failure].probed))
      .toEqual(['cancelled', 'context_too_long', 'invalid_request', 'unsupported_modality', 'content_filter', 'capacity', 'quota', 'auth', 'forbidden', 'local'])
  })
})
