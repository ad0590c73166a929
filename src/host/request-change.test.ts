import { describe, expect, it } from 'vitest'
import { createRequestChange } from './request-change.ts'

const refusal = { code: 'UNKNOWN', message: 'agent/request is deprecated: the model of a step is fixed at pre-step' }

describe('a turn that died', () => {
  it('of the change we made to its request is recognised, and remembered', () => {
    const change = createRequestChange()
    change.returned('s', 3, true)
    expect(change.died('s', 3, refusal)).toBe(true)
    expect(change.refused()).toBe(true)
  })

  it.each(['provider and model may not change here', 'model selection is frozen for this step', 'cannot modify read-only config: model'])('is recognised by words like "%s"', (message) => {
    const change = createRequestChange()
    change.returned('s', 1, true)
    expect(change.died('s', 1, { code: 'UNKNOWN', message })).toBe(true)
  })

  it.each([
    ['the request left us as it came', (change: ReturnType<typeof createRequestChange>) => { change.returned('s', 1, false) }, refusal],
    ['it is another turn', (change: ReturnType<typeof createRequestChange>) => { change.returned('s', 0, true) }, refusal],
    ['its stream was opened', (change: ReturnType<typeof createRequestChange>) => { change.returned('s', 1, true); change.opened('s') }, refusal],
    ['the model itself is the trouble', (change: ReturnType<typeof createRequestChange>) => { change.returned('s', 1, true) }, { code: 'UNKNOWN_MODEL', message: 'model "x" cannot be found' }],
    ['it speaks of something else', (change: ReturnType<typeof createRequestChange>) => { change.returned('s', 1, true) }, { code: 'UNKNOWN', message: 'the disk is full' }],
  ])('is none of ours when %s', (_why, before, failure) => {
    const change = createRequestChange()
    before(change)
    expect(change.died('s', 1, failure)).toBe(false)
    expect(change.refused()).toBe(false)
  })
})
