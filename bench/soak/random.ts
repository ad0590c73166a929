/** Chance that can be repeated: the same starting number gives the same draws. */
export interface Chance {
  /** In [0, 1). */
  next(): number
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number
  /** True with probability `share`. */
  luck(share: number): boolean
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T
}

/** Mulberry32: 32 bits of state, good enough to spread tests and far too weak for anything else. */
export function chanceFrom(start: number): Chance {
  let state = start >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    luck: (share) => next() < share,
    pick: (list) => {
      const one = list[Math.floor(next() * list.length)]
      if (one === undefined) throw new RangeError('nothing to pick from')
      return one
    },
  }
}
