/** The only door to time, timers and the page's visibility; tests put a clock of their own in its place. */
import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'

export interface Clock {
  /** Epoch ms of this machine. */
  now(): number
  /** Runs once after `ms`; answers how to call it off. */
  after(ms: number, run: () => void): () => void
  /** False while the tab is hidden. */
  readonly visible: ReadonlySignal<boolean>
}

/** The clock of a page; `close` takes its listener away. */
export function pageClock(page: Document): Clock & { close(): void } {
  const visible = signal(!page.hidden)
  const look = (): void => { visible.value = !page.hidden }
  page.addEventListener('visibilitychange', look)
  return {
    visible,
    now: () => Date.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
    close: () => page.removeEventListener('visibilitychange', look),
  }
}
