/** The process's own clocks, a silent log and a folder of its own, for benchmarks of code that takes them through ports. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log, Time } from '../src/ports.ts'

export const time: Time = {
  now: () => Date.now(),
  mono: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

export const quiet: Log = { info: () => {}, warn: () => {}, error: (...facts) => { console.error(...facts) } }

/** A new folder and what removes it. */
export function folder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'model-failover-bench-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
