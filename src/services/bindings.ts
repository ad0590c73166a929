/** What is remembered of each session, and the binding new sessions start with. */
import type { BindingMode, BindingsDocument, DefaultBinding, DefaultBindingDocument, SessionRecord } from '../contract/group.ts'
import { unknownGroup } from '../contract/refusal.ts'
import type { Dispose, EditableDocument, Time } from '../ports.ts'
import type { Groups } from './groups.ts'

const HOUR_MS = 3_600_000
/** Sessions unseen for this long are forgotten. */
export const FORGET_MS = 90 * 24 * HOUR_MS

export interface BindOrder {
  readonly sessionId: string
  readonly groupId: string | null
  readonly mode: BindingMode
  /** Absent: a session that stays bound keeps its pin. */
  readonly pin?: boolean | undefined
  /** False: the choice of a root session does not become the default of new ones. */
  readonly asDefault?: boolean | undefined
}

/** A session's own binding, as replies show it; `groupId` null = the session itself said "no group", or only a pin is kept. */
export interface SessionBinding {
  readonly sessionId: string
  readonly groupId: string | null
  readonly mode: BindingMode
  readonly pin: boolean
}

export interface Bindings {
  /** The record of a session, null when nothing is remembered. */
  get(sessionId: string): SessionRecord | null
  /**
   * Commits a record that the caller derived from `get`: resolves when it is on disk. Fields the caller left as they
   * were keep what others changed meanwhile.
   */
  save(sessionId: string, record: SessionRecord): Promise<void>
  /** The same at once, written behind. */
  set(sessionId: string, record: SessionRecord): void
  binding(sessionId: string): SessionBinding | null
  /** All sessions that are bound or pinned. */
  all(): readonly SessionBinding[]
  defaultBinding(): DefaultBinding | null
  /** Binds or unbinds, and makes it the default where that is due; refuses an unknown group (404). All or nothing. */
  bind(order: BindOrder): Promise<SessionBinding | null>
  setDefault(choice: { readonly groupId: string | null; readonly mode: BindingMode }): Promise<DefaultBinding | null>
  /** Commits a default without asking whether its group exists yet. */
  putDefault(binding: DefaultBinding | null): Promise<void>
  /** Puts the default back at once, on disk as soon as it can be written. */
  restoreDefault(before: DefaultBinding | null): void
  /** The session is alive: written at most once an hour. */
  seen(sessionId: string): void
  /** Called after a binding changed; `sessions` are those whose own binding is another now. */
  onChange(listener: (sessions: readonly string[]) => void): Dispose
  dispose(): void
}

export interface BindingsDeps {
  readonly document: EditableDocument<BindingsDocument>
  readonly defaultDocument: EditableDocument<DefaultBindingDocument>
  readonly groups: Pick<Groups, 'get' | 'onChange'>
  readonly time: Pick<Time, 'now'>
  readonly isSubagent: (sessionId: string) => boolean
  /** False while the file of the groups could not be read: what is missing then may come back. */
  readonly groupsKnown: boolean
}

type Sessions = BindingsDocument['sessions']

const EMPTY: Omit<SessionRecord, 'seenAt'> = { groupId: null, mode: 'failover', pin: false, home: null, override: null, rejections: [], consents: [] }

