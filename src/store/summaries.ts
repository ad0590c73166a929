/** Sealed days on disk: written whole or not at all, and read only as far as memory wants them. */
import { constants } from 'node:fs'
import type { Tally } from '../domain/tally.ts'
import { headerLength, openSealed, readHeader, seal, SealedPart, type SealFault, type SealHeader } from '../domain/sealed.ts'
import { errorCode, replaceFile, type Files } from './files.ts'

const FIRST_READ = 64 * 1024

export type Sealed = { readonly kind: 'sealed'; readonly part: SealedPart; readonly covers: number } | { readonly kind: 'absent' } | SealFault

/** Reads the header and the whole-day block of a sealed file, nothing more. Rejects with any file error but a missing file. */
export async function readSealed(files: Files, path: string): Promise<Sealed> {
  let file
  try { file = await files.open(path, constants.O_RDONLY) } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'absent' }
    throw error
  }
  try {
    let bytes = Buffer.alloc(0)
    let ended = false
    const upTo = async (length: number): Promise<void> => {
      const more = Buffer.alloc(Math.max(0, length - bytes.length))
      const { bytesRead } = await file.read(more, 0, more.length, bytes.length)
      ended = bytesRead < more.length
      bytes = Buffer.concat([bytes, more.subarray(0, bytesRead)])
    }
    await upTo(FIRST_READ)
    let head = headerLength(bytes)
    while (head === null && !ended) {
      await upTo(bytes.length * 2)
      head = headerLength(bytes)
    }
    const header: SealHeader | SealFault = head === null ? { kind: 'broken', why: 'it has no header' } : readHeader(bytes.subarray(0, head))
    if ('kind' in header) return header
    const end = (head ?? 0) + (header.blocks[0]?.bytes ?? 0)
    if (bytes.length < end) await upTo(end)
    // A copy: the block starts at a multiple of eight, and the rest of the file does not stay in memory.
    const part = openSealed(header, Uint8Array.from(bytes.subarray(head ?? 0, end)))
    return part instanceof SealedPart ? { kind: 'sealed', part, covers: header.covers } : part
  } finally {
    await file.close()
  }
}

/** Writes the figures of a day; `covers` = bytes of its lines they were made from. Rejects with the file error. */
export async function writeSealed(files: Files, path: string, day: string, covers: number, whole: Tally, hours: ReadonlyMap<number, Tally>): Promise<SealedPart> {
  const bytes = seal(day, covers, whole, hours)
  await replaceFile(files, path, bytes)
  const head = headerLength(bytes) ?? 0
  const header = readHeader(bytes.subarray(0, head))
  if ('kind' in header) throw new Error('a day that was just sealed cannot be read')
  const part = openSealed(header, Uint8Array.from(bytes.subarray(head, head + (header.blocks[0]?.bytes ?? 0))))
  if (part instanceof SealedPart) return part
  throw new Error('a day that was just sealed cannot be read')
}
