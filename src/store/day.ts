/** The samples of one Beijing day: where its files are, and its figures in memory (sealed, taken over, and since). */
import { join } from 'node:path'
import type { Sample } from '../contract/metrics.ts'
import { beijingHour, dayText } from '../domain/beijing.ts'
import type { SealedPart } from '../domain/sealed.ts'
import { Tally, type Part } from '../domain/tally.ts'
import type { Files } from './files.ts'
import { readLines, type ReadReport } from './lines.ts'
import { readSealed, writeSealed } from './summaries.ts'

/** What was found wrong with a file of the day; `file` is its name. */
export type DayReport = (file: string, problem: string) => void

export interface DayEnv {
  readonly files: Files
  readonly folder: string
  readonly report: DayReport
  /** Moves a broken sealed file out of the way; resolves with whether the name is free now. */
  readonly setAside: (path: string) => Promise<boolean>
}

/** Gives other work its turn between two pieces of a long file. */
export const breathe = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve) })

export class Day {
  readonly number: number
  readonly name: string
  readonly #env: DayEnv
  #sealed: SealedPart | null = null
  #since: Tally | null = null
  /** Bytes of the lines that the figures cover. */
  #covers = 0
  /** A newer version owns a file of this day: nothing is written to it. */
  newer = false
  /** Sealing failed for good, or must not be tried. */
  #sealable = true

  constructor(number: number, env: DayEnv) {
    this.number = number
    this.name = dayText(number)
    this.#env = env
  }

  get linesPath(): string { return join(this.#env.folder, `${this.name}.jsonl`) }
  get sealedPath(): string { return join(this.#env.folder, `${this.name}.sum`) }

  /** Nothing is missing in the sealed figures. */
  get complete(): boolean { return this.#since === null }

  get parts(): readonly Part[] { return [this.#sealed, this.#since].filter((part) => part !== null) }

  add(sample: Sample): void {
    this.#since ??= new Tally()
    this.#since.add(sample)
  }

  /** Reads the sealed figures and the lines they do not cover. `scratch` is room to read into. Rejects with the file error. */
  async load(scratch: Buffer): Promise<void> {
    await this.#loadSealed(scratch)
    if (this.#covers > 0 && await this.#nothingNew()) return
    const report = await readLines(this.#env.files, this.linesPath, this.#covers, (line) => { if (line.kind === 'sample') this.add(line.sample) }, breathe)
    this.#covers = Math.max(this.#covers, report.end)
    this.#check(report)
  }

  /**
   * Makes the figures of all lines on disk and keeps them sealed; `pending` are samples that are not on disk yet.
   * Rejects with the file error and changes nothing then.
   */
  async seal(pending: () => Iterable<Sample>): Promise<void> {
    if (!this.#sealable || this.newer) return
    const whole = new Tally()
    const hours = new Map<number, Tally>()
    const report = await readLines(this.#env.files, this.linesPath, 0, (line) => {
      if (line.kind !== 'sample') return
      whole.add(line.sample)
      const hour = beijingHour(line.sample.at)
      const tally = hours.get(hour) ?? new Tally()
      tally.add(line.sample)
      hours.set(hour, tally)
    }, breathe)
    // Figures whose lines somebody has removed stay what they are.
    if (this.#sealed && report.end < this.#covers) return
    this.#sealed = await writeSealed(this.#env.files, this.sealedPath, this.name, report.end, whole, hours)
    this.#covers = report.end
    this.#since = null
    for (const sample of pending()) this.add(sample)
  }

  /** The lines are as long as when they were sealed; asking is much cheaper than opening them. */
  async #nothingNew(): Promise<boolean> {
    try { return (await this.#env.files.lstat(this.linesPath)).size === this.#covers } catch { return false /* reading tells */ }
  }

  async #loadSealed(scratch: Buffer): Promise<void> {
    const sealed = await readSealed(this.#env.files, this.sealedPath, scratch)
    switch (sealed.kind) {
      case 'sealed':
        this.#sealed = sealed.part
        this.#covers = sealed.covers
        return
      case 'absent':
        return
      case 'newer':
        this.#sealable = false
        this.#env.report(`${this.name}.sum`, `it is of version ${sealed.version}, newer than this plugin; the figures are made from the lines, and the file stays as it is`)
        return
      case 'broken': {
        const moved = await this.#env.setAside(this.sealedPath)
        this.#sealable = moved
        this.#env.report(`${this.name}.sum`, `${sealed.why}; ${moved ? 'it was set aside and is' : 'it could not be set aside; the figures are'} made anew from the lines`)
      }
    }
  }

  #check(report: ReadReport): void {
    if (report.newer !== null) {
      this.newer = true
      this.#env.report(`${this.name}.jsonl`, `it is of version ${report.newer}, newer than this plugin; it is left alone, and samples of that day stay in memory`)
    }
    if (report.broken > 0) this.#env.report(`${this.name}.jsonl`, `${report.broken} broken ${report.broken === 1 ? 'line was' : 'lines were'} skipped, the first at line ${report.firstBroken} of those read`)
  }
}