export function createBindings(deps: BindingsDeps): Bindings {
  const { document, defaultDocument, groups, time } = deps
  const listeners = new Set<(sessions: readonly string[]) => void>()
  const tell = (sessions: readonly string[]): void => { for (const listener of listeners) listener(sessions) }
  let sweptAt = Number.NEGATIVE_INFINITY

  const get = (id: string): SessionRecord | null => recordIn(document.value.sessions, id)

  /** Forgets sessions unseen for long, and bindings to groups that are gone. Memory at once, disk behind. */
  const sweep = (): void => {
    const now = time.now()
    sweptAt = now
    const kept = Object.entries(document.value.sessions).filter(([, record]) => record.seenAt > now - FORGET_MS)
    if (kept.length < Object.keys(document.value.sessions).length) document.set({ version: 1, sessions: Object.fromEntries(kept) })
    dropDangling()
  }

  const dropDangling = (): void => {
    if (!deps.groupsKnown) return
    const dangling = Object.entries(document.value.sessions).filter(([, { groupId }]) => groupId !== null && !groups.get(groupId)).map(([id]) => id)
    if (dangling.length > 0) {
      document.amend(({ sessions }) => ({ version: 1, sessions: Object.fromEntries(Object.entries(sessions).map(([id, record]) => [id, dangling.includes(id) ? { ...record, groupId: null } : record])) }))
    }
    const fallback = defaultDocument.value.binding
    if (fallback && !groups.get(fallback.groupId)) defaultDocument.set({ version: 1, binding: null })
    if (dangling.length > 0) tell(dangling)
  }

  const commit = (id: string, edit: (record: SessionRecord) => SessionRecord): Promise<unknown> => document.change(({ sessions }) => (
    { version: 1, sessions: withRecord(sessions, id, edit(recordIn(sessions, id) ?? { ...EMPTY, seenAt: time.now() })) }
  ))

  const setDefault = async (binding: DefaultBinding | null): Promise<void> => {
    const now = defaultDocument.value.binding
    if (now?.groupId === binding?.groupId && now?.mode === binding?.mode) return
    await defaultDocument.replace({ version: 1, binding })
  }

  const known = (groupId: string | null): void => { if (groupId !== null && !groups.get(groupId)) throw unknownGroup(groupId) }

  const stop = groups.onChange(dropDangling)
  sweep()

  return {
    get,
    save: async (id, record) => {
      const base = get(id)
      await commit(id, (current) => merged(base ?? EMPTY, record, current))
    },
    set: (id, record) => { document.amend(({ sessions }) => ({ version: 1, sessions: withRecord(sessions, id, record) })) },
    binding: (id) => bindingOf(id, get(id)),
    all: () => Object.entries(document.value.sessions).map(([id, record]) => bindingOf(id, record)).filter((binding) => binding !== null),
    defaultBinding: () => defaultDocument.value.binding,

    async bind(order) {
      const { sessionId, groupId, mode } = order
      known(groupId)
      const before = defaultDocument.value.binding
      const asDefault = order.asDefault !== false && !deps.isSubagent(sessionId)
      const fallback = groupId === null ? null : { groupId, mode }
      if (asDefault) await setDefault(fallback)
      try {
        await commit(sessionId, (record) => bound(record, order, time.now()))
      } catch (error) {
        if (asDefault) defaultDocument.amend((now) => (now.binding === fallback ? { version: 1, binding: before } : now))
        throw error
      }
      tell([sessionId])
      return bindingOf(sessionId, get(sessionId))
    },

    async setDefault({ groupId, mode }) {
      known(groupId)
      await setDefault(groupId === null ? null : { groupId, mode })
      tell([])
      return defaultDocument.value.binding
    },

    async putDefault(binding) {
      await setDefault(binding)
      tell([])
    },
    restoreDefault(before) {
      defaultDocument.set({ version: 1, binding: before })
      tell([])
    },

    seen(id) {
      const now = time.now()
      if (now - sweptAt > 24 * HOUR_MS) sweep()
      const record = get(id)
      if (record && now - record.seenAt >= HOUR_MS) document.amend(({ sessions }) => ({ version: 1, sessions: withRecord(sessions, id, { ...(recordIn(sessions, id) ?? record), seenAt: now }) }))
    },

    onChange(listener) {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    },
    dispose: stop,
  }
}

/** Session ids come from outside, so a name like `constructor` must not find anything. */
function recordIn(sessions: Sessions, id: string): SessionRecord | null {
  return Object.hasOwn(sessions, id) ? sessions[id] ?? null : null
}

function withRecord(sessions: Sessions, id: string, record: SessionRecord): Sessions {
  return Object.fromEntries([...Object.entries(sessions).filter(([key]) => key !== id), [id, record]])
}

function bound(record: SessionRecord, order: BindOrder, now: number): SessionRecord {
  const { unbound: _was, ...rest } = record
  if (order.groupId === null) return { ...rest, groupId: null, mode: order.mode, pin: order.pin ?? false, unbound: true, seenAt: now }
  return { ...rest, groupId: order.groupId, mode: order.mode, pin: order.pin ?? record.pin, seenAt: now }
}

function bindingOf(sessionId: string, record: SessionRecord | null): SessionBinding | null {
  if (!record || (record.groupId === null && !record.pin && record.unbound !== true)) return null
  return { sessionId, groupId: record.groupId, mode: record.mode, pin: record.pin }
}

/** `wanted` over `current`, but only in the fields in which it differs from the `base` it was derived from. */
function merged(base: SessionRecord | Omit<SessionRecord, 'seenAt'>, wanted: SessionRecord, current: SessionRecord): SessionRecord {
  if (base === current) return wanted
  const result: Record<string, unknown> = { ...current }
  const [from, to] = [base, wanted] as unknown as readonly Readonly<Record<string, unknown>>[]
  for (const key of new Set([...Object.keys(base), ...Object.keys(wanted)])) {
    if (from?.[key] === to?.[key]) continue
    if (to?.[key] === undefined) delete result[key]
    else result[key] = to[key]
  }
  return result as unknown as SessionRecord
}
