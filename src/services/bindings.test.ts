import { beforeEach, describe, expect, it } from 'vitest'
import { ManualTime } from '../../tests/support/manual-time.ts'
import { MemoryDocument } from '../../tests/support/memory-document.ts'
import type { BindingsDocument, DefaultBindingDocument, Group, SessionRecord } from '../contract/group.ts'
import { createBindings, FORGET_MS, type Bindings } from './bindings.ts'

let time: ManualTime
let document: MemoryDocument<BindingsDocument>
let defaults: MemoryDocument<DefaultBindingDocument>
let known: Set<string>
let groupsChanged: () => void
let told: (readonly string[])[]
let bindings: Bindings

const group = (id: string): Group => ({ id, rev: 1, name: id, enabled: true, models: [] })
const record = (more: Partial<SessionRecord> = {}): SessionRecord => ({ groupId: null, mode: 'failover', pin: false, home: null, override: null, rejections: [], consents: [], seenAt: time.now(), ...more })
const open = (groupsKnown = true): Bindings => {
  const made = createBindings({
    document, defaultDocument: defaults, time, isSubagent: (id) => id.startsWith('sub'), groupsKnown,
    groups: { get: (id) => (known.has(id) ? group(id) : null), onChange: (listener) => { groupsChanged = listener; return () => undefined } },
  })
  told = []
  made.onChange((sessions) => told.push(sessions))
  return made
}

beforeEach(() => {
  time = new ManualTime()
  document = new MemoryDocument<BindingsDocument>({ version: 1, sessions: {} })
  defaults = new MemoryDocument<DefaultBindingDocument>({ version: 1, binding: null })
  known = new Set(['g', 'h'])
  bindings = open()
})

