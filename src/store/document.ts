/** One JSON document on disk with one owner: read and checked once, then replaced whole, with edits that never lose each other. */
import type * as z from 'zod'
import { Refusal } from '../contract/refusal.ts'
import type { Dispose, EditableDocument, Log, StoreProblem, Time } from '../ports.ts'
import { errorCode, replaceFile, type Files } from './files.ts'
import { readDocument, type Reading } from './reading.ts'

/** What a document is: `initial` counts while there is no file; `older` reads a file without a version (null = not one). */
export interface DocumentSpec<T> {
  readonly name: string
  readonly version: number
  readonly schema: z.ZodType
  readonly initial: T
  readonly older?: (raw: unknown, skip: (what: string) => void) => T | null
}

export interface DocumentEnv {
  readonly dir: string
  readonly time: Time
  readonly log: Log
  readonly files: Files
}

export interface OpenDocument<T> extends EditableDocument<T> {
  /** A file was there when the document was opened. */
  readonly existed: boolean
  /** A write has succeeded since. */
  readonly written: boolean
  /** What is wrong now: found at opening (stays), or writing that fails (goes when a write succeeds). */
  problems(): readonly StoreProblem[]
  /** One last try to write what is owed, then memory only. Resolves within that try. */
  close(): Promise<void>
}

interface Job<T> {
  readonly edit: (current: T) => T
  /** A whole value, which a later `set` supersedes; an edit is applied again instead. */
  readonly whole: boolean
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

/** Two write-behind writes start at least this far apart, and none starts later than this after its `set`. */
const SPACING_MS = 50
const RETRY_MS = { first: 250, most: 30_000 }

/** Opens `dir/name`. Never rejects: whatever is wrong with the file is in `problems()`. */
export async function openDocument<T>(spec: DocumentSpec<T>, env: DocumentEnv): Promise<OpenDocument<T>> {
  const path = `${env.dir}/${spec.name}`
  return new JsonDocument(spec, path, env, await readDocument(spec, path, env))
}

class JsonDocument<T> implements OpenDocument<T> {
  readonly existed: boolean
  readonly readOnly: boolean
  written = false
  readonly #spec: DocumentSpec<T>
  readonly #path: string
  readonly #env: DocumentEnv
  readonly #found: StoreProblem | null
  #value: T
  /** Grows with each `set` and `amend`, so that a commit sees what came while it was writing. */
  #sets = 0
  #writtenSets = 0
  #jobs: Job<T>[] = []
  #writing: Promise<void> | null = null
  #lastStart = Number.NEGATIVE_INFINITY
  #failures = 0
  #writeProblem: StoreProblem | null = null
  #waiting: Dispose | null = null
  #closed = false

  constructor(spec: DocumentSpec<T>, path: string, env: DocumentEnv, reading: Reading<T>) {
    this.#spec = spec
    this.#path = path
    this.#env = env
    this.#value = reading.value
    this.#found = reading.problem
    this.existed = reading.existed
    this.readOnly = reading.readOnly
    if (reading.owed) this.set(reading.value)
  }

