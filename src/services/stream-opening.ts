/**
 * The part of a model call before its first decisive frame has gone out, for calls where that is more than one read:
 * waiting for a slot, holding frames, refusing a failed attempt, handing over to another stream.
 * Readers are served in the order they asked; the source is asked only while somebody reads.
 */
import { failureOf, feed, isDecisive, NO_FINISH, openGate, type Gate } from '../domain/frames.ts'
import type { Chunk, FinishReason, HostFailure, Stream } from '../ports.ts'
import { errorFrame, thrownFailure, type CallAccount, type Finish } from './call-account.ts'
import { DONE, relayed, type CallEnd, type Result } from './call-end.ts'
import type { Admission, Waiting } from './slot.ts'

/** What becomes of the call: its own stream flows on, another one is relayed, or it is over. */
export interface Owner {
  settled(state: 'flow' | 'relay' | 'over', iterator: AsyncIterator<Chunk> | null): void
  /** Opens the source; may throw what the source throws. */
  send(): AsyncIterator<Chunk>
}

interface Reader { readonly resolve: (result: Result) => void; readonly reject: (error: unknown) => void }

export class Opening {
  readonly #owner: Owner
  readonly #account: CallAccount
  #iterator: AsyncIterator<Chunk> | null
  #queued: Waiting | null = null
  #gate: Gate = openGate()
  /** Frames not yet delivered, and whether they may be. */
  #ready: Chunk[] = []
  #open: boolean
  #emitted = false
  #readers: Reader[] = []
  /** An answer is awaited: of the source, or of who may take over. */
  #pulling: boolean
  #state: 'own' | 'relay' | 'over' = 'own'
  /** The source has ended, or has thrown. */
  #ended = false
  #thrown: { readonly error: unknown } | null = null

  /** `iterator` given: the request is sent and its first frame is already being read, to be told with {@link first}. */
  constructor(owner: Owner, account: CallAccount, iterator: AsyncIterator<Chunk> | null) {
    this.#owner = owner
    this.#account = account
    this.#iterator = iterator
    this.#pulling = iterator !== null
    this.#open = !account.hooks.gate
  }

  next(): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject })
      this.#pump()
    })
  }

  /** The first read, which was asked for before this object was needed, has been answered. */
  first(result: IteratorResult<Chunk>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#readers.unshift({ resolve, reject })
      this.#pulled(result)
    })
  }

  /** Goes on once the place in the queue is settled. */
  wait(place: Waiting): void {
    this.#queued = place
    void place.settled.then((admission) => {
      this.#queued = null
      if (this.#state !== 'over') {
        this.#account.start()
        this.enter(admission)
      } else if (admission.kind === 'admitted') admission.release()
    })
  }

  enter(admission: Admission): void {
    this.#account.admitted(admission)
    switch (admission.kind) {
      case 'admitted':
      case 'closed':
        try { this.#iterator = this.#owner.send() } catch (error) { return this.#threw(error) }
        break
      case 'timeout':
        this.#refuse('queue-timeout', { code: 'CAPACITY_TIMEOUT', message: `no free slot for this model within ${Math.round(admission.waitMs / 1000)} s` }, null)
        break
      case 'aborted': {
        const reason: FinishReason = { kind: 'aborted', failure: { code: 'ABORTED', message: 'the request was cancelled while it waited for a free slot' } }
        this.#refuse('queue-aborted', reason.failure, { type: 'finish', reason })
      }
    }
    this.#pump()
  }

  /** Nothing decisive came in time: slow is no error, so everything goes through. */
  late(): void {
    this.#open = true
    this.#pump()
  }

  /** The reader wants no more. */
  leave(): void {
    this.#state = 'over'
    this.#ready = []
    this.#queued?.leave()
    for (const reader of this.#readers.splice(0)) reader.resolve(DONE)
  }

  #pump(): void {
    while (this.#readers.length > 0) {
      if (this.#open && this.#ready.length > 0) this.#deliver(this.#ready.shift() as Chunk)
      else if (this.#state === 'relay') {
        const reader = this.#readers.shift() as Reader
        void this.#read().then(relayed).then(reader.resolve, reader.reject)
      } else if (this.#ended) this.#close()
      else return this.#pull()
    }
    if (this.#state === 'own' && this.#account.decided && !this.#pulling && this.#ready.length === 0 && !this.#ended) this.#owner.settled('flow', this.#iterator)
  }

  #read(): Promise<IteratorResult<Chunk>> {
    // An iterator may answer without a promise, or throw at once.
    try { return Promise.resolve((this.#iterator as AsyncIterator<Chunk>).next()) } catch (error) { return Promise.reject(error) }
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
    const reader = this.#readers.shift()
    if (this.#thrown) reader?.reject(this.#thrown.error)
    else reader?.resolve(DONE)
    this.#thrown = null
    this.#state = 'over'
    this.#owner.settled('over', this.#iterator)
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
    const last = (): Finish => account.failing(frame?.type === 'finish' && reason && failureOf(reason) ? frame : errorFrame(failure))
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

  #goOn(stream: Stream | null, last: () => Finish): void {
    const next = stream ? this.#account.guard(() => stream[Symbol.asyncIterator]()) ?? null : null
    const left = this.#iterator
    this.#open = true
    if (!this.#emitted) this.#ready = []
    if (!next) {
      this.#ready.push(last())
      if (!left) this.#ended = true
      return
    }
    this.#iterator = next
    this.#state = 'relay'
    this.#owner.settled('relay', next)
    // The failed call is closed behind our back; what its clean-up throws concerns nobody any more.
    void this.#account.guard(() => left?.return?.())?.catch(() => {})
  }
}
