/** A document without a disk: commits on a later turn of the loop, and fails on order. */
import { Refusal } from '../../src/contract/refusal.ts'
import type { EditableDocument } from '../../src/ports.ts'

export class MemoryDocument<T> implements EditableDocument<T> {
  value: T
  readOnly = false
  /** While true every commit is refused as a full disk would. */
  failing = false
  /** Commits that changed something, and write-behind changes. */
  commits = 0
  sets = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(value: T) {
    this.value = value
  }

  async replace(next: T): Promise<void> { await this.change(() => next) }

  change(edit: (current: T) => T): Promise<T> {
    const done = this.#turn.then(async () => {
      edit(this.value)
      await new Promise<void>((resolve) => { setImmediate(resolve) })
      if (this.failing) throw new Refusal('unavailable', 'STORE_UNAVAILABLE', 'the disk is full')
      const next = edit(this.value)
      if (next !== this.value) this.commits++
      this.value = next
      return next
    })
    this.#turn = done.catch(() => undefined)
    return done
  }

  set(next: T): void {
    this.value = next
    this.sets++
  }

  amend(edit: (current: T) => T): void { this.set(edit(this.value)) }

  flush(): Promise<void> { return Promise.resolve() }
}

/** Random numbers that repeat for the same start. */
export function steadyRandom(start = 1): () => number {
  let state = start
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
