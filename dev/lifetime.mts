// What must not outlive this process: children and temporary folders, also when it is interrupted or its parent dies.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const last: Set<() => void> = new Set()
let guarded = false

/** Interrupts and the parent's death become an ordinary exit, so that the exit handlers run. */
function guard(): void {
  if (guarded) return
  guarded = true
  process.once('exit', () => {
    for (const act of [...last].toReversed()) {
      try {
        act()
      } catch { /* nobody is left to tell, and the other acts must run */ }
    }
  })
  for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]] as const) process.once(signal, () => process.exit(code))
  // A signal to npm ends npm and its shell, but never reaches this process: notice that the parent changed.
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.exit(143)
  }, 500).unref()
}

/** Runs `act` (synchronous) when the process ends, newest first. Call the returned function once it is no longer needed. */
export function atExit(act: () => void): () => void {
  guard()
  last.add(act)
  return () => last.delete(act)
}

/** A temporary folder that goes with the process; `remove` deletes it earlier. */
export function temporaryFolder(name: string): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `mf-${name}-`))
  const erase = () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  const forget = atExit(erase)
  return {
    path,
    remove: () => {
      forget()
      erase()
    },
  }
}
