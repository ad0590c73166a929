/** Repeats a load while somebody watches and the tab is visible; never two at a time. */
import { effect, untracked } from '@preact/signals'
import type { Clock } from './clock.ts'

export interface Poll {
  /** Begins (or joins) the watching; the answer ends it. The first watcher causes a load at once. */
  watch(): () => void
}

/** `run` never rejects; the pause of `ms` begins when it is through. */
export function createPoll(clock: Clock, ms: number, run: () => Promise<void> | void): Poll {
  let watchers = 0
  let round = 0
  let callOff: (() => void) | null = null
  let end: (() => void) | null = null

  const stop = (): void => {
    round += 1
    callOff?.()
    callOff = null
  }
  const go = async (mine: number): Promise<void> => {
    await run()
    if (mine === round) callOff = clock.after(ms, () => void go(mine))
  }
  const begin = (): void => {
    end = effect(() => {
      if (!clock.visible.value) return undefined
      untracked(() => {
        round += 1
        void go(round)
      })
      return stop
    })
  }
  return {
    watch: () => {
      watchers += 1
      if (watchers === 1) begin()
      let left = false
      return () => {
        if (left) return
        left = true
        watchers -= 1
        if (watchers === 0) {
          end?.()
          end = null
        }
      }
    },
  }
}
