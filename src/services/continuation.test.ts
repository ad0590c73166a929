import { beforeEach, describe, expect, it } from 'vitest'
import { ManualTime, settle } from '../../tests/support/manual-time.ts'
import type { LiveSession, Log } from '../ports.ts'
import { createContinuations, type Continuations } from './continuation.ts'

const live: LiveSession = { id: 's', parent: null, subagent: false, running: false, lastRoute: null, createdWith: null, inheritedMaxTokens: null }
const goal = { id: 'g', revision: 4 }

let time: ManualTime
let session: LiveSession | null
let sent: string[]
let revived: unknown[]
let events: string[]
let begun: boolean[]
let accepts: boolean
let revives: boolean
let continuations: Continuations

beforeEach(() => {
  time = new ManualTime()
  session = live
  ;[sent, revived, events, begun] = [[], [], [], []]
  accepts = true
  revives = true
  const log: Log = { info: () => {}, warn: (format) => { events.push(format.split(':')[0] ?? '') }, error: () => {} }
  continuations = createContinuations({
    time, log,
    host: {
      whenIdle: () => Promise.resolve(), session: () => session, language: () => 'zh',
      followUp: (_id, text) => { if (accepts) sent.push(text); return accepts },
      reviveGoal: (_id, ticket) => { revived.push(ticket); return revives },
    },
    text: (language) => ({ text: `continue (${language})`, summary: 'moved' }),
    continuing: (_id, on) => { begun.push(on) },
    note: (_id, event) => { events.push(event) },
  })
})

const owe = (ticket: typeof goal | null = null): void => continuations.owe('s', { turn: 1, reason: 'quota', goal: ticket })

describe('an owed continuation', () => {
  it('is one message in the session\'s language, told before it begins', async () => {
    owe()
    await settle()
    expect(sent).toEqual(['continue (zh)'])
    expect(begun).toEqual([true])
    expect(continuations.owed()).toEqual([])
    await time.run(120_000)
    expect(sent).toHaveLength(1)
    expect(time.pending).toBe(0)
  })

  it('is the goal\'s own round where a goal was disarmed, without any message', async () => {
    owe(goal)
    await settle()
    expect(revived).toEqual([goal])
    expect(sent).toEqual([])
  })

  it('is a message after all when the goal cannot be revived', async () => {
    revives = false
    owe(goal)
    await settle()
    expect(sent).toHaveLength(1)
  })

  it('is delivered once, however many idle edges there are, and once when it is owed twice', async () => {
    owe()
    owe()
    continuations.idle('s')
    continuations.idle('s')
    await settle()
    expect(sent).toHaveLength(1)
  })

  it('stays queued while the session runs or refuses, and is tried again at an idle edge and every 30 seconds', async () => {
    session = { ...live, running: true }
    owe()
    await settle()
    expect(sent).toEqual([])
    session = live
    accepts = false
    await time.run(30_000)
    expect(continuations.owed()).toMatchObject([{ session: 's', attempts: 1, reason: 'quota' }])
    expect(begun).toEqual([true, false])
    accepts = true
    await time.run(30_000)
    expect(sent).toHaveLength(1)
  })

  it('is dropped when the session is gone', async () => {
    session = null
    owe()
    await settle()
    expect(events.at(-1)).toBe('continuation/dropped')
    expect(continuations.owed()).toEqual([])
  })

  it('is dropped, and said to be, at disposal', async () => {
    accepts = false
    owe()
    await settle()
    continuations.close()
    expect(events.filter((event) => event === 'continuation/dropped')).toHaveLength(2)
    accepts = true
    await time.run(120_000)
    expect(sent).toEqual([])
    expect(time.pending).toBe(0)
  })

  it('is out of place once another turn began: no message, but a goal is still owed', async () => {
    accepts = false
    owe()
    await settle()
    continuations.overtaken('s')
    expect(continuations.owed()).toEqual([])

    session = { ...live, running: true }
    owe(goal)
    await settle()
    continuations.overtaken('s')
    session = live
    accepts = true
    continuations.idle('s')
    await settle()
    expect(revived).toEqual([goal])
    expect(sent).toEqual([])
  })
})
