import { describe, expect, it } from 'vitest'
import { failureOf } from './shapes.ts'

const failure = { code: 'RATE_LIMIT', message: 'slow down', status: 429, providerRetryAfterMs: 2000 }
const named = (): Error => Object.assign(new Error('outer'), { failure })

describe('the failure of an error', () => {
  it('is the one it carries', () => { expect(failureOf(named())).toEqual(failure) })

  it('is found in its cause, in an aggregate, and in a cause of a cause', () => {
    expect(failureOf(new Error('wrapped', { cause: named() }))).toEqual(failure)
    expect(failureOf(new AggregateError([new Error('first'), named()], 'two'))).toEqual(failure)
    expect(failureOf(Object.assign(new AggregateError([new Error('x')]), { cause: new Error('y', { cause: named() }) }))).toEqual(failure)
  })

  it('else is its code and its words, wrapped or not', () => {
    const coded = Object.assign(new Error('no such model'), { code: 'UNKNOWN_MODEL' })
    expect(failureOf(coded)).toEqual({ code: 'UNKNOWN_MODEL', message: 'no such model' })
    expect(failureOf(new Error('outer', { cause: coded }))).toEqual({ code: 'UNKNOWN_MODEL', message: 'no such model' })
    expect(failureOf(new Error('plain'))).toEqual({ code: 'UNKNOWN', message: 'plain' })
  })

  it('of anything that is no error is its text', () => {
    expect(failureOf('boom')).toEqual({ code: 'UNKNOWN', message: 'boom' })
    expect(failureOf(undefined)).toEqual({ code: 'UNKNOWN', message: 'unknown error' })
  })

  it('never throws and never turns in a circle', () => {
    const circle: { cause?: unknown; message: string } = { message: 'round' }
    circle.cause = circle
    expect(failureOf(circle).code).toBe('UNKNOWN')
    const hostile = Object.defineProperty({}, 'failure', { get: () => { throw new Error('no') } })
    expect(failureOf(hostile).code).toBe('UNKNOWN')
  })
})
