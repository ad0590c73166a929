/**
 * The books of one model call: its slot, its clock, its usage, and the one `CallEnd` that comes of it.
 * The clock is read when the request is sent, at the first decisive frame and at the end, never between.
 */
import { failureOf, follow, inBandError, NO_ANSWER, type Answer } from '../domain/frames.ts'
import type { Chunk, FinishReason, HostFailure, Usage } from '../ports.ts'
import type { CallEnd, CallHooks } from './call-end.ts'
import type { Admission, Holder, Slot } from './slot.ts'
import type { Deadline, Late } from './deadlines.ts'

export type Finish = Extract<Chunk, { type: 'finish' }>

export const errorFrame = (failure: HostFailure): Finish => ({ type: 'finish', reason: { kind: 'error', failure } })

const TIMED_OUT = {
  sent: { code: 'TIMEOUT', message: 'no complete answer within the time limit of the call' },
  queued: { code: 'CAPACITY_TIMEOUT', message: 'no free slot for this model within the time limit of the call' },
} as const

const isTimeout = (reason: unknown): boolean => typeof reason === 'object' && reason !== null && 'name' in reason && reason.name === 'TimeoutError'

export class CallAccount implements Holder {
  readonly hooks: CallHooks
  /** The call has ended and was reported. */
  booked = false
  /** The answer may still turn out to be an error. */
  follows: boolean
  #slot: Slot | null = null
  #waitMs = 0
  #startedAt = 0
  #startedMono = 0
  #firstMono = -1
  #usage: Usage | null = null
  #answer: Answer = NO_ANSWER
  #deadline: Deadline | null = null

  constructor(hooks: CallHooks) {
    this.hooks = hooks
    this.follows = hooks.inBandRule != null
  }

  get aborted(): boolean { return this.hooks.signal?.aborted === true }

  /** A decisive frame has been seen. */
  get decided(): boolean { return this.#firstMono >= 0 }

  /** The request is sent, or begins to wait for a slot. */
  start(): void {
    const { time } = this.hooks
    this.#startedAt = time.now()
    this.#startedMono = time.mono()
  }

  /** The wait is over, with a slot or without one. */
  admitted(admission: Admission): void {
    this.#waitMs = admission.waitMs
    if (admission.kind !== 'admitted') return
    this.#slot = admission
    admission.holder = this
  }

  reclaimed(why: 'abandoned' | 'aborted'): void {
    this.book(why === 'abandoned' ? 'abandoned' : 'returned', null, null)
  }

  /** Runs `late` unless something decisive comes within the gate's limit. */
  limit(late: Late): void {
    const { gate, gateTimeoutMs, deadlines } = this.hooks
    if (gate && gateTimeoutMs > 0) this.#deadline = deadlines.set(this.#startedMono + gateTimeoutMs, late)
  }

  /** A read is outstanding: the reader is there, and the model is at work. */
  reading(): void { if (this.#slot) this.#slot.beat |= 1 }

  /** The read has been answered; from now on the reader's silence counts. */
  answered(): void { if (this.#slot) this.#slot.beat = (this.#slot.beat | 1) + 1 }

  observe(chunk: Chunk): void {
    if (chunk.type === 'usage') this.#usage = chunk.usage
    if (!this.follows) return
    this.#answer = follow(this.#answer, chunk)
    if (this.#answer.kind === 'over') this.follows = false
  }

  first(): void {
    const { time, onFirst } = this.hooks
    this.#firstMono = time.mono()
    this.#dropDeadline()
    try { onFirst?.(this.#firstMono - this.#startedMono) } catch (error) { this.fault(error) }
  }

  /** Books a finish; an answer that was an error in disguise goes out as that error. */
  finished(chunk: Finish): Finish {
    const rule = this.hooks.inBandRule
    const disguised = rule && this.follows && !this.aborted ? this.guard(() => inBandError(this.#answer, chunk.reason, rule)) ?? null : null
    this.book('finish', chunk.reason, disguised ?? failureOf(chunk.reason))
    return this.failing(disguised ? errorFrame(disguised) : chunk)
  }

  /** Ends the call once: the slot goes back, then the end is told. */
  book(how: CallEnd['how'], finish: FinishReason | null, failure: HostFailure | null): void {
    if (this.booked) return
    this.booked = true
    this.#dropDeadline()
    const slot = this.#slot
    this.#slot = null
    if (slot) {
      slot.holder = null
      slot.release()
    }
    const { time, onEnd } = this.hooks
    const cut = this.aborted && (failure !== null || finish === null)
    const timedOut = cut && this.hooks.ownTimeout === true && isTimeout(this.hooks.signal?.reason)
    const endedMono = time.mono()
    const first = this.#firstMono
    const end: CallEnd = {
      how, finish, failure: timedOut ? TIMED_OUT[how === 'queue-aborted' ? 'queued' : 'sent'] : failure,
      cancelled: !timedOut && (how === 'returned' || how === 'abandoned' || how === 'queue-aborted' || cut),
      usage: this.#usage, waitMs: this.#waitMs,
      ttftMs: first < 0 ? null : first - this.#startedMono, outputMs: first < 0 ? null : endedMono - first,
      startedAt: this.#startedAt, startedMono: this.#startedMono, endedAt: time.now(), endedMono,
      contentSeen: first >= 0,
    }
    try { onEnd(end) } catch (error) { this.fault(error) }
  }

  /** A failing finish as it goes out: the owner of the call may send a frame of its own in its place. */
  failing(frame: Finish): Finish {
    const { onFailing } = this.hooks
    return onFailing && failureOf(frame.reason) ? this.guard(() => onFailing(frame)) ?? frame : frame
  }

  /** Runs a hook; its failure is reported and costs the call nothing. */
  guard<T>(hook: () => T): T | undefined {
    try { return hook() } catch (error) {
      this.fault(error)
      return undefined
    }
  }

  fault(error: unknown): void {
    try { this.hooks.onFault?.(error) } catch { /* the report itself failed: there is nobody left to tell */ }
  }

  #dropDeadline(): void {
    if (this.#deadline) this.hooks.deadlines.drop(this.#deadline)
    this.#deadline = null
  }
}

/** What a throw of the source is booked as; the reader still receives the error itself. */
export function thrownFailure(error: unknown): HostFailure {
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as { readonly code?: unknown; readonly message?: unknown }
  return { code: typeof code === 'string' && code !== '' ? code : 'UNKNOWN', message: typeof message === 'string' ? message : String(error) }
}
