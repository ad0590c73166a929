/** The first start beside an older plugin: its files are read, never written, and each is taken over only where ours is missing. */
import { basename, join, resolve } from 'node:path'
import type { StoreProblem } from '../ports.ts'
import type { DocumentEnv, OpenDocument } from './document.ts'
import { errorCode, type Files } from './files.ts'
import { FILES } from './layout.ts'
import { readGroups } from './legacy-groups.ts'
import { readBindings, readDefault, readFailed, readLimits, readSettings } from './legacy.ts'
import { newGroupId } from './specs.ts'
import type { Documents } from './store.ts'

const MOST_SKIPPED = 50
const LARGEST_FILE = 50 * 1024 * 1024

/**
 * Imports `legacyDir` unless that was done before. The mark that it was done is written last, so a start that was
 * killed half-way is repeated for what is still missing. Resolves with what was left out. Never rejects.
 */
export async function importOlder(documents: Documents, legacyDir: string, env: DocumentEnv): Promise<readonly StoreProblem[]> {
  const { imported } = documents
  if (imported.existed || imported.readOnly || resolve(legacyDir) === resolve(env.dir)) return []
  const run = new Import(documents, legacyDir, env)
  const there = await folderExists(env.files, legacyDir)
  if (there) await run.all()
  for (const document of Object.values(documents)) await document.flush()
  if (run.touched.every((document) => document.written)) {
    imported.set({ version: 1, at: env.time.now(), from: there ? legacyDir : null, taken: run.taken, skipped: run.skipped.map(({ file, problem }) => `${file}: ${problem}`) })
    await imported.flush()
  }
  if (run.taken.length > 0) env.log.info('taken over from the older plugin: %s', run.taken.join(', '))
  return run.skipped
}

class Import {
  readonly taken: string[] = []
  readonly skipped: StoreProblem[] = []
  readonly touched: OpenDocument<unknown>[] = []
  readonly #documents: Documents
  readonly #dir: string
  readonly #env: DocumentEnv
  #unlisted = 0

  constructor(documents: Documents, dir: string, env: DocumentEnv) {
    this.#documents = documents
    this.#dir = dir
    this.#env = env
  }

  async all(): Promise<void> {
    const { groups, bindings, defaultBinding, failed, settings, concurrency } = this.#documents
    const now = this.#env.time.now()
    await this.#take(FILES.groups, groups, (raw, skip) => ({ version: 1, groups: readGroups(raw, newGroupId, skip) }))
    const known = new Set(groups.value.groups.map(({ id }) => id))
    await this.#take(FILES.bindings, bindings, (raw, skip) => ({ version: 1, sessions: readBindings(raw, known, now, skip) }))
    await this.#take(FILES.defaultBinding, defaultBinding, (raw, skip) => ({ version: 1, binding: readDefault(raw, known, skip) }))
    await this.#take(FILES.failed, failed, (raw, skip) => readFailed(raw, now, skip))
    await this.#take(FILES.settings, settings, (raw, skip) => ({ version: 1, settings: readSettings(raw, skip) }))
    await this.#take(FILES.concurrency, concurrency, (raw, skip) => ({ version: 1, limits: readLimits(raw, skip) }))
    if (this.#unlisted > 0) this.skipped.push(this.#problem('', `and ${this.#unlisted} more pieces`))
  }

  async #take<T>(file: string, document: OpenDocument<T>, read: (raw: unknown, skip: (what: string) => void) => T | null): Promise<void> {
    if (document.existed || document.readOnly) return
    const skip = (what: string): void => {
      this.#env.log.warn('older %s: %s', file, what)
      if (this.skipped.length < MOST_SKIPPED) this.skipped.push(this.#problem(file, `left out: ${what}`))
      else this.#unlisted++
    }
    const raw = await this.#read(file, skip)
    if (raw === undefined) return
    let value: T | null
    try { value = read(raw, skip) } catch (error) {
      skip(`not understood (${errorCode(error)})`)
      return
    }
    if (value === null) { skip('not understood'); return }
    document.set(value)
    this.touched.push(document)
    this.taken.push(file)
  }

  async #read(file: string, skip: (what: string) => void): Promise<unknown> {
    const path = join(this.#dir, file)
    try {
      if ((await this.#env.files.lstat(path)).size > LARGEST_FILE) { skip('larger than 50 MB'); return undefined }
      return JSON.parse((await this.#env.files.readFile(path, 'utf8')).replace(/^\uFEFF/, '')) as unknown
    } catch (error) {
      const code = errorCode(error)
      if (code !== 'ENOENT') skip(error instanceof SyntaxError ? 'not JSON' : `cannot be read (${code})`)
      return undefined
    }
  }

  #problem(file: string, problem: string): StoreProblem {
    return { file: file === '' ? basename(this.#dir) : `${basename(this.#dir)}/${file}`, problem, at: this.#env.time.now() }
  }
}

async function folderExists(files: Files, path: string): Promise<boolean> {
  try { return (await files.lstat(path)).isDirectory() } catch { return false /* there was no older plugin */ }
}
