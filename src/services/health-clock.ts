/** Both clocks of the health service, read together, and the heartbeat that notices a sleep nobody called during. */
import type { Moment } from '../domain/ledger.ts'
import { firstSense, inGrace, JUMP_MS, look, spansJump, type ClockSense } from '../domain/suspend.ts'
import type { Outcome } from '../domain/view.ts'
import type { Dispose, Time } from '../ports.ts'

const HEARTBEAT_MS = 10_000
/** A wall clock that was set by more than this shifts every instant that was told as epoch ms. */
const SHIFT_MS = 1000

export interface ClockParts {
  readonly time: Time
  /** The machine slept or the clock was set by more than 30 s. */
  readonly woke: (moment: Moment) => void
  /** The clock was set by less. */
  readonly shifted: () => void
  readonly beat: (moment: Moment) => void
}

export class HealthClock {
  readonly #parts: ClockParts
  #sense: ClockSense
  #heartbeat: Dispose | null = null

  constructor(parts: ClockParts) {
    this.#parts = parts
    this.#sense = firstSense({ now: parts.time.now(), mono: parts.time.mono() })
  }

  /** Wall minus steady clock, ms, as last seen. */
  get offset(): number { return this.#sense.offset }

  /** The clocks now; a jump since the last look is dealt with before this returns. */
  moment(): Moment {
    const moment = { now: this.#parts.time.now(), mono: this.#parts.time.mono() }
    const before = this.#sense.offset
    const { sense, jumped } = look(this.#sense, moment)
    this.#sense = sense
    if (jumped) this.#parts.woke(moment)
    else if (Math.abs(sense.offset - before) > SHIFT_MS) this.#parts.shifted()
    return moment
  }

  inGrace(mono: number): boolean {
    return inGrace(this.#sense, mono)
  }

  spansJump(outcome: Outcome): boolean {
    return spansJump(outcome, this.#sense)
  }

  /** Some systems let the steady clock run through a sleep; there only a heartbeat that comes late tells of it. */
  start(): void {
    const due = this.#parts.time.mono() + HEARTBEAT_MS
    this.#heartbeat = this.#parts.time.after(HEARTBEAT_MS, () => {
      const moment = this.moment()
      if (moment.mono - due > JUMP_MS && this.#sense.jumpedAt < moment.mono) {
        this.#sense = { ...this.#sense, jumpedAt: moment.mono }
        this.#parts.woke(moment)
      }
      this.#parts.beat(moment)
      this.start()
    })
  }

  stop(): void {
    this.#heartbeat?.()
    this.#heartbeat = null
  }
}
