/** What each data file holds, what it is without a file, and how a file of an older form is read. */
import { randomInt } from 'node:crypto'
import * as z from 'zod'
import { bindingsDocument, concurrencyDocument, defaultBindingDocument, groupsDocument, type BindingsDocument, type ConcurrencyDocument, type DefaultBindingDocument, type GroupsDocument } from '../contract/group.ts'
import { failedDocument, healthDocument, type FailedDocument, type HealthDocument } from '../contract/health.ts'
import { settingsDocument, type SettingsDocument } from '../contract/settings.ts'
import type { DocumentSpec } from './document.ts'
import { FILES } from './layout.ts'
import { readGroups } from './legacy-groups.ts'
import { readBindings, readDefault, readFailed, readLimits, readSettings } from './legacy.ts'

const isEmpty = (raw: unknown): boolean => Array.isArray(raw) && raw.length === 0
/** A file of its own cannot be held against another one; bindings without a group are dropped by their owner. */
const ANY = { has: () => true }

/** A group id of the same form the groups service gives. */
export function newGroupId(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  return `g-${Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')}`
}

export const groupsSpec: DocumentSpec<GroupsDocument> = {
  name: FILES.groups, version: 1, schema: groupsDocument, initial: { version: 1, groups: [] },
  older: (raw, skip) => {
    const groups = readGroups(raw, newGroupId, skip)
    return groups.length > 0 || isEmpty(raw) ? { version: 1, groups } : null
  },
}

/** @param now epoch ms a session of an older file counts as last seen */
export const bindingsSpec = (now: number): DocumentSpec<BindingsDocument> => ({
  name: FILES.bindings, version: 1, schema: bindingsDocument, initial: { version: 1, sessions: {} },
  older: (raw, skip) => {
    const sessions = readBindings(raw, ANY, now, skip)
    return Object.keys(sessions).length > 0 ? { version: 1, sessions } : null
  },
})

export const defaultBindingSpec: DocumentSpec<DefaultBindingDocument> = {
  name: FILES.defaultBinding, version: 1, schema: defaultBindingDocument, initial: { version: 1, binding: null },
  older: (raw, skip) => {
    const binding = readDefault(raw, ANY, skip)
    return binding ? { version: 1, binding } : null
  },
}

/** Without a file the ledger belongs to a day long gone, so it reads as empty on any day. */
export const failedSpec = (now: number): DocumentSpec<FailedDocument> => ({
  name: FILES.failed, version: 1, schema: failedDocument, initial: { version: 1, day: '1970-01-01', marks: [] },
  older: (raw, skip) => readFailed(raw, now, skip),
})

export const settingsSpec: DocumentSpec<SettingsDocument> = {
  name: FILES.settings, version: 1, schema: settingsDocument, initial: { version: 1, settings: {} },
  older: (raw, skip) => {
    const settings = readSettings(raw, skip)
    return Object.keys(settings).length > 0 ? { version: 1, settings } : null
  },
}

export const concurrencySpec: DocumentSpec<ConcurrencyDocument> = {
  name: FILES.concurrency, version: 1, schema: concurrencyDocument, initial: { version: 1, limits: {} },
  older: (raw, skip) => {
    const limits = readLimits(raw, skip)
    return Object.keys(limits).length > 0 ? { version: 1, limits } : null
  },
}

export const healthSpec: DocumentSpec<HealthDocument> = {
  name: FILES.health, version: 1, schema: healthDocument, initial: { version: 1, holds: [], endpoints: [] },
}

const importedDocument = z.strictObject({
  version: z.literal(1),
  at: z.number(),
  from: z.string().nullable(),
  taken: z.array(z.string()),
  skipped: z.array(z.string()),
})
/** That the older plugin's folder was looked at: when, where, which files were taken over, what was left out. */
export type ImportedDocument = Readonly<z.infer<typeof importedDocument>>

export const importedSpec: DocumentSpec<ImportedDocument> = {
  name: FILES.imported, version: 1, schema: importedDocument, initial: { version: 1, at: 0, from: null, taken: [], skipped: [] },
}
