import { describe, expect, it } from 'vitest'
import { END_KIND, MOVE_KIND, endDefinition, moveDefinition } from './definitions.ts'
import type { SessionEvent } from './definitions.ts'

const event = (seq: number, type: string, data: SessionEvent['data'] = {}): SessionEvent => ({ seq, time: seq * 1000, type, data })
const header = (seq: number, provider: string, model: string): SessionEvent => event(seq, 'request/header', { header: { config: { provider, model } } })

/** What the host's engine does with a log: contexts by id, the newest start before as predecessor. */
function moves(log: readonly SessionEvent[]): object[] {
  let previous: { readonly state: ReturnType<typeof moveDefinition.start> } | undefined
  return log.flatMap((each) => {
    const match = moveDefinition.match(each)
    if (!match) return []
    const start = { event: each, location: { kind: 'turn' } }
    const context = { key: `k${each.seq}`, id: match.id, matches: [start], start, state: undefined }
    const state = moveDefinition.start(context, start, { previous: () => previous })
    previous = { state }
    const node = moveDefinition.buildViewNode({ ...context, state })
    return node ? [node] : []
  })
}

function end(log: readonly SessionEvent[]): object | null {
  const matches = log.filter((each) => endDefinition.match(each)).map((each) => ({ event: each, location: null }))
  return endDefinition.buildViewNode({ key: 'k', id: '1', matches, start: matches[0], state: null })
}

describe('a move', () => {
  it('is drawn where the route of the requests changes, and only there', () => {
    const nodes = moves([header(1, 'alpha', 'a-1'), header(4, 'alpha', 'a-1'), header(7, 'beta', 'b-1'), header(9, 'alpha', 'a-1')])
    expect(nodes).toMatchObject([
      { anchorSeq: 1, data: { from: null, to: { model: 'a-1' } } },
      { kind: MOVE_KIND, target: 'chat', anchorSeq: 7, visibility: 'visible', data: { from: { provider: 'alpha' }, to: { provider: 'beta' }, at: 7000 } },
      { anchorSeq: 9, data: { to: { provider: 'alpha', model: 'a-1' } } },
    ])
  })
  it('cares for nothing else and for no header without a route', () => {
    expect(moves([event(1, 'assistant/chunk'), event(2, 'request/header'), event(3, 'request/header', { header: {} })])).toEqual([])
  })
})

describe('the end of a turn', () => {
  const failure = event(5, 'turn/end', { turn: 1, reason: { kind: 'error', error: { message: 'boom', code: 'QUOTA' } } })
  it('is drawn for an error, and knows whether the host hides it behind its retry row', () => {
    expect(end([event(1, 'turn/start', { turn: 1 }), failure])).toMatchObject({ kind: END_KIND, data: { message: 'boom', code: 'QUOTA', retried: false } })
    expect(end([event(1, 'turn/start', { turn: 1 }), event(3, 'llm/retry', { turn: 1 }), failure])).toMatchObject({ data: { retried: true } })
  })
  it('is drawn although the start of the turn is not loaded', () => expect(end([failure])).toMatchObject({ anchorSeq: 5.05 }))
  it('says nothing of a turn that went well or was cancelled', () => {
    expect(end([event(1, 'turn/start', { turn: 1 }), event(5, 'turn/end', { turn: 1, reason: { kind: 'aborted' } })])).toBeNull()
  })
})
