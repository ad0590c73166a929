/** A clock that stands still until it is told to go on. */
import { signal } from '@preact/signals'
import type { Clock } from '../model/clock.ts'
import { NOW } from './builders.ts'

export interface ManualClock extends Clock {
  /** Lets time pass and everything due run, with what it awaits. */
  advance(ms: number): Promise<void>
  show(visible: boolean): void
  /** Timers that wait. */
  readonly waiting: number
}

/** Lets everything that is ready go on: a few turns of the event loop, no waiting. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => { setTimeout(resolve) })
}

export function manualClock(): ManualClock {
  let now = NOW
  const timers = new Map<object, { readonly at: number; readonly run: () => void }>()
  const visible = signal(true)
  return {
    visible,
    now: () => now,
    after: (ms, run) => {
      const id = {}
      timers.set(id, { at: now + ms, run })
      return () => timers.delete(id)
    },
    show: (is) => { visible.value = is },
    get waiting() { return timers.size },
    advance: async (ms) => {
      const end = now + ms
      for (;;) {
        await settle()
        const next = [...timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0]
        if (!next) break
        const [id, { at, run }] = next
        timers.delete(id)
        now = at
        run()
      }
      now = end
    },
  }
}
