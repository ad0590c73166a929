/**
 * Which group a session answers to: its own binding, or the nearest one along its parents. Promises an end for any
 * chain of parents, also a circular one.
 */
import type { BindingMode, DefaultBinding, SessionRecord } from '../contract/group.ts'

/** Parents looked at before the walk gives up. */
export const PARENTS_MAX = 32

/** The binding in force. `groupId` null = bound to none; `inheritedFrom` = session id of the parent that chose it. */
export interface EffectiveBinding {
  readonly groupId: string | null
  readonly mode: BindingMode
  readonly pin: boolean
  readonly inheritedFrom: string | null
}

export const UNBOUND: EffectiveBinding = { groupId: null, mode: 'failover', pin: false, inheritedFrom: null }

/** What the walk asks of the outside: the record of a session and its parent, null where there is none. */
export interface Lineage {
  readonly recordOf: (session: string) => SessionRecord | null
  readonly parentOf: (session: string) => string | null
}

/**
 * The binding of a session. A session that chose a group, or chose none (`unbound`), keeps its own word; any other asks
 * its parents, nearest first. A pin of the session itself holds whatever it inherits.
 */
export function effectiveBinding(session: string, lineage: Lineage): EffectiveBinding {
  const pinned = lineage.recordOf(session)?.pin === true
  let at: string | null = session
  for (let step = 0; at !== null && step <= PARENTS_MAX; step++) {
    const record = lineage.recordOf(at)
    if (record?.unbound === true) break
    if (record && record.groupId !== null) {
      return { groupId: record.groupId, mode: record.mode, pin: pinned || record.pin, inheritedFrom: at === session ? null : at }
    }
    at = lineage.parentOf(at)
  }
  return pinned ? { ...UNBOUND, pin: true } : UNBOUND
}

/**
 * The default binding a session starts with, or null. Only a root session that is new or cleared takes it, and only
 * while it has said nothing itself; a default whose group is gone binds nothing.
 */
export function startBinding(start: {
  readonly source: string
  readonly subagent: boolean
  readonly record: SessionRecord | null
  readonly fallback: DefaultBinding | null
  readonly groupExists: (id: string) => boolean
}): DefaultBinding | null {
  const { source, subagent, record, fallback } = start
  if (source !== 'startup' && source !== 'clear') return null
  if (subagent || !fallback || !start.groupExists(fallback.groupId)) return null
  if (record && (record.groupId !== null || record.unbound === true)) return null
  return fallback
}
