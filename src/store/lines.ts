/**
 * Append-only files of lines, one writer. A write that has resolved survives the death of the process; what a death
 * tears is at most the last line, which readers ignore and the next append cuts off.
 */
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { errorCode, type Files } from './files.ts'
import { HEADER_LINE, LINES_VERSION, readLine, type Line } from './sample-line.ts'

const PIECE = 128 * 1024
const NEWLINE = 10
/** No line of ours comes near this; what is longer is garbage and is passed over to the next line feed. */
const LONGEST = 1024 * 1024

type GoodLine = Exclude<Line, { kind: 'broken' }>

/** What stands in the way of appending: the file is of a newer version. */
export interface AppendRefusal { readonly kind: 'newer'; readonly version: number }

/** Why a file was not read to its end, or what was skipped in it. */
export interface ReadReport {
  /** Offset after the last complete line. */
  readonly end: number
  readonly broken: number
  /** Number of the first broken line, counted from 1 where the reading began. */
  readonly firstBroken: number | null
  readonly newer: number | null
}

/**
 * Appends whole lines to one file per path, making it (mode 0600, with its header line) when it is missing. Rejects with
 * the file error; then nothing of `text` counts as written, and a part that got through is cut off before the next try.
 */
export class LineWriter {
  readonly #files: Files
  /** Paths whose end is known to be whole lines of a version we may write. */
  readonly #sound = new Set<string>()

  constructor(files: Files) { this.#files = files }

  async append(path: string, text: string): Promise<AppendRefusal | null> {
    const file = await this.#files.open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600)
    try {
      let { size } = await file.stat()
      if (!this.#sound.has(path) && size > 0) {
        const version = await versionOf(file, size)
        if (version > LINES_VERSION) return { kind: 'newer', version }
        const whole = await lastLineEnd(file, size)
        if (whole < size) await file.truncate(whole)
        size = whole
      }
      this.#sound.delete(path)
      await writeWhole(file, size === 0 ? HEADER_LINE + text : text, size)
      this.#sound.add(path)
      return null
    } finally {
      await file.close()
    }
  }

  /** The file was moved or removed by us: look at it anew. */
  forget(path: string): void { this.#sound.delete(path) }
}

/** All of the text or, as far as the file still ends with our own part of it, nothing. */
async function writeWhole(file: FileHandle, text: string, size: number): Promise<void> {
  const bytes: Uint8Array = Buffer.from(text, 'utf8')
  let written = 0
  try {
    while (written < bytes.length) {
      const { bytesWritten } = await file.write(bytes.subarray(written))
      if (bytesWritten === 0) throw Object.assign(new Error('the disk took nothing'), { code: 'EIO' })
      written += bytesWritten
    }
  } catch (error) {
    await takeBack(file, size, bytes.length).catch(() => { /* what got through stays, whole lines of it are counted twice at worst */ })
    throw error
  }
}

/** Cuts the file back to `size`, unless it grew by more than the `length` bytes we tried to write: then others append too. */
async function takeBack(file: FileHandle, size: number, length: number): Promise<void> {
  const now = (await file.stat()).size
  if (now > size && now <= size + length) await file.truncate(size)
}

/** Version of the file by its first line; a file without a header is of version 1. */
async function versionOf(file: FileHandle, size: number): Promise<number> {
  const head = Buffer.alloc(Math.min(size, 4096))
  await file.read(head, 0, head.length, 0)
  const end = head.indexOf(NEWLINE)
  const line = end < 0 ? null : readLine(head.toString('utf8', 0, end))
  return line?.kind === 'header' ? line.version : LINES_VERSION
}

/** Offset after the last line feed, 0 when there is none. */
async function lastLineEnd(file: FileHandle, size: number): Promise<number> {
  const piece = Buffer.alloc(Math.min(size, PIECE))
  for (let end = size; end > 0; end -= piece.length) {
    const start = Math.max(0, end - piece.length)
    const { bytesRead } = await file.read(piece, 0, end - start, start)
    const last = piece.subarray(0, bytesRead).lastIndexOf(NEWLINE)
    if (last >= 0) return start + last + 1
  }
  return 0
}

/** A line that says something, with its text. */
export interface Told { readonly line: GoodLine; readonly text: string }

/** What is filled in while a file is read. */
export type Reading = { -readonly [K in keyof ReadReport]: ReadReport[K] }

export const startReading = (from: number): Reading => ({ end: from, broken: 0, firstBroken: null, newer: null })

/**
 * Reads the complete lines of a file from an offset on, a piece at a time; `report` is filled in on the way. A torn last
 * line is ignored; broken ones before it are counted and skipped; a file of a newer version ends at once. A missing file
 * is an empty one; rejects with any other file error.
 */
export async function* pieces(files: Files, path: string, report: Reading): AsyncGenerator<readonly Told[]> {
  let file: FileHandle
  try { file = await files.open(path, constants.O_RDONLY) } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw error
  }
  try {
    const reader = new LineReader(report)
    const piece = Buffer.allocUnsafe(PIECE)
    for (let at = report.end; report.newer === null;) {
      const { bytesRead } = await file.read(piece, 0, PIECE, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield reader.take(piece.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

/** The same, line by line; `pause` gives other work its turn after each piece. */
export async function readLines(files: Files, path: string, from: number, each: (line: GoodLine) => void, pause: () => Promise<void>): Promise<ReadReport> {
  const report = startReading(from)
  for await (const piece of pieces(files, path, report)) {
    for (const { line } of piece) each(line)
    await pause()
  }
  return report
}

/** Cuts pieces of a file into lines. */
class LineReader {
  readonly #report: Reading
  #rest: Buffer = Buffer.alloc(0)
  #count = 0
  #passingOver = false

  constructor(report: Reading) { this.#report = report }

  take(piece: Buffer): Told[] {
    const told: Told[] = []
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : piece
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0 && this.#report.newer === null; end = bytes.indexOf(NEWLINE, start)) {
      this.#count++
      if (this.#passingOver) this.#broken()
      else this.#line(bytes.toString('utf8', start, end), told)
      this.#passingOver = false
      start = end + 1
    }
    this.#report.end += start
    // A copy, because the piece is read into again.
    this.#rest = Buffer.from(bytes.subarray(start))
    if (this.#rest.length > LONGEST) {
      this.#report.end += this.#rest.length
      this.#rest = Buffer.alloc(0)
      this.#passingOver = true
    }
    return told
  }

  #line(text: string, told: Told[]): void {
    if (text.trim() === '') return
    const line = readLine(text)
    if (line.kind === 'broken') this.#broken()
    else if (line.kind === 'header' && line.version > LINES_VERSION) this.#report.newer = line.version
    else told.push({ line, text })
  }

  #broken(): void {
    this.#report.broken++
    this.#report.firstBroken ??= this.#count
  }
}
