/** Disks that fail: a small one that fills up and one that takes no writes. They need root and Linux; elsewhere `null` says so. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  readonly path: string
  /** Takes all the room that is left. */
  fill(): void
  /** Gives it back. */
  free(): void
  /** Lets nobody write any more, or lets them again. */
  lock(readOnly: boolean): void
  remove(): void
}

const sudo = (command: string, args: readonly string[]): boolean => spawnSync(command, args, { stdio: 'ignore' }).status === 0

/** A disk of 256 KiB, or null where this process may not mount one. */
export function smallDisk(): SmallDisk | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  const folder = mkdtempSync(join(tmpdir(), 'mf-disk-'))
  const path = join(folder, 'disk')
  mkdirSync(path)
  if (!sudo('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=0700', 'tmpfs', path])) {
    rmSync(folder, { recursive: true })
    return null
  }
  const filler = join(path, 'filler')
  return {
    path,
    fill() {
      const { bavail, bsize } = statfsSync(path)
      // The last blocks go one by one: what the file system keeps for itself is not known.
      for (let size = bavail * bsize, part = 0; size >= 1; part += 1) {
        try { writeFileSync(`${filler}-${part}`, Buffer.alloc(size)) } catch { size = Math.floor(size / 2) /* less fits */ }
        if (statfsSync(path).bavail === 0) break
      }
    },
    free() {
      for (let part = 0; part < 64; part += 1) rmSync(`${filler}-${part}`, { force: true })
    },
    lock(readOnly) {
      if (!sudo('mount', ['-o', `remount,${readOnly ? 'ro' : 'rw'}`, path])) throw new Error('the disk cannot be mounted anew')
    },
    remove() {
      if (!sudo('umount', [path])) sudo('umount', ['-l', path])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
