/** What probes may cost: each provider has a small purse of tokens per Beijing day, and no probe starts that may empty it. */
import { PROBE_TOKENS_A_DAY } from '../domain/probe-plan.ts'

/** Tokens set aside for a first probe beyond its output limit. */
const RESERVE_TOKENS = 40

/** Tokens are input and output together. The days come from outside as numbers. */
export class Purse {
  readonly #day: () => number
  #today = Number.NaN
  readonly #spent = new Map<string, number>()
  /** What the last probe that cost anything cost, as the guess for the next. */
  readonly #last = new Map<string, number>()

  constructor(day: () => number) {
    this.#day = day
  }

  affords(provider: string, maxTokens: number): boolean {
    this.#turn()
    const guess = Math.max(this.#last.get(provider) ?? 0, maxTokens + RESERVE_TOKENS)
    return (this.#spent.get(provider) ?? 0) + guess <= PROBE_TOKENS_A_DAY
  }

  pay(provider: string, tokens: number): void {
    if (tokens <= 0) return
    this.#turn()
    this.#last.set(provider, tokens)
    this.#spent.set(provider, (this.#spent.get(provider) ?? 0) + tokens)
  }

  spent(): Record<string, number> {
    this.#turn()
    return Object.fromEntries(this.#spent)
  }

  #turn(): void {
    const day = this.#day()
    if (day === this.#today) return
    this.#today = day
    this.#spent.clear()
  }
}
