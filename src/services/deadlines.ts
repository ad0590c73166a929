/** Many short deadlines behind one timer: setting and dropping one costs a set insertion, no timer of its own. */
import type { Dispose, Time } from '../ports.ts'

/** What is told that its time is over. */
export interface Late { late(): void }

/** `due` is an instant of the steady clock (ms); `place` is kept by the owner of all deadlines, −1 once it is over. */
export interface Deadline { readonly due: number; readonly whose: Late; place: number }

export interface Deadlines {
  /** Tells `whose` once, at or shortly after `due` (steady clock, ms), unless it is dropped before. */
  set(due: number, whose: Late): Deadline
  /** Forgets a deadline; one that has run or was dropped before is ignored. */
  drop(deadline: Deadline): void
  /** Forgets all of them and the timer. */
  dispose(): void
}

/** The timer is armed for the earliest deadline known and armed anew only when an earlier one comes or it has fired. */
export function createDeadlines(time: Time): Deadlines {
  // No order; each deadline knows its place, so that the last one can take it.
  const waiting: Deadline[] = []
  let armed: Dispose | null = null
  let armedFor = Number.POSITIVE_INFINITY

  const arm = (due: number): void => {
    armed?.()
    armedFor = due
    armed = time.after(Math.max(0, due - time.mono()), fire)
  }
  const drop = (deadline: Deadline): void => {
    const { place } = deadline
    if (place < 0) return
    deadline.place = -1
    const last = waiting.pop()
    if (!last || last === deadline) return
    waiting[place] = last
    last.place = place
  }
  const fire = (): void => {
    armed = null
    armedFor = Number.POSITIVE_INFINITY
    const now = time.mono()
    const due = waiting.filter((deadline) => deadline.due <= now).sort((a, b) => a.due - b.due)
    for (const deadline of due) {
      if (deadline.place < 0) continue
      drop(deadline)
      deadline.whose.late()
    }
    let next = Number.POSITIVE_INFINITY
    for (const deadline of waiting) next = Math.min(next, deadline.due)
    if (next < armedFor) arm(next)
  }
  return {
    set: (due, whose) => {
      const deadline: Deadline = { due, whose, place: waiting.length }
      waiting.push(deadline)
      if (due < armedFor) arm(due)
      return deadline
    },
    drop,
    dispose: () => {
      for (const deadline of waiting) deadline.place = -1
      waiting.length = 0
      armed?.()
      armed = null
      armedFor = Number.POSITIVE_INFINITY
    },
  }
}
