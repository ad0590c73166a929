/** Time under the hand of a test: a wall clock, a clock that never jumps, and timers that fire only inside `advance`. */
import type { Dispose, Time } from '../../src/ports.ts'

interface Timer { readonly at: number; readonly order: number; readonly run: () => void }

export class ManualTime implements Time {
  #wall: number
  #mono = 1000
  #order = 0
  readonly #timers = new Set<Timer>()

  /** @param start epoch ms; default 2025-03-03 12:00 Beijing. */
  constructor(start = Date.UTC(2025, 2, 3, 4)) {
    this.#wall = start
  }

  now(): number { return this.#wall }

  mono(): number { return this.#mono }

  after(ms: number, run: () => void): Dispose {
    const timer: Timer = { at: this.#mono + Math.max(0, ms), order: this.#order++, run }
    this.#timers.add(timer)
    return () => { this.#timers.delete(timer) }
  }

  /** Timers that wait now. */
  get pending(): number { return this.#timers.size }

  /** Moves both clocks by `ms`; due timers run in order, each at its own instant, also those set meanwhile. */
  advance(ms: number): void {
    const end = this.#mono + ms
    for (let next = this.#due(end); next; next = this.#due(end)) {
      this.#move(next.at)
      this.#timers.delete(next)
      next.run()
    }
    this.#move(end)
  }

  /**
   * The same, with pending promises settled after each timer, for code that awaits between its timers. `step` > 0 settles
   * less often: whatever falls due within so many ms runs first.
   */
  async run(ms: number, step = 0): Promise<void> {
    const end = this.#mono + ms
    await settle()
    while (this.#mono < end) {
      this.advance(Math.min(end, Math.max(this.#due(end)?.at ?? end, this.#mono + step)) - this.#mono)
      await settle()
    }
  }

  /** The wall clock is set by hand, forward or back; timers and the steady clock do not notice. */
  jumpWall(ms: number): void { this.#wall += ms }

  /** The machine sleeps: the wall goes on, the steady clock and the timers stand still. */
  sleep(ms: number): void { this.#wall += ms }

  /** Both clocks go on but timers come late, all at the end: a busy process, or a sleep that the steady clock counts. */
  stall(ms: number): void {
    this.#move(this.#mono + ms)
    for (let next = this.#due(this.#mono); next; next = this.#due(this.#mono)) {
      this.#timers.delete(next)
      next.run()
    }
  }

  #move(mono: number): void {
    this.#wall += mono - this.#mono
    this.#mono = mono
  }

  #due(end: number): Timer | null {
    let first: Timer | null = null
    for (const timer of this.#timers) {
      if (timer.at > end) continue
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer
    }
    return first
  }
}

/** Lets promises that are ready run, including chains of them. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 4; round++) await new Promise<void>((resolve) => { setImmediate(resolve) })
}
