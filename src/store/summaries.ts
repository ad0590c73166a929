/** Sealed days on disk: written whole or not at all, and read only as far as memory wants them. */
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Tally } from '../domain/tally.ts'
import { headerLength, openSealed, readHeader, seal, SealedPart, type SealFault, type SealHeader } from '../domain/sealed.ts'
import { errorCode, replaceFile, type Files } from './files.ts'

/** Enough for the header and the whole-day block of most days. */
export const SCRATCH_BYTES = 64 * 1024

/** No header and no whole-day block comes near this. */
const LARGEST = 64 * 1024 * 1024

export type Sealed = { readonly kind: 'sealed'; readonly part: SealedPart; readonly covers: number } | { readonly kind: 'absent' } | SealFault

/**
 * Reads the header and the whole-day block of a sealed file, nothing more. `scratch` is room to read into, which may be
 * used again afterwards. Rejects with any file error but a missing file.
 */
export async function readSealed(files: Files, path: string, scratch: Buffer): Promise<Sealed> {
  let file: FileHandle
  try { file = await files.open(path, constants.O_RDONLY) } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'absent' }
    throw error
  }
  try {
    let bytes = await readInto(file, scratch, 0)
    let head = headerLength(bytes)
    for (let room = scratch.length; head === null && bytes.length === room && room < LARGEST; room *= 2) {
      bytes = await longer(file, bytes, room * 2)
      head = headerLength(bytes)
    }
    const header: SealHeader | SealFault = head === null ? { kind: 'broken', why: 'it has no header' } : readHeader(bytes.subarray(0, head))
    if ('kind' in header) return header
    const end = (head ?? 0) + (header.blocks[0]?.bytes ?? 0)
    if (end > LARGEST) return { kind: 'broken', why: 'its header asks for more than such a file ever has' }
    if (bytes.length < end) bytes = await longer(file, bytes, end)
    // A copy: the block starts at a multiple of eight, and the rest of the file does not stay in memory.
    const part = openSealed(header, new Uint8Array(bytes.subarray(head ?? 0, end)))
    return part instanceof SealedPart ? { kind: 'sealed', part, covers: header.covers } : part
  } finally {
    await file.close()
  }
}

/** What the file has from the start of `room` on; shorter than `room` at its end. */
async function readInto(file: FileHandle, room: Buffer, from: number): Promise<Buffer> {
  const { bytesRead } = await file.read(room, from, room.length - from, from)
  return room.subarray(0, from + bytesRead)
}

async function longer(file: FileHandle, bytes: Buffer, length: number): Promise<Buffer> {
  const room = Buffer.alloc(length)
  bytes.copy(room)
  return readInto(file, room, bytes.length)
}

/** Writes the figures of a day; `covers` = bytes of its lines they were made from. Rejects with the file error. */
export async function writeSealed(files: Files, path: string, day: string, covers: number, whole: Tally, hours: ReadonlyMap<number, Tally>): Promise<SealedPart> {
  const bytes = seal(day, covers, whole, hours)
  await replaceFile(files, path, bytes)
  const head = headerLength(bytes) ?? 0
  const header = readHeader(bytes.subarray(0, head))
  if ('kind' in header) throw new Error('a day that was just sealed cannot be read')
  const part = openSealed(header, new Uint8Array(bytes.subarray(head, head + (header.blocks[0]?.bytes ?? 0))))
  if (part instanceof SealedPart) return part
  throw new Error('a day that was just sealed cannot be read')
}
