/** Acts on routing groups. Edits of one group go out one after another and are applied to its newest state, so none is lost. */
import type { Entry, Route } from '../../src/contract/route.ts'
import type { Group } from '../../src/contract/group.ts'
import { ApiError } from '../api.ts'
import { keyOf, sameRoute } from '../words.ts'
import type { App } from './app.ts'

export interface GroupActs {
  create(name: string, models?: readonly Entry[]): Promise<Group | null>
  remove(id: string): Promise<void>
  /** Changes the head of a group. */
  change(id: string, head: { readonly name?: string; readonly enabled?: boolean }): Promise<boolean>
  /** Changes the entries of a group; `edit` may run again on a newer state. */
  edit(id: string, edit: (models: readonly Entry[]) => readonly Entry[]): Promise<boolean>
  reorder(id: string, start: number, order: readonly Route[]): Promise<boolean>
}

/** The priority behind the last entry, within 1–999. */
export function nextPriority(models: readonly Entry[]): number {
  return Math.min(999, Math.max(0, ...models.map(({ priority }) => priority)) + 1)
}

/** Entries in the order they are tried: by priority, equal ones as they stand. */
export function inOrder(models: readonly Entry[]): Entry[] {
  return [...models].sort((a, b) => a.priority - b.priority)
}

/** Adds a route at the end; a group holds a route once. */
export function withRoute(models: readonly Entry[], route: Route): readonly Entry[] {
  return models.some((entry) => sameRoute(entry, route)) ? models : [...models, { provider: route.provider, model: route.model, priority: nextPriority(models) }]
}

export function withoutRoute(models: readonly Entry[], route: Route): readonly Entry[] {
  return models.filter((entry) => !sameRoute(entry, route))
}

/** Replaces fields of one entry; a field given as undefined is dropped. */
export function withEntry(models: readonly Entry[], route: Route, change: { readonly [K in keyof Entry]?: Entry[K] | undefined }): readonly Entry[] {
  return models.map((entry) => (sameRoute(entry, route)
    ? Object.fromEntries(Object.entries({ ...entry, ...change }).filter(([, value]) => value !== undefined)) as unknown as Entry
    : entry))
}

/** Moves a route before (or behind) another in the order of trying and numbers all entries anew from 1. */
export function moved(models: readonly Entry[], route: Route, target: Route, behind: boolean): readonly Entry[] {
  if (sameRoute(route, target)) return models
  const order = inOrder(models)
  const self = order.find((entry) => sameRoute(entry, route))
  const rest = order.filter((entry) => entry !== self)
  const at = rest.findIndex((entry) => sameRoute(entry, target))
  if (!self || at < 0) return models
  rest.splice(behind ? at + 1 : at, 0, self)
  const rank = new Map(rest.map((entry, index) => [keyOf(entry), Math.min(999, index + 1)]))
  return models.map((entry) => ({ ...entry, priority: rank.get(keyOf(entry)) ?? entry.priority }))
}

export function createGroupActs(app: App): GroupActs {
  const queues = new Map<string, Promise<unknown>>()
  const current = (id: string): Group | null => app.groups.value.find((group) => group.id === id) ?? null
  const put = (groups: readonly Group[]): void => app.adopt({ groups: [...groups] as never })

  /** Runs `send` after all earlier acts on the group. */
  const queued = <T,>(id: string, send: () => Promise<T>): Promise<T> => {
    const mine = (queues.get(id) ?? Promise.resolve()).then(send, send)
    queues.set(id, mine.catch(() => undefined))
    return mine
  }
  /** Sends a change of the newest state; a stale one is sent once more on what the host has. */
  const update = async (id: string, make: (group: Group) => object): Promise<boolean> => {
    const send = async (): Promise<true> => {
      const group = current(id)
      if (group === null) throw new ApiError(404, 'NO_SUCH_GROUP', id)
      const reply = await app.api.call('updateGroup', { body: { id, rev: group.rev, ...make(group) } })
      put(reply.groups)
      return true
    }
    const done = await app.act(() => queued(id, async () => {
      try {
        return await send()
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 409) throw error
        put((await app.api.call('groups')).groups)
        return send()
      }
    }))
    if (done === null) void app.status.refresh()
    return done !== null
  }
  return {
    create: async (name, models) => {
      const reply = await app.act(() => app.api.call('createGroup', { body: { name, ...(models ? { models: [...models] as never } : {}) } }))
      if (reply === null) return null
      put(reply.groups)
      return reply.group ?? null
    },
    remove: async (id) => {
      const reply = await app.act(() => app.api.call('deleteGroup', { id }))
      if (reply !== null) put(reply.groups)
      await app.status.refresh()
    },
    change: (id, head) => update(id, () => head),
    edit: (id, edit) => update(id, (group) => ({ models: edit(group.models) })),
    reorder: async (id, start, order) => {
      const body = { groupId: id, start, order: order.map(({ provider, model }) => ({ provider, model })) }
      const reply = await app.act(() => queued(id, () => app.api.call('reorder', { body })))
      if (reply !== null) put(reply.groups)
      return reply !== null
    },
  }
}
