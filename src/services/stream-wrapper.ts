/**
 * One model call as the rest of the host reads it: slot, then clock, then gate, over the adapter's own stream.
 * An iterator object, not a generator: after the first decisive frame `next()` is the source's own `next()`, watched.
 * It throws only what the source throws; failures of ours never reach the reader, and the slot is given back once.
 */
import { isDecisive, NO_FINISH } from '../domain/frames.ts'
import type { Chunk, Stream } from '../ports.ts'
import { CallAccount, errorFrame, thrownFailure } from './call-account.ts'
import { DONE, relayed, type CallHooks, type Result } from './call-end.ts'
import type { Late } from './deadlines.ts'
import { Opening, type Owner } from './stream-opening.ts'

/**
 * `fresh` nothing sent · `first` the first frame is read straight away · `opening` see there · `flow` after the first
 * decisive frame · `tail` the finish has gone out · `relay` another stream has taken over.
 */
type State = 'fresh' | 'first' | 'opening' | 'flow' | 'tail' | 'relay' | 'over'

/** Wraps one call. `source` opens the adapter's stream; it runs inside the first `next()`, once a slot is free. */
export function wrapStream(source: () => Stream, hooks: CallHooks): AsyncIterableIterator<Chunk, undefined> {
  return new WatchedStream(source, hooks)
}

class WatchedStream implements AsyncIterableIterator<Chunk, undefined>, Late, Owner {
  readonly #source: () => Stream
  readonly #account: CallAccount
  #state: State = 'fresh'
  #iterator: AsyncIterator<Chunk> | null = null
  #opening: Opening | null = null

  constructor(source: () => Stream, hooks: CallHooks) {
    this.#source = source
    this.#account = new CallAccount(hooks)
  }

  [Symbol.asyncIterator](): this { return this }

  next(): Promise<Result> {
    switch (this.#state) {
      case 'flow':
        this.#account.reading()
        return this.#read().then(this.#seen, this.#broke)
      case 'tail':
        return this.#read() as Promise<Result>
      case 'relay':
        return this.#read().then(relayed)
      case 'over':
        return Promise.resolve(DONE)
      case 'fresh':
        return this.#begin()
      case 'first':
      case 'opening':
        return this.#open().next()
    }
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

  /** The gate's time is over. */
  late(): void {
    if (this.#state === 'first' || this.#state === 'opening') this.#open().late()
  }

  settled(state: 'flow' | 'relay' | 'over', iterator: AsyncIterator<Chunk> | null): void {
    this.#state = state
    this.#iterator = iterator
    if (state === 'flow') this.#opening = null
  }

  send(): AsyncIterator<Chunk> {
    this.#iterator = this.#source()[Symbol.asyncIterator]()
    this.#account.limit(this)
    return this.#iterator
  }

  /** The reader wants no more. */
  #leave(): void {
    const began = this.#state !== 'fresh'
    this.#state = 'over'
    if (began) this.#account.book('returned', null, null)
    this.#opening?.leave()
  }

  #read(): Promise<IteratorResult<Chunk>> {
    // An iterator may answer without a promise, or throw at once.
    try { return Promise.resolve((this.#iterator as AsyncIterator<Chunk>).next()) } catch (error) { return Promise.reject(error) }
  }

  /** With a slot at hand the first frame is simply read; everything else is a matter for {@link Opening}. */
  #begin(): Promise<Result> {
    const account = this.#account
    account.start()
    const { slot } = account.hooks
    const place = slot ? account.guard(slot) : undefined
    if (!place || place.kind === 'admitted') {
      if (place) account.admitted(place)
      try { this.send() } catch (error) {
        account.book('thrown', null, thrownFailure(error))
        this.#state = 'over'
        return Promise.reject(error)
      }
      this.#state = 'first'
      account.reading()
      return this.#read().then((result) => this.#opened(result), this.#broke)
    }
    const opening = this.#open()
    if (place.kind === 'waiting') opening.wait(place)
    else opening.enter(place)
    return opening.next()
  }

  #open(): Opening {
    this.#opening ??= new Opening(this, this.#account, this.#iterator)
    this.#state = 'opening'
    return this.#opening
  }

  /** The very first frame: if it is decisive, as from adapters without block frames, it passes. */
  #opened(result: IteratorResult<Chunk>): Result | Promise<Result> {
    if (this.#state === 'over') return DONE
    if (this.#state !== 'first' || result.done || !isDecisive(result.value)) return this.#open().first(result)
    const account = this.#account
    account.observe(result.value)
    account.first()
    account.answered()
    this.#state = 'flow'
    return result
  }

  readonly #seen = (result: IteratorResult<Chunk>): Result => {
    const account = this.#account
    account.answered()
    if (result.done) return this.#lastWord()
    const chunk = result.value
    if (account.follows || chunk.type === 'usage') account.observe(chunk)
    if (chunk.type !== 'finish') return result
    this.#state = 'tail'
    return account.booked ? result : { value: account.finished(chunk), done: false }
  }

  readonly #broke = (error: unknown): never => {
    this.#account.book('thrown', null, thrownFailure(error))
    this.#state = 'over'
    this.#opening?.leave()
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
}
