/** A small document and its folder, shared by the tests of this folder. */
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { afterEach, beforeEach } from 'vitest'
import { ManualTime, settle } from '../../../tests/support/manual-time.ts'
import type { DocumentEnv, DocumentSpec } from '../document.ts'
import { realFiles, type Files } from '../files.ts'
import { failingFiles, memoryLog, tempFolder } from './folder.ts'

export interface Notes { readonly version: 1; readonly notes: readonly string[] }
const schema = z.strictObject({ version: z.literal(1), notes: z.array(z.string()) })
export const spec: DocumentSpec<Notes> = { name: 'notes.json', version: 1, schema, initial: { version: 1, notes: [] } }
export const notes = (...texts: string[]): Notes => ({ version: 1, notes: texts })
export const add = (text: string) => (now: Notes): Notes => notes(...now.notes, text)

/** A folder of its own for each test, with time under its hand and file operations that fail as `broken` says. */
export class Desk {
  dir = ''
  time = new ManualTime()
  log = memoryLog()
  readonly broken = new Map<keyof Files, string>()
  remove: () => Promise<void> = () => Promise.resolve()

  env(files: Files = realFiles): DocumentEnv { return { dir: this.dir, time: this.time, log: this.log, files } }
  get failing(): Files { return failingFiles(this.broken) }
  path(name = 'notes.json'): string { return join(this.dir, name) }
  async onDisk(): Promise<unknown> { return JSON.parse(await readFile(this.path(), 'utf8')) as unknown }
  async names(): Promise<string[]> { return (await readdir(this.dir)).sort() }

  /** Time passes while a write that has started comes to its end in between. */
  async pass(ms: number, step = 10): Promise<void> {
    for (let gone = 0; gone < ms; gone += step) {
      this.time.advance(step)
      await settle()
      while ((await this.names()).some((name) => name.endsWith('.tmp'))) await settle()
      await settle()
    }
  }
}

/** Sets the desk up before each test of the file and clears it after. */
export function desk(): Desk {
  const one = new Desk()
  beforeEach(async () => {
    const folder = await tempFolder()
    one.dir = folder.dir
    one.remove = folder.remove
    one.time = new ManualTime()
    one.log = memoryLog()
    one.broken.clear()
  })
  afterEach(() => one.remove())
  return one
}
