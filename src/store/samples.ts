/**
 * The samples of all days. Each is counted in memory at once and appended to its day's lines within half a second; days
 * that are over are sealed, so that a start reads figures instead of lines. One writer, one chain of work.
 */
import { join } from 'node:path'
import type { Sample } from '../contract/metrics.ts'
import { DAY_MS, dayNumber, parseDay, startOfDay } from '../domain/beijing.ts'
import type { DayFigures, Dispose, Log, SampleStore, StoreProblem, Time } from '../ports.ts'
import { breathe, Day, type DayEnv } from './day.ts'
import { errorCode, realFiles, setAside, sweepTemps, type Files } from './files.ts'
import { METRICS_FOLDER } from './layout.ts'
import { importLegacy, IMPORTED_FOLDER } from './legacy-metrics.ts'
import { LineWriter, pieces, startReading, type Told } from './lines.ts'
import { writeLine } from './sample-line.ts'
import { SCRATCH_BYTES } from './summaries.ts'

/** A sample reaches the disk this long after it came, plus the write. */
const WRITE_BEHIND_MS = 400
const RETRY_MS = { first: 1000, most: 60_000 }
/** Samples kept for a disk that cannot be written; beyond it the oldest lines are given up (their figures stay). */
const MOST_PENDING = 20_000
const LOADERS = 8

export interface SamplesOptions {
  /** The data folder, absolute. */
  readonly dir: string
  /** `metrics.json` of the older plugin, read once; absent = nothing to take over. */
  readonly legacyFile?: string
  readonly time: Time
  readonly log: Log
  readonly files?: Files
}

/** Opens the samples of a data folder. Reading goes on behind `ready`; nothing here throws or rejects. */
export function openSamples(options: SamplesOptions): SampleStore {
  return new Samples(options)
}

interface Pending { readonly day: Day; readonly sample: Sample }

class Samples implements SampleStore {
  readonly ready: Promise<void>
  epoch = 0
  readonly #time: Time
  readonly #log: Log
  readonly #files: Files
  readonly #folder: string
  readonly #writer: LineWriter
  readonly #own: DayEnv
  readonly #days = new Map<number, Day>()
  readonly #imported = new Map<number, Day>()
  #order: readonly DayFigures[] | null = null
  #pending: Pending[] = []
  readonly #problems = new Map<string, StoreProblem>()
  #chain: Promise<void>
  #timer: Dispose | null = null
  #midnight: Dispose | null = null
  #failures = 0
  #closed = false

  constructor({ dir, legacyFile, time, log, files = realFiles }: SamplesOptions) {
    this.#time = time
    this.#log = log
    this.#files = files
    this.#folder = join(dir, METRICS_FOLDER)
    this.#writer = new LineWriter(files)
    this.#own = this.#envOf(this.#folder, '')
    this.#chain = this.#load().catch((error: unknown) => this.#trouble(METRICS_FOLDER, `it cannot be read (${errorCode(error)})`))
    this.ready = this.#chain
    this.#then(() => this.#sealPast())
    if (legacyFile !== undefined) this.#then(() => this.#takeOver(legacyFile))
  }