describe('binding a session', () => {
  it('is remembered, told, and becomes the default of new sessions', async () => {
    expect(await bindings.bind({ sessionId: 's', groupId: 'g', mode: 'route' })).toEqual({ sessionId: 's', groupId: 'g', mode: 'route', pin: false })
    expect(bindings.defaultBinding()).toEqual({ groupId: 'g', mode: 'route' })
    expect(told).toEqual([['s']])
    expect(bindings.all()).toEqual([{ sessionId: 's', groupId: 'g', mode: 'route', pin: false }])
  })

  it('leaves the default alone when asked to, and always for a subagent', async () => {
    await bindings.bind({ sessionId: 's', groupId: 'g', mode: 'route', asDefault: false })
    await bindings.bind({ sessionId: 'sub1', groupId: 'h', mode: 'route', asDefault: true })
    expect(bindings.defaultBinding()).toBeNull()
  })

  it('unbinding a root session clears the default, and the session inherits from nobody', async () => {
    await bindings.bind({ sessionId: 's', groupId: 'g', mode: 'route', pin: true })
    await bindings.bind({ sessionId: 's', groupId: null, mode: 'failover' })
    expect(bindings.defaultBinding()).toBeNull()
    expect(bindings.get('s')).toMatchObject({ groupId: null, unbound: true, pin: false })
    await bindings.bind({ sessionId: 's', groupId: 'g', mode: 'route' })
    expect(bindings.get('s')).not.toHaveProperty('unbound')
  })

  it('keeps pin, home and override unless told otherwise', async () => {
    bindings.set('s', record({ groupId: 'g', pin: true, home: { provider: 'p', model: 'm' } }))
    await bindings.bind({ sessionId: 's', groupId: 'h', mode: 'failover' })
    expect(bindings.get('s')).toMatchObject({ groupId: 'h', pin: true, home: { provider: 'p', model: 'm' } })
  })

  it('refuses an unknown group and changes nothing', async () => {
    await expect(bindings.bind({ sessionId: 's', groupId: 'x', mode: 'route' })).rejects.toMatchObject({ kind: 'unknown' })
    await expect(bindings.setDefault({ groupId: 'x', mode: 'route' })).rejects.toMatchObject({ kind: 'unknown' })
    expect([bindings.get('s'), bindings.defaultBinding(), told]).toEqual([null, null, []])
  })

  it.each(['first', 'second'])('is all or nothing when the %s file cannot be written', async (which) => {
    await bindings.bind({ sessionId: 's', groupId: 'g', mode: 'route' })
    if (which === 'first') defaults.failing = true
    else document.failing = true
    told.length = 0
    await expect(bindings.bind({ sessionId: 's', groupId: 'h', mode: 'failover' })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(bindings.get('s')).toMatchObject({ groupId: 'g', mode: 'route' })
    expect(bindings.defaultBinding()).toEqual({ groupId: 'g', mode: 'route' })
    expect(told).toEqual([])
  })

  it('keeps what is bound to a group that is missing because its file was broken', async () => {
    await bindings.bind({ sessionId: 's', groupId: 'g', mode: 'route' })
    known.clear()
    bindings = open(false)
    groupsChanged()
    expect(bindings.get('s')?.groupId).toBe('g')
    expect(bindings.defaultBinding()).toEqual({ groupId: 'g', mode: 'route' })
    bindings = open()
    expect(bindings.get('s')?.groupId).toBeNull()
    expect(bindings.defaultBinding()).toBeNull()
  })

  it('works for a session named like a property of every object', async () => {
    for (const sessionId of ['constructor', '__proto__', 'toString']) {
      expect(bindings.get(sessionId)).toBeNull()
      await bindings.bind({ sessionId, groupId: 'g', mode: 'route' })
      expect(bindings.get(sessionId)?.groupId).toBe('g')
    }
    expect(bindings.all()).toHaveLength(3)
  })
})

describe('a record saved by another path', () => {
  it('keeps a binding that was made while it was being written', async () => {
    bindings.set('s', record({ groupId: 'g' }))
    const base = bindings.get('s')!
    const bind = bindings.bind({ sessionId: 's', groupId: 'h', mode: 'route', asDefault: false })
    await bindings.save('s', { ...base, home: { provider: 'p', model: 'm' } })
    await bind
    expect(bindings.get('s')).toMatchObject({ groupId: 'h', mode: 'route', home: { provider: 'p', model: 'm' } })
  })

  it('counts only once it is on disk', async () => {
    const saved = bindings.save('s', record({ home: { provider: 'p', model: 'm' } }))
    expect(bindings.get('s')).toBeNull()
    await saved
    expect(bindings.get('s')?.home).toEqual({ provider: 'p', model: 'm' })
    document.failing = true
    await expect(bindings.save('s', record())).rejects.toMatchObject({ kind: 'unavailable' })
    expect(bindings.get('s')?.home).toEqual({ provider: 'p', model: 'm' })
  })
})

describe('when a group goes', () => {
  it('its sessions are unbound, a default that named it is cleared, and those sessions are told', async () => {
    await bindings.bind({ sessionId: 's', groupId: 'g', mode: 'route' })
    await bindings.bind({ sessionId: 't', groupId: 'h', mode: 'route', asDefault: false })
    told.length = 0
    known.delete('g')
    groupsChanged()
    expect([bindings.binding('s'), bindings.defaultBinding(), bindings.binding('t')?.groupId]).toEqual([null, null, 'h'])
    expect(told).toEqual([['s']])
  })

  it('also while the plugin was not running', () => {
    document.value = { version: 1, sessions: { s: record({ groupId: 'gone', home: { provider: 'p', model: 'm' } }) } }
    defaults.value = { version: 1, binding: { groupId: 'gone', mode: 'route' } }
    bindings = open()
    expect(bindings.get('s')).toMatchObject({ groupId: null, home: { provider: 'p', model: 'm' } })
    expect(bindings.defaultBinding()).toBeNull()
  })
})

describe('sessions unseen for 90 days', () => {
  it('are forgotten at the start, others stay', () => {
    document.value = { version: 1, sessions: { old: record({ seenAt: time.now() - FORGET_MS }), new: record({ seenAt: time.now() - FORGET_MS + 1 }) } }
    bindings = open()
    expect(Object.keys(document.value.sessions)).toEqual(['new'])
  })

  it('are forgotten in a process that runs on as well', () => {
    bindings.set('old', record())
    time.jumpWall(FORGET_MS)
    bindings.seen('any')
    expect(bindings.get('old')).toBeNull()
  })

  it('being seen is written at most once an hour, and only for sessions that are remembered', () => {
    bindings.set('s', record())
    const before = document.sets
    for (let n = 0; n < 130; n++) { time.advance(60_000); bindings.seen('s'); bindings.seen('stranger') }
    expect(document.sets - before).toBe(2)
    expect(bindings.get('stranger')).toBeNull()
  })
})

it('the default can be set and cleared by itself', async () => {
  expect(await bindings.setDefault({ groupId: 'g', mode: 'failover' })).toEqual({ groupId: 'g', mode: 'failover' })
  expect(await bindings.setDefault({ groupId: null, mode: 'failover' })).toBeNull()
})
