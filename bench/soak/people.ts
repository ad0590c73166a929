/** The people of a soak: each keeps asking, uses tools, cancels, picks models by hand, sets goals, and starts a new session now and then. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Host } from '../../dev/host.mts'
import type { Chance } from './random.ts'
import type { Judge } from './judge.ts'
import type { Ended, Turns } from './turns.ts'
import { nameOf, SOAK_ROUTES } from './weather.ts'

/** What a person met; counted over all of them. */
export interface Tally {
  prompts: number
  completed: number
  /** Completed although at least one route had failed on the way. */
  saved: number
  cancelled: number
  /** Milliseconds from each cancel to the end of its turn. */
  readonly cancelMs: number[]
  toolTurns: number
  goalRounds: number
  handPicks: number
  visits: number
  /** Lost, and no route could have served: an honest error. */
  excused: number
  /** Lost although a route could have served, or answered wrongly. */
  lost: number
  /** What must not happen, in words. */
  readonly broken: string[]
}

export const emptyTally = (): Tally => ({
  prompts: 0, completed: 0, saved: 0, cancelled: 0, cancelMs: [], toolTurns: 0, goalRounds: 0, handPicks: 0, visits: 0, excused: 0, lost: 0, broken: [],
})

export interface Scene {
  readonly host: Host
  readonly turns: Turns
  readonly judge: Judge
  readonly chance: Chance
  readonly tally: Tally
  /** Null without the plugin. */
  readonly groupId: string | null
  /** False once the soak is over. */
  readonly on: () => boolean
}

const TURN_MS = 90_000
/** A session may move by itself six times in ten minutes; a turn may need three of them. */
const MOVES_BEFORE_NEW = 3
const TURNS_BEFORE_NEW = 12
const PAUSE_MS = { least: 100, most: 1500 }

/** One person, from session to session until the soak is over. */
export async function person(scene: Scene, number: number): Promise<void> {
  const { chance, on } = scene
  await pause(chance.between(0, PAUSE_MS.most))
  while (on()) await new Visit(scene, number).stay()
}

class Visit {
  readonly #scene: Scene
  readonly #number: number
  #id = ''
  /** Of the last request header, which is only written when it changes. */
  #route: string | null = null
  #picked: string | null = null
  #moves = 0
  #turns = 0

  constructor(scene: Scene, number: number) {
    this.#scene = scene
    this.#number = number
  }

  async stay(): Promise<void> {
    const { host, turns, chance, tally, groupId, on } = this.#scene
    this.#id = await host.createSession()
    tally.visits += 1
    if (groupId !== null && chance.luck(0.2)) await host.api('/session-group', { body: { sessionId: this.#id, groupId, mode: 'route', asDefault: false } })
    while (on() && this.#moves < MOVES_BEFORE_NEW && this.#turns < TURNS_BEFORE_NEW) {
      await this.#act()
      await pause(chance.between(PAUSE_MS.least, PAUSE_MS.most))
    }
    turns.drop(this.#id)
    await host.rpc('workspace.archiveSession', { sessionId: this.#id })
  }

  async #act(): Promise<void> {
    const { chance } = this.#scene
    this.#turns += 1
    if (chance.luck(0.08)) return this.#cancelled()
    if (chance.luck(0.06)) await this.#pick()
    if (this.#turns === 1 && chance.luck(0.15)) return this.#goal()
    return this.#ask()
  }

  async #ask(): Promise<void> {
    const { host, turns, tally } = this.#scene
    const text = `question ${tally.prompts} of visitor ${this.#number}`
    tally.prompts += 1
    const end = turns.next(this.#id, TURN_MS)
    await host.prompt(this.#id, text)
    this.#judge(await end, text)
  }

  async #cancelled(): Promise<void> {
    const { host, turns, tally, chance } = this.#scene
    tally.prompts += 1
    const end = turns.next(this.#id, TURN_MS)
    await host.prompt(this.#id, 'never mind')
    await pause(chance.between(0, 600))
    const asked = Date.now()
    await host.rpc('session.cancel', { sessionId: this.#id })
    const ended = await end
    if (ended.end === 'aborted') {
      tally.cancelled += 1
      const ms = ended.endedAt - asked
      tally.cancelMs.push(ms)
      if (ms > 1000) console.log(`a cancel took ${ms} ms, ${asked - ended.startedAt} ms into a turn with ${ended.toolCalls} tool calls on ${ended.headers.join(' → ') || this.#route}`)
      this.#follow(ended)
    } else this.#judge(ended, 'never mind')
  }

  async #pick(): Promise<void> {
    const { host, chance, tally } = this.#scene
    const route = chance.pick(SOAK_ROUTES)
    await host.rpc('session.selectModel', { sessionId: this.#id, ...route })
    this.#picked = nameOf(route)
    tally.handPicks += 1
  }

  /** A goal of two rounds: both must come, each a turn of its own. */
  async #goal(): Promise<void> {
    const { host, turns, tally } = this.#scene
    let end = turns.next(this.#id, TURN_MS)
    await host.rpc('goal.create', { sessionId: this.#id, objective: 'Keep the garden', maxGoalRounds: 2 })
    for (let round = 0; round < 2; round += 1) {
      tally.prompts += 1
      const ended = await end
      if (round === 0) end = turns.next(this.#id, TURN_MS)
      this.#judge(ended, null)
      if (ended.end !== 'completed') return
      tally.goalRounds += 1
    }
  }

  #follow(ended: Ended): number {
    let moves = 0
    for (const name of ended.headers) {
      if (this.#route !== null && this.#route !== name) moves += 1
      this.#route = name
    }
    this.#moves += moves
    return moves
  }

  #judge(ended: Ended, asked: string | null): void {
    const { tally, judge } = this.#scene
    const before = this.#picked ?? this.#route
    this.#picked = null
    const moves = this.#follow(ended)
    if (ended.toolCalls > 0) tally.toolTurns += 1
    if (ended.end === 'completed') {
      tally.completed += 1
      if (moves > 0) tally.saved += 1
      const wrong = this.#wrong(ended, asked)
      if (wrong !== null) this.#lose(wrong)
      return
    }
    const able = judge.couldHave(ended, before)
    if (ended.end === 'error' && able.length === 0) tally.excused += 1
    else this.#lose(`turn ended ${ended.end} after ${ended.endedAt - ended.startedAt} ms on ${ended.headers.join(' → ') || before}; fine were ${able.join(', ') || 'none'}: ${ended.error?.slice(0, 400)}`)
  }

  #lose(why: string): void {
    const { tally } = this.#scene
    tally.lost += 1
    tally.broken.push(`${this.#id}: ${why}`)
  }

  /** What is wrong with a completed turn: the answer must be whole, once, and of the last model asked. */
  #wrong(ended: Ended, asked: string | null): string | null {
    const expected = `Here is ${this.#route}.`
    if (!ended.text.startsWith(expected)) return `the answer is not of ${this.#route}: ${JSON.stringify(ended.text)}`
    if (asked !== null && !ended.compacted && ended.text !== `${expected} You wrote: ${asked}`) return `the answer is not whole: ${JSON.stringify(ended.text)}`
    if (ended.answers !== 1 + ended.toolCalls) return `${ended.answers} answers and ${ended.toolCalls} tool calls in one turn`
    return null
  }
}
