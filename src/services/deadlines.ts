/** Many short deadlines behind one timer: setting and dropping one costs a set insertion, no timer of its own. */
import type { Dispose, Time } from '../ports.ts'

/** `due` is an instant of the steady clock (ms). */
export interface Deadline { readonly due: number; readonly run: () => void }

export interface Deadlines {
  /** Runs `run` once, at or shortly after `due` (steady clock, ms), unless it is dropped before. */
  set(due: number, run: () => void): Deadline
  /** Forgets a deadline; one that has run or was dropped before is ignored. */
  drop(deadline: Deadline): void
  /** Forgets all of them and the timer. */
  dispose(): void
}

/** The timer is armed for the earliest deadline known and armed anew only when an earlier one comes or it has fired. */
export function createDeadlines(time: Time): Deadlines {
  const waiting = new Set<Deadline>()
  let armed: Dispose | null = null
  let armedFor = Number.POSITIVE_INFINITY

  const arm = (due: number): void => {
    armed?.()
    armedFor = due
    armed = time.after(Math.max(0, due - time.mono()), fire)
  }
  const fire = (): void => {
    armed = null
    armedFor = Number.POSITIVE_INFINITY
    const now = time.mono()
    const due = [...waiting].filter((deadline) => deadline.due <= now)
    for (const deadline of due) {
      if (waiting.delete(deadline)) deadline.run()
    }
    let next = Number.POSITIVE_INFINITY
    for (const deadline of waiting) next = Math.min(next, deadline.due)
    if (next < armedFor) arm(next)
  }
  return {
    set: (due, run) => {
      const deadline = { due, run }
      waiting.add(deadline)
      if (due < armedFor) arm(due)
      return deadline
    },
    drop: (deadline) => { waiting.delete(deadline) },
    dispose: () => {
      waiting.clear()
      armed?.()
      armed = null
      armedFor = Number.POSITIVE_INFINITY
    },
  }
}