  get value(): T { return this.#value }

  problems(): readonly StoreProblem[] {
    return [this.#found, this.#writeProblem].filter((problem) => problem !== null)
  }

  async replace(next: T): Promise<void> { await this.#commit(() => next, true) }

  change(edit: (current: T) => T): Promise<T> { return this.#commit(edit, false) }

  set(next: T): void {
    this.#value = next
    this.#sets++
    this.#plan()
  }

  amend(edit: (current: T) => T): void { this.set(edit(this.#value)) }

  async flush(): Promise<void> {
    const wanted = this.#sets
    while (this.#writing) await this.#writing
    if (this.#writtenSets < wanted && !this.readOnly && !this.#closed) await this.#start()
  }

  async close(): Promise<void> {
    await this.flush()
    this.#closed = true
    this.#waiting?.()
    this.#waiting = null
  }

  #commit(edit: (current: T) => T, whole: boolean): Promise<T> {
    if (this.readOnly) return Promise.reject(this.#refusal('STORE_READ_ONLY', this.#found?.problem ?? 'the file may not be written'))
    if (this.#closed) return Promise.reject(this.#refusal('STORE_CLOSED', 'the plugin is shutting down'))
    return new Promise<T>((resolve, reject) => {
      this.#jobs.push({ edit, whole, resolve, reject })
      if (!this.#writing) void this.#start()
    })
  }

  #refusal(code: string, why: string): Refusal {
    return new Refusal('unavailable', code, `${this.#spec.name}: ${why}`)
  }

  get #owed(): boolean { return this.#writtenSets < this.#sets }

  /** Arranges the next write-behind: at once, after the spacing, or after the back-off while writing fails. */
  #plan(): void {
    if (this.readOnly || this.#closed || this.#writing || this.#waiting || !this.#owed) return
    const backOff = this.#failures === 0 ? 0 : Math.min(RETRY_MS.first * 2 ** (this.#failures - 1), RETRY_MS.most)
    const wait = Math.max(backOff, this.#lastStart + SPACING_MS - this.#env.time.mono())
    if (wait <= 0) { void this.#start(); return }
    this.#waiting = this.#env.time.after(wait, () => {
      this.#waiting = null
      if (!this.#writing) void this.#start()
    })
  }

  #start(): Promise<void> {
    this.#waiting?.()
    this.#waiting = null
    this.#writing = this.#run().finally(() => {
      this.#writing = null
      // A commit made in the very moment between the last look and here would wait for ever otherwise.
      if (this.#jobs.length > 0) void this.#start()
      else this.#plan()
    })
    return this.#writing
  }

  /** Writes until no commit waits; what was set meanwhile goes out with it. */
  async #run(): Promise<void> {
    // One turn of the loop later, so that everything set in the same turn becomes one write and the caller goes on first.
    await new Promise<void>((resolve) => { setImmediate(resolve) })
    do {
      this.#lastStart = this.#env.time.mono()
      await this.#writeOnce()
    } while (this.#jobs.length > 0)
  }

  async #writeOnce(): Promise<void> {
    const base = this.#value
    const sets = this.#sets
    const { next, accepted } = this.#applyJobs(base)
    if (next === base && !this.#owed) {
      for (const job of accepted) job.resolve(base)
      return
    }
    try {
      await replaceFile(this.#env.files, this.#path, encode(this.#spec.version, next))
    } catch (error) {
      this.#failed(error)
      for (const job of accepted) job.reject(this.#refusal('STORE_UNAVAILABLE', `cannot be written (${errorCode(error)}); nothing was changed`))
      return
    }
    this.#succeeded()
    this.#writtenSets = sets
    this.#value = this.#sets === sets ? next : accepted.filter((job) => !job.whole).reduce((value, job) => reapply(job, value), this.#value)
    for (const job of accepted) job.resolve(this.#value)
  }

  #applyJobs(base: T): { readonly next: T; readonly accepted: readonly Job<T>[] } {
    const accepted: Job<T>[] = []
    let next = base
    for (const job of this.#jobs.splice(0)) {
      try {
        next = job.edit(next)
        accepted.push(job)
      } catch (error) { job.reject(error) }
    }
    return { next, accepted }
  }

  #failed(error: unknown): void {
    this.#failures++
    const code = errorCode(error)
    if (!this.#writeProblem) this.#env.log.error('%s cannot be written (%s); changes are kept in memory and tried again', this.#spec.name, code)
    this.#writeProblem = { file: this.#spec.name, problem: `cannot be written (${code}); changes are kept in memory and tried again`, at: this.#env.time.now() }
  }

  #succeeded(): void {
    if (this.#writeProblem) this.#env.log.info('%s can be written again', this.#spec.name)
    this.#failures = 0
    this.#writeProblem = null
    this.written = true
  }
}

/** An edit that no longer fits what a later `set` brought has been written once already; the later value stands. */
function reapply<T>(job: Job<T>, value: T): T {
  try { return job.edit(value) } catch { return value }
}

function encode(version: number, value: unknown): string {
  return `${JSON.stringify({ version, ...(value as object) }, null, 1)}\n`
}
