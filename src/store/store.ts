/** All documents of the data folder, opened together and closed together. */
import type { BindingsDocument, ConcurrencyDocument, DefaultBindingDocument, GroupsDocument } from '../contract/group.ts'
import type { FailedDocument, HealthDocument } from '../contract/health.ts'
import type { SettingsDocument } from '../contract/settings.ts'
import type { DataFolder, Log, Time } from '../ports.ts'
import { openDocument, type DocumentEnv, type OpenDocument } from './document.ts'
import { realFiles, sweepTemps, type Files } from './files.ts'
import { importOlder } from './first-start.ts'
import { prepareFolder } from './layout.ts'
import { bindingsSpec, concurrencySpec, defaultBindingSpec, failedSpec, groupsSpec, healthSpec, importedSpec, settingsSpec, type ImportedDocument } from './specs.ts'

export interface Documents {
  readonly groups: OpenDocument<GroupsDocument>
  readonly bindings: OpenDocument<BindingsDocument>
  readonly defaultBinding: OpenDocument<DefaultBindingDocument>
  readonly failed: OpenDocument<FailedDocument>
  readonly settings: OpenDocument<SettingsDocument>
  readonly concurrency: OpenDocument<ConcurrencyDocument>
  readonly health: OpenDocument<HealthDocument>
  readonly imported: OpenDocument<ImportedDocument>
}

export interface Store extends DataFolder {
  /** Everything set so far is on disk, or failed and is in `problems()`. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface StoreOptions {
  /** The data folder, absolute; made when missing. */
  readonly dir: string
  /** It is the default folder, so its mode is kept at 0700. */
  readonly own?: boolean
  /** The older plugin's folder, imported once; absent = no import. */
  readonly legacyDir?: string
  readonly time: Time
  readonly log: Log
  readonly files?: Files
}

/** Opens the data folder. Never rejects: what cannot be read or written is in `problems()` and lives in memory. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dir, time, log, files = realFiles } = options
  const env: DocumentEnv = { dir, time, log, files }
  const folder = await prepareFolder(dir, options.own === true, log)
  await sweepTemps(files, dir, time.now())
  const documents = await openAll(env)
  const groupsRead = documents.groups.problems().length === 0
  const skipped = options.legacyDir === undefined ? [] : await importOlder(documents, options.legacyDir, env)
  const all = Object.values(documents) as readonly OpenDocument<unknown>[]
  const openedAt = time.now()
  return {
    dir,
    groupsRead,
    ...documents,
    problems: () => [
      ...(folder !== null && !all.some((document) => document.written) ? [{ file: '', problem: folder, at: openedAt }] : []),
      ...all.flatMap((document) => document.problems()),
      ...skipped,
    ].sort((a, b) => a.at - b.at),
    flush: async () => { await Promise.all(all.map((document) => document.flush())) },
    close: async () => { await Promise.all(all.map((document) => document.close())) },
  }
}

async function openAll(env: DocumentEnv): Promise<Documents> {
  const now = env.time.now()
  const [groups, bindings, defaultBinding, failed, settings, concurrency, health, imported] = await Promise.all([
    openDocument(groupsSpec, env), openDocument(bindingsSpec(now), env), openDocument(defaultBindingSpec, env), openDocument(failedSpec(now), env),
    openDocument(settingsSpec, env), openDocument(concurrencySpec, env), openDocument(healthSpec, env), openDocument(importedSpec, env),
  ])
  return { groups, bindings, defaultBinding, failed, settings, concurrency, health, imported }
}
