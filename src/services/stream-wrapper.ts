/**
 * One model call as the rest of the host reads it: slot, then clock, then gate, over the adapter's own stream.
 * An iterator object, not a generator: after the first decisive frame `next()` is the source's own `next()`, watched.
 * It throws only what the source throws; failures of ours never reach the reader, and the slot is given back once.
 */
import { failureOf, feed, isDecisive, NO_FINISH, openGate, type Gate } from '../domain/frames.ts'
import type { Chunk, FinishReason, HostFailure, Stream } from '../ports.ts'
import { CallAccount, errorFrame, thrownFailure } from './call-account.ts'
import type { CallEnd, CallHooks, Result } from './call-end.ts'
import type { Admission, Waiting } from './concurrency.ts'
import type { Late } from './deadlines.ts'

/** `fresh` nothing sent · `slow` before the first decisive frame has gone out · `flow` after · `relay` another stream has taken over. */
type State = 'fresh' | 'slow' | 'flow' | 'relay' | 'over'

interface Reader { readonly resolve: (result: Result) => void; readonly reject: (error: unknown) => void }

type Finish = Extract<Chunk, { type: 'finish' }>

const DONE: Result = { value: undefined, done: true }

/** Wraps one call. `source` opens the adapter's stream; it runs inside the first `next()`, once a slot is free. */
export function wrapStream(source: () => Stream, hooks: CallHooks): AsyncIterableIterator<Chunk, undefined> {
  return new WatchedStream(source, hooks)
}

class WatchedStream implements AsyncIterableIterator<Chunk, undefined>, Late {
  readonly #source: () => Stream
  readonly #account: CallAccount
  #state: State = 'fresh'
  #iterator: AsyncIterator<Chunk> | null = null
  #queued: Waiting | null = null
  #gate: Gate = openGate()
  /** Frames not yet delivered, and whether they may be. */
  #ready: Chunk[] = []
  #open: boolean
  #emitted = false
  #readers: Reader[] = []
  #pulling = false
  /** The source has ended, or has thrown. */
  #ended = false
  #thrown: { readonly error: unknown } | null = null

  constructor(source: () => Stream, hooks: CallHooks) {
    this.#source = source
    this.#account = new CallAccount(hooks)
    this.#open = !hooks.gate
  }

  [Symbol.asyncIterator](): this { return this }

