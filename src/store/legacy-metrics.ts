/**
 * Takes over the samples of an older plugin's single file, once and without writing to it: they become day files of
 * their own in a folder of their own, which appears with all of them in one rename or not at all.
 */
import { constants } from 'node:fs'
import { join } from 'node:path'
import type { Sample } from '../contract/metrics.ts'
import { dayNumber, dayText } from '../domain/beijing.ts'
import { Day } from './day.ts'
import { errorCode, type Files } from './files.ts'
import { JsonWalk } from './json-walk.ts'
import { readLegacySample } from './legacy-sample.ts'
import { LineWriter } from './lines.ts'
import { writeLine } from './sample-line.ts'

/** Folder of the samples taken over, inside the metrics folder. */
export const IMPORTED_FOLDER = 'imported'
/** A larger file is left where it is and named. */
export const LARGEST_LEGACY = 200 * 1024 * 1024
const PIECE = 64 * 1024
const FLUSH_CHARS = 4 * 1024 * 1024

export interface LegacyImport {
  readonly files: Files
  /** The metrics folder. */
  readonly folder: string
  /** The older plugin's `metrics.json`. */
  readonly file: string
  readonly now: number
  /** Gives other work its turn. */
  readonly pause: () => Promise<void>
  readonly report: (problem: string) => void
}

/** Resolves with what happened; never rejects. */
export async function importLegacy(job: LegacyImport): Promise<'imported' | 'nothing' | 'left'> {
  const { files, folder, file, report } = job
  if (await exists(files, join(folder, IMPORTED_FOLDER))) return 'nothing'
  let size: number
  try { size = (await files.lstat(file)).size } catch { return 'nothing' /* no older plugin */ }
  if (size > LARGEST_LEGACY) {
    report(`${file} has ${Math.round(size / 1024 / 1024)} MB, more than ${LARGEST_LEGACY / 1024 / 1024} MB; it is left and not taken over`)
    return 'left'
  }
  const part = join(folder, `${IMPORTED_FOLDER}.part`)
  try {
    await files.rm(part, { recursive: true, force: true })
    await files.mkdir(part, { recursive: true, mode: 0o700 })
    await new LegacyRun(job, part).run()
    await files.rename(part, join(folder, IMPORTED_FOLDER))
    return 'imported'
  } catch (error) {
    report(`${file} cannot be taken over (${errorCode(error)}); the next start tries again`)
    await files.rm(part, { recursive: true, force: true }).catch(() => { /* the next start removes it */ })
    return 'left'
  }
}

class LegacyRun {
  readonly #job: LegacyImport
  readonly #part: string
  readonly #writer: LineWriter
  readonly #lines = new Map<number, string[]>()
  readonly #days = new Set<number>()
  #chars = 0
  #skipped = 0

  constructor(job: LegacyImport, part: string) {
    this.#job = job
    this.#part = part
    this.#writer = new LineWriter(job.files)
  }

  async run(): Promise<void> {
    const walk = new JsonWalk((text, keys) => this.#take(text, keys))
    await this.#read(walk)
    await this.#flush()
    for (const number of this.#days) await this.#seal(number)
    if (this.#days.size === 0) this.#job.report(`${this.#job.file}: no samples were found in it`)
    else if (this.#skipped > 0 || !walk.whole) this.#job.report(`${this.#job.file}: ${this.#skipped} entries without a route or a time were left out${walk.whole ? '' : '; the file ends too early'}`)
  }

  async #read(walk: JsonWalk): Promise<void> {
    const { files, file, pause } = this.#job
    const handle = await files.open(file, constants.O_RDONLY)
    try {
      const decoder = new TextDecoder()
      const piece = Buffer.alloc(PIECE)
      for (;;) {
        const { bytesRead } = await handle.read(piece, 0, PIECE, null)
        if (bytesRead === 0) return
        walk.take(decoder.decode(piece.subarray(0, bytesRead), { stream: true }))
        if (this.#chars > FLUSH_CHARS) await this.#flush()
        await pause()
      }
    } finally {
      await handle.close()
    }
  }

  #take(text: string, keys: readonly string[]): void {
    let sample: Sample | null = null
    try { sample = readLegacySample(JSON.parse(text), keys, this.#job.now) } catch { /* counted below like any other entry we cannot use */ }
    if (!sample) {
      this.#skipped++
      return
    }
    const number = dayNumber(sample.at)
    const line = writeLine(sample)
    const lines = this.#lines.get(number)
    if (lines) lines.push(line)
    else this.#lines.set(number, [line])
    this.#chars += line.length
  }

  async #flush(): Promise<void> {
    for (const [number, lines] of this.#lines) {
      await this.#writer.append(join(this.#part, `${dayText(number)}.jsonl`), lines.join(''))
      this.#days.add(number)
    }
    this.#lines.clear()
    this.#chars = 0
  }

  async #seal(number: number): Promise<void> {
    await new Day(number, { files: this.#job.files, folder: this.#part, report: () => {}, setAside: () => Promise.resolve(false) }).seal(() => [])
  }
}

async function exists(files: Files, path: string): Promise<boolean> {
  try {
    await files.lstat(path)
    return true
  } catch { return false /* the usual case */ }
}
