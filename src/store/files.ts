/** Files that are replaced whole: after a crash at any instant the old or the new content is there, never a mixture. */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { constants } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The file operations in use; tests put failing ones in their place. */
export type Files = Pick<typeof fs, 'open' | 'rename' | 'rm' | 'mkdir' | 'readFile' | 'readdir' | 'lstat' | 'copyFile'>

export const realFiles: Files = fs

/** Tells temporary files of this process from those a process of the same number left behind. */
const LIFE = randomBytes(6).toString('hex')
/** A write takes no ten minutes; an older temporary file has no owner any more, whatever its name says. */
const STALE_MS = 600_000
let serial = 0

/** The code of a file error (`ENOENT`, …), or the text of anything else. */
export function errorCode(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') return error.code
  return error instanceof Error ? error.message : String(error)
}

/**
 * Writes `text` beside `path` (exclusive, mode 0600), syncs it, and renames it over `path`. Makes the folder (0700) if
 * it is missing. Rejects with the file error; then `path` is as it was and no temporary file is left.
 */
export async function replaceFile(files: Files, path: string, text: string | Uint8Array): Promise<void> {
  const temp = join(dirname(path), `.${basename(path)}.${process.pid}-${LIFE}-${serial++}.tmp`)
  try {
    await writeSynced(files, temp, text)
    await files.rename(temp, path)
  } catch (error) {
    await files.rm(temp, { force: true }).catch(() => { /* the sweep at the next opening takes it */ })
    throw error
  }
  await syncFolder(files, dirname(path))
}

async function writeSynced(files: Files, path: string, text: string | Uint8Array): Promise<void> {
  const file = await openNew(files, path)
  try {
    await file.writeFile(text, 'utf8')
    await file.sync()
  } finally {
    await file.close()
  }
}

async function openNew(files: Files, path: string): Promise<fs.FileHandle> {
  try {
    return await files.open(path, 'wx', 0o600)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  await files.mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return files.open(path, 'wx', 0o600)
}

/** The rename has happened by now, so a folder that cannot be synced (Windows, some network disks) fails nothing. */
async function syncFolder(files: Files, folder: string): Promise<void> {
  let handle: fs.FileHandle
  try { handle = await files.open(folder, constants.O_RDONLY) } catch { return /* folders cannot be opened here */ }
  try { await handle.sync() } catch { /* folders cannot be synced here */ } finally { await handle.close().catch(() => undefined) }
}

/**
 * Moves a file away to `<path>.<label>-<time>` (mode and content untouched), or copies it when it cannot be renamed.
 * Never overwrites: a taken name gets a number. Resolves with the new path, or null if neither worked.
 */
export async function setAside(files: Files, path: string, label: string, now: number): Promise<string | null> {
  const target = await freeName(files, `${path}.${label}-${stamp(now)}`)
  try {
    await files.rename(path, target)
    return target
  } catch { /* a copy keeps the content as well */ }
  try {
    await files.copyFile(path, target, constants.COPYFILE_EXCL)
    return target
  } catch { return null /* the caller must not write over the file then */ }
}

async function freeName(files: Files, wanted: string): Promise<string> {
  for (let count = 1; count < 1000; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`
    try { await files.lstat(name) } catch { return name /* nothing there */ }
  }
  return `${wanted}-${randomBytes(8).toString('hex')}`
}

/** `2025-03-03T04-00-00-000Z`: sorts by time and is a legal file name everywhere. */
function stamp(now: number): string {
  return new Date(now).toISOString().replaceAll(/[:.]/g, '-')
}

/** Removes temporary files whose writer is gone. Never rejects. */
export async function sweepTemps(files: Files, folder: string, now: number): Promise<void> {
  let names: string[]
  try { names = await files.readdir(folder) } catch { return /* no folder, nothing to sweep */ }
  for (const name of names) {
    const match = /^\.(.+)\.(\d+)-([0-9a-f]{12})-\d+\.tmp$/.exec(name)
    if (!match || !(await abandoned(files, join(folder, name), Number(match[2]), match[3] ?? '', now))) continue
    await files.rm(join(folder, name), { force: true }).catch(() => { /* it stays until the next opening */ })
  }
}

async function abandoned(files: Files, path: string, pid: number, life: string, now: number): Promise<boolean> {
  if (pid === process.pid ? life !== LIFE : !alive(pid)) return true
  try { return (await files.lstat(path)).mtimeMs < now - STALE_MS } catch { return false /* its writer has just finished */ }
}

function alive(pid: number): boolean {
  try { return process.kill(pid, 0) } catch (error) { return errorCode(error) === 'EPERM' }
}
