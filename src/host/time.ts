/** The real clock and timers behind the Time port. Timers never keep the host alive and die with `close`. */
import { performance } from 'node:perf_hooks'
import type { Dispose, Log, Time } from '../ports.ts'

const LONGEST_MS = 2_147_483_647

/** Time of this process; `close` cancels every timer that still waits. What a timer throws is logged: uncaught it would end the host. */
export function processTime(log: Pick<Log, 'error'>): Time & { close: Dispose } {
  const waiting = new Set<NodeJS.Timeout>()
  const guarded = (run: () => void): void => {
    try { run() } catch (error) { log.error('what a timer should have done failed: %o', error) }
  }
  return {
    now: () => Date.now(),
    mono: () => performance.now(),
    after(ms, run) {
      const timer = setTimeout(() => { waiting.delete(timer); guarded(run) }, Math.min(Math.max(0, ms), LONGEST_MS))
      timer.unref()
      waiting.add(timer)
      return () => { waiting.delete(timer); clearTimeout(timer) }
    },
    close() {
      for (const timer of waiting) clearTimeout(timer)
      waiting.clear()
    },
  }
}
