/** The routing groups: every change is on disk before it counts, and is told once it does. */
import type { Group, GroupsDocument } from '../contract/group.ts'
import { invalidField, Refusal, unknownEntry, unknownGroup } from '../contract/refusal.ts'
import { routeKey, sameRoute, type Entry, type Route } from '../contract/route.ts'
import { sameEntries } from '../domain/config-diff.ts'
import type { Dispose, EditableDocument, Random } from '../ports.ts'

export const MOST_GROUPS = 500
const LAST_PRIORITY = 999
/** Without letters and digits that look alike. */
const ID_LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'

export interface GroupFields {
  readonly name?: string | undefined
  readonly enabled?: boolean | undefined
  readonly models?: readonly Entry[] | undefined
}

/** The names `order` holds get `start`, `start + 1`, …; names the group does not hold and repetitions are passed over. */
export interface Reorder {
  readonly groupId: string
  readonly start: number
  readonly order: readonly Route[]
}

export interface Groups {
  /** The same list until a group changes. */
  list(): readonly Group[]
  get(id: string): Group | null
  /** Refuses a name that is taken (400) and more than {@link MOST_GROUPS} groups. */
  create(fields: GroupFields & { readonly name: string }): Promise<Group>
  /** Refuses an unknown id (404) and a `rev` that is not the present one (409, with the group as it is in `details.group`). */
  update(change: GroupFields & { readonly id: string; readonly rev: number }): Promise<Group>
  /** Resolves with the group that is gone. */
  remove(id: string): Promise<Group>
  /** Bars a route from every group that holds it, or admits it again; refuses one that no group holds (404). */
  modelDisabled(route: Route, disabled: boolean): Promise<readonly Group[]>
  reorder(change: Reorder): Promise<Group>
  /** Makes `next` the groups; groups equal but for `rev` keep theirs. Refuses nothing: the caller has checked the list. */
  replaceAll(next: readonly Group[]): Promise<readonly Group[]>
  /** Puts the list back to `before` at once, on disk as soon as it can be written. */
  restore(before: readonly Group[]): void
  /** A free id. */
  newId(): string
  onChange(listener: () => void): Dispose
}

export interface GroupsDeps {
  readonly document: EditableDocument<GroupsDocument>
  readonly random: Random
}

/** Names are compared without regard to case, surrounding blanks and the way an accent is encoded. */
export const nameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase()

export function createGroups({ document, random }: GroupsDeps): Groups {
  const listeners = new Set<() => void>()
  const tell = (): void => { for (const listener of listeners) listener() }

  const list = (): readonly Group[] => document.value.groups

  /** Commits an edit of the list and gives what `pick` finds in the committed one. */
  const commit = async (edit: (groups: readonly Group[]) => readonly Group[]): Promise<readonly Group[]> => {
    const before = list()
    const { groups } = await document.change((current) => {
      const next = edit(current.groups)
      return next === current.groups ? current : { version: 1, groups: next }
    })
    if (groups !== before) tell()
    return groups
  }

  const commitOne = async (id: string, edit: (group: Group, groups: readonly Group[]) => Group): Promise<Group> => {
    let made: Group | null = null
    await commit((groups) => {
      const found = groups.find((group) => group.id === id)
      if (!found) throw unknownGroup(id)
      made = edited(found, edit(found, groups))
      return made === found ? groups : groups.map((group) => (group === found ? made ?? group : group))
    })
    return made ?? mustFind(list(), id)
  }

  const newId = (): string => {
    for (;;) {
      const id = `g-${Array.from({ length: 8 }, () => ID_LETTERS[Math.floor(random() * ID_LETTERS.length)]).join('')}`
      if (!list().some((group) => group.id === id)) return id
    }
  }

  return {
    list,
    get: (id) => list().find((group) => group.id === id) ?? null,
    newId,

    async create({ name, enabled = true, models = [] }) {
      const group: Group = { id: newId(), rev: 1, name: name.trim(), enabled, models }
      await commit((groups) => {
        if (groups.length >= MOST_GROUPS) throw invalidField('name', `there are ${MOST_GROUPS} groups already`, 'text', `at most ${MOST_GROUPS} groups`)
        refuseTaken(groups, group)
        return [...groups, group]
      })
      return group
    },

    update: ({ id, rev, name, enabled, models }) => commitOne(id, (group, groups) => {
      if (group.rev !== rev) throw new Refusal('conflict', 'STALE_REV', `the group is at rev ${group.rev}, not ${rev}: somebody changed it meanwhile`, { group })
      const next = { ...group, ...(name === undefined ? {} : { name: name.trim() }), ...(enabled === undefined ? {} : { enabled }), ...(models === undefined ? {} : { models }) }
      refuseTaken(groups, next)
      return next
    }),

    async remove(id) {
      let gone: Group | null = null
      await commit((groups) => {
        gone = groups.find((group) => group.id === id) ?? null
        if (!gone) throw unknownGroup(id)
        return groups.filter((group) => group.id !== id)
      })
      return gone ?? mustFind([], id)
    },

    modelDisabled: (route, disabled) => commit((groups) => {
      if (!groups.some(({ models }) => models.some((entry) => sameRoute(entry, route)))) throw unknownEntry(route)
      const next = groups.map((group) => edited(group, { ...group, models: group.models.map((entry) => (sameRoute(entry, route) ? withDisabled(entry, disabled) : entry)) }))
      return next.every((group, index) => group === groups[index]) ? groups : next
    }),

    reorder: ({ groupId, start, order }) => commitOne(groupId, (group) => ({ ...group, models: renumbered(group.models, start, order) })),

    replaceAll: (next) => commit((groups) => {
      const known = new Map(groups.map((group) => [group.id, group]))
      return next.map((group) => {
        const old = known.get(group.id)
        return old ? edited(old, group) : { ...group, rev: 1 }
      })
    }),

    restore(before) {
      document.set({ version: 1, groups: before })
      tell()
    },

    onChange(listener) {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    },
  }
}

function mustFind(groups: readonly Group[], id: string): Group {
  const group = groups.find((one) => one.id === id)
  if (!group) throw unknownGroup(id)
  return group
}

/** `next` with the rev counted up, or `group` itself when nothing but the rev would differ. */
function edited(group: Group, next: Group): Group {
  const same = group.name === next.name && group.enabled === next.enabled && sameEntries(group.models, next.models)
  return same ? group : { ...next, id: group.id, rev: group.rev + 1 }
}

function refuseTaken(groups: readonly Group[], wanted: Group): void {
  const other = groups.find((group) => group.id !== wanted.id && nameKey(group.name) === nameKey(wanted.name))
  if (other) throw invalidField('name', `another group is called ${JSON.stringify(other.name)}`, 'text', 'a name that no other group has')
}

function withDisabled(entry: Entry, disabled: boolean): Entry {
  const { disabled: _was, ...rest } = entry
  return disabled ? { ...rest, disabled: true } : rest
}

function renumbered(models: readonly Entry[], start: number, order: readonly Route[]): readonly Entry[] {
  const held = new Set(models.map(routeKey))
  const priorities = new Map<string, number>()
  for (const route of order) {
    const key = routeKey(route)
    if (held.has(key) && !priorities.has(key)) priorities.set(key, start + priorities.size)
  }
  if (start + priorities.size - 1 > LAST_PRIORITY) {
    throw invalidField('start', `${priorities.size} entries from ${start} would go past priority ${LAST_PRIORITY}`, 'number', `1–${LAST_PRIORITY + 1 - priorities.size}`)
  }
  return models.map((entry) => ({ ...entry, priority: priorities.get(routeKey(entry)) ?? entry.priority }))
}