  add(sample: Sample): void {
    const number = dayNumber(sample.at)
    let day = this.#days.get(number)
    if (!day) {
      day = new Day(number, this.#own)
      this.#days.set(number, day)
    }
    if (day.complete) this.#order = null
    day.add(sample)
    if (this.#closed) return
    this.#pending.push({ day, sample })
    if (this.#pending.length > MOST_PENDING) this.#giveUp()
    this.#timer ??= this.#time.after(WRITE_BEHIND_MS, () => { this.#timer = null; this.#then(() => this.#write()) })
  }

  days(): readonly DayFigures[] {
    this.#order ??= [...new Set([...this.#imported.keys(), ...this.#days.keys()])].sort((a, b) => a - b)
      .map((day) => ({ day, parts: [...this.#imported.get(day)?.parts ?? [], ...this.#days.get(day)?.parts ?? []] }))
      .filter(({ parts }) => parts.length > 0)
    return this.#order
  }

  async* lines(since: number | null, until: number | null): AsyncIterable<string> {
    await this.flush()
    const within = (day: Day): boolean => (since === null || day.number >= since) && (until === null || day.number <= until)
    const days = [...this.#imported.values(), ...this.#days.values()].filter(within).sort((a, b) => a.number - b.number)
    for (const day of days) yield* this.#linesOf(day)
  }

  problems(): readonly StoreProblem[] { return [...this.#problems.values()] }

  async flush(): Promise<void> {
    this.#timer?.()
    this.#timer = null
    this.#then(() => this.#write())
    await this.#chain
  }

  async close(): Promise<void> {
    if (this.#closed) return this.#chain
    this.#midnight?.()
    await this.flush()
    this.#closed = true
    this.#timer?.()
    this.#midnight?.()
  }

  /** Work follows work; a piece that fails is told and keeps nothing from following. */
  #then(work: () => Promise<void>): void {
    this.#chain = this.#chain.then(work).catch((error: unknown) => this.#log.error('samples: %o', error))
  }

  #envOf(folder: string, prefix: string): DayEnv {
    return {
      files: this.#files, folder,
      report: (file, problem) => this.#trouble(`${METRICS_FOLDER}/${prefix}${file}`, problem),
      setAside: async (path) => (await setAside(this.#files, path, 'broken', this.#time.now())) !== null,
    }
  }

  #trouble(file: string, problem: string): void {
    if (this.#problems.get(file)?.problem !== problem) this.#log.warn('%s: %s', file, problem)
    this.#problems.set(file, { file, problem, at: this.#time.now() })
  }

  async #load(): Promise<void> {
    await this.#files.mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await sweepTemps(this.#files, this.#folder, this.#time.now())
    await this.#loadFolder(this.#folder, this.#own, this.#days)
    await this.#loadImported()
    this.#waitForMidnight()
  }

  async #loadImported(): Promise<void> {
    const folder = join(this.#folder, IMPORTED_FOLDER)
    await this.#loadFolder(folder, this.#envOf(folder, `${IMPORTED_FOLDER}/`), this.#imported)
  }

  async #loadFolder(folder: string, env: DayEnv, into: Map<number, Day>): Promise<void> {
    let names: string[]
    try { names = await this.#files.readdir(folder) } catch (error) {
      if (errorCode(error) === 'ENOENT') return
      throw error
    }
    const numbers = new Set(names.flatMap((name) => /^(\d{4}-\d{2}-\d{2})\.(?:jsonl|sum)$/.exec(name)?.[1] ?? []).map(parseDay))
    const waiting = [...numbers].filter((number) => number !== null)
    const load = async (): Promise<void> => {
      const scratch = Buffer.allocUnsafe(SCRATCH_BYTES)
      for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
        const day = into.get(number) ?? new Day(number, env)
        into.set(number, day)
        try { await day.load(scratch) } catch (error) { env.report(`${day.name}.jsonl`, `it cannot be read (${errorCode(error)})`) }
      }
    }
    await Promise.all(Array.from({ length: LOADERS }, load))
    this.#changed()
  }

  #changed(): void {
    this.#order = null
    this.epoch++
  }

  /** Days that are over and whose figures are not all sealed. */
  async #sealPast(): Promise<void> {
    const today = dayNumber(this.#time.now())
    for (const day of this.#days.values()) if (day.number < today) await this.#seal(day)
    for (const day of this.#imported.values()) await this.#seal(day)
  }

  async #seal(day: Day): Promise<void> {
    if (day.complete || day.newer || this.#closed) return
    try { await day.seal(() => this.#pendingOf(day)) } catch (error) { this.#trouble(`${METRICS_FOLDER}/${day.name}.sum`, `it cannot be written (${errorCode(error)}); the figures are kept in memory`) }
    this.#changed()
  }

  #pendingOf(day: Day): Sample[] { return this.#pending.filter((one) => one.day === day).map((one) => one.sample) }

  #waitForMidnight(): void {
    if (this.#closed) return
    const now = this.#time.now()
    // A minute late, so that the last calls of the day are in; a day at most, so that a clock that was set is noticed.
    const wait = Math.min(DAY_MS, startOfDay(now) + DAY_MS - now + 60_000)
    this.#midnight = this.#time.after(wait, () => {
      this.#then(() => this.#write())
      this.#then(() => this.#sealPast())
      this.#waitForMidnight()
    })
  }

  async #write(): Promise<void> {
    const batch = this.#pending
    if (batch.length === 0) return
    const byDay = new Map<Day, Sample[]>()
    for (const { day, sample } of batch) {
      const samples = byDay.get(day)
      if (samples) samples.push(sample)
      else byDay.set(day, [sample])
    }
    for (const [day, samples] of byDay) {
      if (day.newer) continue
      try {
        const refusal = await this.#writer.append(day.linesPath, samples.map(writeLine).join(''))
        if (refusal) { day.newer = true; this.#own.report(`${day.name}.jsonl`, `it is of version ${refusal.version}, newer than this plugin; it is left alone, and samples of that day stay in memory`) }
      } catch (error) { return this.#failed(day, error) }
      const done = new Set(samples)
      this.#pending = this.#pending.filter((one) => one.day !== day || !done.has(one.sample))
    }
    this.#pending = this.#pending.filter((one) => !one.day.newer)
    if (this.#failures > 0) { this.#failures = 0; this.#problems.delete(METRICS_FOLDER); this.#log.info('samples are written again') }
  }

  #failed(day: Day, error: unknown): void {
    this.#failures++
    this.#trouble(METRICS_FOLDER, `samples cannot be written (${errorCode(error)}); they are kept in memory and tried again`)
    this.#writer.forget(day.linesPath)
    if (this.#closed) return
    const wait = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** Math.min(10, this.#failures - 1))
    this.#timer ??= this.#time.after(wait, () => {
      this.#timer = null
      this.#then(async () => { await this.#files.mkdir(this.#folder, { recursive: true, mode: 0o700 }).catch(() => { /* the append tells */ }) })
      this.#then(() => this.#write())
    })
  }

  #giveUp(): void {
    const lost = this.#pending.length - MOST_PENDING
    this.#pending = this.#pending.slice(lost)
    this.#trouble(`${METRICS_FOLDER}/`, `more than ${MOST_PENDING} samples wait for the disk; the lines of the oldest are given up, their figures stay until the next start`)
  }

  async #takeOver(file: string): Promise<void> {
    const result = await importLegacy({ files: this.#files, folder: this.#folder, file, now: this.#time.now(), pause: breathe, report: (problem) => this.#trouble('metrics.json', problem) })
    if (result === 'imported') await this.#loadImported()
  }

  /** Text of a day's good lines, a piece at a time; what cannot be read is told and left out. */
  async* #linesOf(day: Day): AsyncIterable<string> {
    const reading = pieces(this.#files, day.linesPath, startReading(0))
    for (;;) {
      let piece: IteratorResult<readonly Told[]>
      try { piece = await reading.next() } catch (error) { return this.#trouble(`${METRICS_FOLDER}/${day.name}.jsonl`, `it cannot be read (${errorCode(error)})`) }
      if (piece.done) break
      const text = piece.value.filter(({ line }) => line.kind === 'sample').map((told) => `${told.text}\n`).join('')
      if (text !== '') yield text
    }
    const unwritten = this.#pendingOf(day).map(writeLine).join('')
    if (unwritten !== '') yield unwritten
  }
}
