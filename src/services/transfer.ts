/** The configuration as one document: given out whole, and taken in whole or not at all. */
import type { DefaultBinding, Group } from '../contract/group.ts'
import { invalidField } from '../contract/refusal.ts'
import { parseRouteKey, routeKey } from '../contract/route.ts'
import type { ConfigDocument, DiffLine } from '../contract/transfer.ts'
import { diffConfiguration, type Configuration } from '../domain/config-diff.ts'
import type { Time } from '../ports.ts'
import type { Bindings } from './bindings.ts'
import { nameKey, type Groups } from './groups.ts'
import type { Limits } from './limits.ts'
import type { SettingsService } from './settings.ts'

export interface Transfer {
  exportAll(): ConfigDocument
  /**
   * What the document would change, and the change itself unless `dryRun`. `groups` replaces the list; the other parts
   * replace theirs where the document has them. Groups are matched by id, then by name. Refuses (400) a document that
   * contradicts itself; rejects with nothing changed when it cannot be written.
   */
  importAll(document: ConfigDocument, dryRun: boolean): Promise<{ readonly diff: readonly DiffLine[]; readonly applied: boolean }>
}

export interface TransferDeps {
  readonly groups: Groups
  readonly bindings: Pick<Bindings, 'defaultBinding' | 'putDefault' | 'restoreDefault'>
  readonly limits: Limits
  readonly settings: SettingsService
  readonly time: Pick<Time, 'now'>
}

export function createTransfer(deps: TransferDeps): Transfer {
  const { groups, bindings, limits, settings, time } = deps
  const present = (): Configuration => ({ groups: groups.list(), defaultBinding: bindings.defaultBinding(), limits: limits.all(), settings: settings.stored() })

  /** One part after the other, groups last because bindings follow them; what was done is undone when one fails. */
  const apply = async (next: Configuration): Promise<void> => {
    const before = present()
    const undo: (() => void)[] = []
    try {
      await settings.replaceAll(next.settings)
      undo.push(() => { settings.restore(before.settings) })
      await limits.replaceAll(next.limits)
      undo.push(() => { limits.restore(before.limits) })
      await bindings.putDefault(next.defaultBinding)
      undo.push(() => { bindings.restoreDefault(before.defaultBinding) })
      await groups.replaceAll(next.groups)
    } catch (error) {
      for (const step of undo.reverse()) step()
      throw error
    }
  }

  return {
    exportAll: () => ({
      format: 'model-failover-config',
      version: 1,
      exportedAt: time.now(),
      groups: groups.list().map(({ id, name, enabled, models }) => ({ id, name, enabled, models: [...models] })),
      defaultBinding: bindings.defaultBinding(),
      limits: { ...limits.all() },
      settings: { ...settings.stored() },
    }),
    async importAll(document, dryRun) {
      const before = present()
      const next = resolve(document, before, groups.newId)
      const diff = diffConfiguration(before, next)
      if (dryRun) return { diff, applied: false }
      if (diff.length > 0) await apply(next)
      return { diff, applied: true }
    },
  }
}

function resolve(document: ConfigDocument, before: Configuration, newId: () => string): Configuration {
  const groups = resolveGroups(document, before.groups, newId)
  const ids = new Set(groups.map(({ id }) => id))
  const settings = document.settings && Object.fromEntries(Object.entries(document.settings).filter(([, value]) => value !== null && value !== undefined))
  return {
    groups,
    defaultBinding: resolveDefault(document, before.defaultBinding, ids),
    limits: document.limits ? checkedLimits(document.limits) : before.limits,
    settings: settings ?? before.settings,
  }
}

function resolveGroups(document: ConfigDocument, present: readonly Group[], newId: () => string): readonly Group[] {
  const byId = new Map(present.map((group) => [group.id, group]))
  const named = new Set(document.groups.map(({ id }) => id).filter((id) => id !== undefined))
  const free = new Map(present.filter(({ id }) => !named.has(id)).map((group) => [nameKey(group.name), group]))
  const names = new Set<string>()
  const taken = new Set<string>()
  return document.groups.map(({ id, name, enabled, models }, index) => {
    if (names.has(nameKey(name))) throw invalidField(`groups[${index}].name`, `the document has two groups called ${JSON.stringify(name)}`, 'text', 'a name that no other group has')
    names.add(nameKey(name))
    if (id !== undefined && taken.has(id)) throw invalidField(`groups[${index}].id`, `the document has the id ${JSON.stringify(id)} twice`, 'text', 'an id that no other group has')
    let own = id ?? free.get(nameKey(name))?.id ?? newId()
    while (id === undefined && (taken.has(own) || named.has(own))) own = newId()
    taken.add(own)
    return { id: own, rev: byId.get(own)?.rev ?? 1, name, enabled, models }
  })
}

/** A default the document says nothing about stays, unless its group goes. */
function resolveDefault(document: ConfigDocument, present: DefaultBinding | null, ids: ReadonlySet<string>): DefaultBinding | null {
  if (document.defaultBinding === undefined) return present && ids.has(present.groupId) ? present : null
  if (document.defaultBinding !== null && !ids.has(document.defaultBinding.groupId)) {
    throw invalidField('defaultBinding.groupId', `the document has no group ${JSON.stringify(document.defaultBinding.groupId)}`, 'text', 'the id of one of its groups')
  }
  return document.defaultBinding
}

function checkedLimits(limits: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  for (const key of Object.keys(limits)) {
    const route = parseRouteKey(key)
    if (!route || routeKey(route) !== key) throw invalidField(`limits.${key}`, 'the key names no model', 'text', 'provider/model')
  }
  return limits
}