  next(): Promise<Result> {
    if (this.#state === 'flow') {
      this.#account.reading()
      return this.#read().then(this.#seen, this.#broke)
    }
    if (this.#state === 'relay') return this.#read().then(relayed)
    if (this.#state === 'over') return Promise.resolve(DONE)
    if (this.#state === 'fresh' && this.#begin()) return this.#read().then((result) => this.#opened(result), this.#broke)
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject })
      this.#pump()
    })
  }

  async return(): Promise<Result> {
    this.#leave()
    await this.#iterator?.return?.()
    return DONE
  }

  async throw(error?: unknown): Promise<Result> {
    this.#leave()
    if (!this.#iterator?.throw) throw error
    const result = await this.#iterator.throw(error)
    return result.done ? DONE : result
  }

  /** The reader wants no more. */
  #leave(): void {
    const began = this.#state !== 'fresh'
    this.#state = 'over'
    this.#ready = []
    this.#queued?.leave()
    if (began) this.#account.book('returned', null, null)
    for (const reader of this.#readers.splice(0)) reader.resolve(DONE)
  }

  #read(): Promise<IteratorResult<Chunk>> {
    // An iterator may answer without a promise, or throw at once.
    try { return Promise.resolve((this.#iterator as AsyncIterator<Chunk>).next()) } catch (error) { return Promise.reject(error) }
  }

  /* ---- after the first decisive frame ---- */

  readonly #seen = (result: IteratorResult<Chunk>): Result => {
    const account = this.#account
    account.answered()
    if (result.done) return this.#lastWord()
    const chunk = result.value
    if (account.follows || chunk.type === 'usage') account.observe(chunk)
    return chunk.type === 'finish' && !account.booked ? { value: account.finished(chunk), done: false } : result
  }

  readonly #broke = (error: unknown): never => {
    this.#state = 'over'
    this.#account.book('thrown', null, thrownFailure(error))
    for (const reader of this.#readers.splice(0)) reader.resolve(DONE)
    throw error
  }

  /** The source is done: nothing more, or the finish it owes. */
  #lastWord(): Result {
    this.#state = 'over'
    if (this.#account.booked) return DONE
    const owed = this.#account.aborted ? null : NO_FINISH
    this.#account.book('no-finish', null, owed)
    return owed ? { value: this.#account.failing(errorFrame(owed)), done: false } : DONE
  }

  /* ---- before it ---- */

  /** True when the request is sent and nobody else has asked yet: the first frame may then be read without ceremony. */
  #begin(): boolean {
    const account = this.#account
    this.#state = 'slow'
    account.start()
    const { slot } = account.hooks
    const place = slot ? account.guard(slot) : undefined
    if (place?.kind === 'waiting') {
      this.#queued = place
      void place.settled.then((admission) => this.#waited(admission))
    } else if (place) this.#enter(place)
    else this.#send()
    if (!this.#iterator || this.#ended || this.#readers.length > 0) return false
    this.#pulling = true
    account.reading()
    return true
  }

  #waited(admission: Admission): void {
    this.#queued = null
    if (this.#state !== 'over') {
      this.#account.start()
      this.#enter(admission)
    } else if (admission.kind === 'admitted') admission.release()
  }

  /** The very first frame: usually decisive, and then it simply passes. */
  #opened(result: IteratorResult<Chunk>): Result | Promise<Result> {
    if (this.#state === 'over') return DONE
    if (!result.done && isDecisive(result.value) && this.#readers.length === 0) {
      const account = this.#account
      this.#pulling = false
      this.#open = true
      this.#emitted = true
      account.observe(result.value)
      account.first()
      account.answered()
      this.#state = 'flow'
      return result
    }
    return new Promise((resolve, reject) => {
      this.#readers.unshift({ resolve, reject })
      this.#pulled(result)
    })
  }

  #enter(admission: Admission): void {
    this.#account.admitted(admission)
    switch (admission.kind) {
      case 'admitted':
      case 'closed':
        this.#send()
        return
      case 'timeout':
        this.#refuse('queue-timeout', { code: 'CAPACITY_TIMEOUT', message: `no free slot for this model within ${Math.round(admission.waitMs / 1000)} s` }, null)
        this.#pump()
        return
      case 'aborted': {
        const reason: FinishReason = { kind: 'aborted', failure: { code: 'ABORTED', message: 'the request was cancelled while it waited for a free slot' } }
        this.#refuse('queue-aborted', reason.failure, { type: 'finish', reason })
        this.#pump()
      }
    }
  }

  #send(): void {
    try { this.#iterator = this.#source()[Symbol.asyncIterator]() } catch (error) { return this.#threw(error) }
    this.#account.limit(this)
    this.#pump()
  }

  /** Nothing decisive came in time: slow is no error, so let everything through. */
  late(): void {
    this.#open = true
    this.#pump()
  }

  /** Serves the readers that wait, in order, and asks the source for more as long as somebody does. */
  #pump(): void {
    while (this.#readers.length > 0) {
      if (this.#open && this.#ready.length > 0) this.#deliver(this.#ready.shift() as Chunk)
      else if (this.#state === 'relay') {
        const reader = this.#readers.shift() as Reader
        void this.#read().then(relayed).then(reader.resolve, reader.reject)
      } else if (this.#ended) this.#close()
      else return this.#pull()
    }
    if (this.#state === 'slow' && this.#account.decided && !this.#pulling && this.#ready.length === 0 && !this.#ended) this.#state = 'flow'
  }

  #pull(): void {
    if (this.#pulling || !this.#iterator) return
    this.#pulling = true
    this.#account.reading()
    void this.#read().then((result) => this.#pulled(result), (error: unknown) => this.#threw(error))
  }

  #deliver(chunk: Chunk): void {
    this.#emitted = true
    this.#account.answered()
    this.#readers.shift()?.resolve({ value: chunk, done: false })
  }

  #close(): void {
    this.#state = 'over'
    const reader = this.#readers.shift()
    if (this.#thrown) reader?.reject(this.#thrown.error)
    else reader?.resolve(DONE)
    this.#thrown = null
  }

  #pulled(result: IteratorResult<Chunk>): void {
    this.#pulling = false
    if (this.#state === 'over') return
    if (result.done) this.#sourceEnded()
    else this.#judge(result.value)
    this.#pump()
  }

  #threw(error: unknown): void {
    this.#pulling = false
    if (this.#state === 'over') return
    this.#account.book('thrown', null, thrownFailure(error))
    this.#thrown = { error }
    this.#ended = true
    this.#open = true
    this.#pump()
  }

  #sourceEnded(): void {
    this.#ended = true
    this.#open = true
    if (this.#account.booked) return
    if (this.#account.aborted) this.#account.book('no-finish', null, null)
    else this.#refuse('no-finish', NO_FINISH, null)
  }

  #judge(chunk: Chunk): void {
    const account = this.#account
    account.observe(chunk)
    if (account.booked) this.#open = true
    else if (!account.decided) {
      const judged = feed(this.#gate, chunk)
      if (judged.kind === 'refuse') return this.#refuse('finish', judged.failure, chunk)
      if (judged.kind === 'hold') this.#gate = judged.gate
      else this.#open = true
      if (isDecisive(chunk)) account.first()
    }
    this.#ready.push(chunk.type === 'finish' && !account.booked ? account.finished(chunk) : chunk)
  }

  /** The call has failed before anything decisive: another stream takes over, or the failure goes out alone. */
  #refuse(how: CallEnd['how'], failure: HostFailure, frame: Chunk | null): void {
    const account = this.#account
    const reason = frame?.type === 'finish' ? frame.reason : null
    account.book(how, reason, failure)
    const { onRefused } = account.hooks
    const next = onRefused && !this.#emitted && !account.aborted ? account.guard(() => onRefused(failure)) ?? null : null
    const last = frame?.type === 'finish' && failureOf(frame.reason) ? frame : errorFrame(failure)
    if (!(next instanceof Promise)) return this.#goOn(next, last)
    this.#pulling = true
    const settled = (stream: Stream | null): void => {
      this.#pulling = false
      if (this.#state === 'over') return
      this.#goOn(stream, last)
      this.#pump()
    }
    void next.then(settled, (error: unknown) => { account.fault(error); settled(null) })
  }

  #goOn(stream: Stream | null, last: Finish): void {
    const next = stream ? this.#account.guard(() => stream[Symbol.asyncIterator]()) ?? null : null
    const left = this.#iterator
    this.#open = true
    if (!this.#emitted) this.#ready = []
    if (next) {
      this.#iterator = next
      this.#state = 'relay'
      // The failed call is closed behind our back; what its clean-up throws concerns nobody any more.
      void this.#account.guard(() => left?.return?.())?.catch(() => {})
    } else {
      this.#ready.push(this.#account.failing(last))
      if (!left) this.#ended = true
    }
  }
}

/** Replay state belongs to the route that made it; under another route's name the host would hand it to the wrong adapter. */
function relayed(result: IteratorResult<Chunk>): Result {
  if (result.done) return DONE
  const chunk = result.value
  return chunk.type === 'finish' && 'replayState' in chunk ? { value: { type: 'finish', reason: chunk.reason }, done: false } : result
}
