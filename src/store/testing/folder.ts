/** Stand-ins for tests of this folder: a data folder that goes away, a log that remembers, file operations that fail on order. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../ports.ts'
import { realFiles, type Files } from '../files.ts'

/** A fresh folder, and its removal. */
export async function tempFolder(): Promise<{ readonly dir: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'model-failover-'))
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) }
}

/** A log that keeps its lines as texts. */
export function memoryLog(): Log & { readonly lines: string[] } {
  const lines: string[] = []
  const write = (level: string) => (format: string, ...facts: readonly unknown[]): void => { lines.push(`${level} ${format} ${facts.map(String).join(' ')}`) }
  return { lines, info: write('info'), warn: write('warn'), error: write('error') }
}

export function fileError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: as the test wants it`), { code })
}

/** Real file operations, of which those named in `broken` reject with that code as long as they are named. */
export function failingFiles(broken: Map<keyof Files, string>): Files {
  const wrapped: Record<string, unknown> = {}
  for (const [name, operation] of Object.entries(realFiles)) {
    wrapped[name] = (...args: readonly unknown[]): unknown => {
      const code = broken.get(name as keyof Files)
      return code === undefined ? (operation as (...given: readonly unknown[]) => unknown)(...args) : Promise.reject(fileError(code))
    }
  }
  return wrapped as unknown as Files
}
