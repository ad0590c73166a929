/** Limits of concurrent calls per model, over all groups. */
import type { ConcurrencyDocument } from '../contract/group.ts'
import { routeKey, type Route } from '../contract/route.ts'
import type { Dispose, EditableDocument } from '../ports.ts'

export type LimitTable = Readonly<Record<string, number>>

export interface Limits {
  /** The model's own limit; null = it follows the default. */
  of(route: Route): number | null
  /** All own limits by route key; the same object until one changes. */
  all(): LimitTable
  /** A positive number sets; 0, '' and null clear. */
  set(route: Route, limit: number | '' | null): Promise<LimitTable>
  replaceAll(limits: LimitTable): Promise<LimitTable>
  /** Puts the table back at once, on disk as soon as it can be written. */
  restore(before: LimitTable): void
  onChange(listener: () => void): Dispose
}

export function createLimits({ document }: { readonly document: EditableDocument<ConcurrencyDocument> }): Limits {
  const listeners = new Set<() => void>()
  const tell = (): LimitTable => {
    for (const listener of listeners) listener()
    return document.value.limits
  }
  return {
    of(route) {
      const key = routeKey(route)
      return Object.hasOwn(document.value.limits, key) ? document.value.limits[key] ?? null : null
    },
    all: () => document.value.limits,
    async set(route, limit) {
      await document.change(({ limits }) => {
        const others = Object.entries(limits).filter(([key]) => key !== routeKey(route))
        return { version: 1, limits: Object.fromEntries(limit === null || limit === '' || limit === 0 ? others : [...others, [routeKey(route), limit]]) }
      })
      return tell()
    },
    async replaceAll(limits) {
      await document.change(() => ({ version: 1, limits }))
      return tell()
    },
    restore(before) {
      document.set({ version: 1, limits: before })
      tell()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    },
  }
}
