/** What differs between two configurations, as lines people can read; two configurations are equal exactly when there is no line. */
import type { DefaultBinding, Group } from '../contract/group.ts'
import { routeKey, type Entry } from '../contract/route.ts'
import type { DiffLine } from '../contract/transfer.ts'

/** The comparable part of a configuration. */
export interface Configuration {
  readonly groups: readonly Group[]
  readonly defaultBinding: DefaultBinding | null
  readonly limits: Readonly<Record<string, number>>
  readonly settings: Readonly<Record<string, unknown>>
}

const FIELDS = ['priority', 'effort', 'windows', 'until', 'disabled', 'ask'] as const satisfies readonly (keyof Entry)[]

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(canonical(a)) === JSON.stringify(canonical(b))

/** Objects with their keys in order, so that equal values have equal texts. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, canonical(one)]))
}

/** True when both lists hold the same entries with the same fields in the same order. */
export function sameEntries(a: readonly Entry[], b: readonly Entry[]): boolean {
  return a === b || same(a, b)
}

/** The lines that lead from `before` to `after`. Groups are matched by id and shown under the name they have before. */
export function diffConfiguration(before: Configuration, after: Configuration): readonly DiffLine[] {
  const defaultName = (side: Configuration): unknown => side.defaultBinding && { group: side.groups.find(({ id }) => id === side.defaultBinding?.groupId)?.name ?? side.defaultBinding.groupId, ...side.defaultBinding }
  return [
    ...diffGroups(before.groups, after.groups),
    ...(same(before.defaultBinding, after.defaultBinding) ? [] : line('defaultBinding', defaultName(before) ?? undefined, defaultName(after) ?? undefined)),
    ...diffMap('limits', before.limits, after.limits),
    ...diffMap('settings', before.settings, after.settings),
  ]
}

/** One line; absent on one side makes it an addition or a removal. */
function line(path: string, before: unknown, after: unknown): DiffLine[] {
  if (same(before, after)) return []
  if (before === undefined) return [{ op: 'add', path, after }]
  return after === undefined ? [{ op: 'remove', path, before }] : [{ op: 'change', path, before, after }]
}

function diffMap(path: string, before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): DiffLine[] {
  const value = (map: Readonly<Record<string, unknown>>, key: string): unknown => (Object.hasOwn(map, key) ? map[key] : undefined)
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => line(`${path}/${key}`, value(before, key), value(after, key)))
}

function diffGroups(before: readonly Group[], after: readonly Group[]): DiffLine[] {
  const next = new Map(after.map((group) => [group.id, group]))
  const old = new Map(before.map((group) => [group.id, group]))
  return [
    ...before.flatMap((group) => diffGroup(group, next.get(group.id))),
    ...after.filter(({ id }) => !old.has(id)).map(({ name, enabled, models }): DiffLine => ({ op: 'add', path: `groups/${name}`, after: { name, enabled, models } })),
    ...diffOrder('groups/order', before.map(({ id }) => id), after.map(({ id }) => id), (id) => (next.get(id) ?? old.get(id))?.name ?? id),
  ]
}

function diffGroup(group: Group, next: Group | undefined): DiffLine[] {
  const path = `groups/${group.name}`
  if (!next) return [{ op: 'remove', path, before: { name: group.name, enabled: group.enabled, models: group.models } }]
  const entries = new Map(next.models.map((entry) => [routeKey(entry), entry]))
  const held = new Set(group.models.map(routeKey))
  return [
    ...line(`${path}/name`, group.name, next.name),
    ...line(`${path}/enabled`, group.enabled, next.enabled),
    ...group.models.flatMap((entry) => {
      const other = entries.get(routeKey(entry))
      const at = `${path}/${routeKey(entry)}`
      return other ? FIELDS.flatMap((field) => line(`${at}/${field}`, entry[field], other[field])) : line(at, entry, undefined)
    }),
    ...next.models.filter((entry) => !held.has(routeKey(entry))).flatMap((entry) => line(`${path}/${routeKey(entry)}`, undefined, entry)),
    ...diffOrder(`${path}/order`, group.models.map(routeKey), next.models.map(routeKey), (key) => key),
  ]
}

/** A line when the members both sides share stand in another order, or new ones are not simply at the end. */
function diffOrder(path: string, before: readonly string[], after: readonly string[], show: (key: string) => string): DiffLine[] {
  const [was, is] = [new Set(before), new Set(after)]
  const expected = [...before.filter((key) => is.has(key)), ...after.filter((key) => !was.has(key))]
  return expected.every((key, index) => key === after[index]) ? [] : [{ op: 'change', path, before: before.map(show), after: after.map(show) }]
}
