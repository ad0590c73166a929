/**
 * Sleep and set clocks: the wall clock and the steady clock must advance together. When they part by more than 30 s the
 * machine slept (or the clock was set), and whatever ran across that moment says nothing about its route.
 */
import type { Moment } from './ledger.ts'

export const JUMP_MS = 30_000
export const GRACE_MS = 15_000

export interface ClockSense {
  /** Wall minus steady clock as last seen (ms). */
  readonly offset: number
  /** Steady instant at which the last jump was noticed. */
  readonly jumpedAt: number
}

export function firstSense(moment: Moment): ClockSense {
  return { offset: moment.now - moment.mono, jumpedAt: Number.NEGATIVE_INFINITY }
}

/** Looks at both clocks. `jumped` = they parted by more than 30 s since the last look, in either direction. */
export function look(sense: ClockSense, moment: Moment): { readonly sense: ClockSense; readonly jumped: boolean } {
  const offset = moment.now - moment.mono
  if (offset === sense.offset) return { sense, jumped: false }
  const jumped = Math.abs(offset - sense.offset) > JUMP_MS
  return { sense: { offset, jumpedAt: jumped ? moment.mono : sense.jumpedAt }, jumped }
}

/** Network and upstreams get 15 s after a jump before a failure is anybody's fault. */
export function inGrace(sense: ClockSense, mono: number): boolean {
  return mono - sense.jumpedAt < GRACE_MS
}

/** Whether a call ran across a jump, by its own clocks or by the last jump that was noticed. */
export function spansJump(call: { readonly startedAt: number; readonly endedAt: number; readonly startedMono: number; readonly endedMono: number }, sense: ClockSense): boolean {
  const parted = Math.abs(call.endedAt - call.startedAt - (call.endedMono - call.startedMono)) > JUMP_MS
  return parted || (call.startedMono < sense.jumpedAt && call.endedMono >= sense.jumpedAt)
}
