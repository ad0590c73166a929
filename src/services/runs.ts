/** What is known of each session's running turn and step: decided route, routes tried, hops, time spent. Gone with the session. */
import type { FailureClass } from '../contract/failure.ts'
import type { SessionRecord } from '../contract/group.ts'
import { routeKey, type EffortRoute, type Route } from '../contract/route.ts'
import type { Permit } from '../domain/view.ts'
import type { HostFailure } from '../ports.ts'

/** A route that failed in this step. */
export interface Tried { readonly route: EffortRoute; readonly class: FailureClass; readonly code: string | null; readonly rejected: boolean }

/** The answer of the last full decision, good as long as nothing it read has changed. */
export interface Settled {
  readonly provider: string
  readonly model: string
  readonly effort: string | undefined
  readonly version: number
  readonly epoch: number
  readonly until: number
}

export class SessionRun {
  readonly id: string
  turn = -1
  step = -1
  /** Decided for this turn; later steps keep it until it fails or is held. */
  route: EffortRoute | null = null
  /** What was last given to the host, and when. */
  sent: EffortRoute | null = null
  sentAt = 0
  sentMono = 0
  /** A stream was opened for the request that was last built. */
  opened = false
  /** The attempt that runs, or ran last, had emitted content. */
  content = false
  /** The failure object of the last failing finish; ours, so its message may be completed. */
  failing: HostFailure | null = null
  permit: Permit | null = null
  /** Window (tokens) of the route on which this step's history overflowed; its compaction must start on a larger one. */
  overflowWindow: number | null = null
  readonly tried = new Map<string, Tried>()
  readonly failures = new Map<string, number>()
  readonly hostRetried = new Set<string>()
  /** The session's record as it was before this step's first failure; a request that every model refuses goes back to it. */
  before: Pick<SessionRecord, 'home' | 'override' | 'rejections'> | null = null
  hops = 0
  calls = 0
  firstFailureMono: number | null = null
  /** Turn whose failure was already decided: what the other inlet says of it is an echo. */
  decidedTurn = -1
  settled: Settled | null = null
  /** A user cancel ended the turn with this number. */
  cancelledTurn = -1
  /** Turns in a row that only continued an interrupted one. */
  continuations = 0
  /** The next turn to begin was started by us to go on with an interrupted one. */
  continuing = false
  /** Number of the turn that goes on with an interrupted one: what was tried there counts here too. */
  resumes = -1
  private readonly moves: number[] = []

  constructor(id: string) { this.id = id }

  /** Called for each request that is built; a new step forgets what was tried in the last one. */
  enter(turn: number, step: number): void {
    if (turn !== this.turn) {
      this.turn = turn
      this.route = null
      this.step = -1
    }
    if (step === this.step) return
    const goesOn = this.step === -1 && turn === this.resumes
    this.step = step
    // To clear an empty map costs as much as the rest of a request: the engine makes a new table each time.
    if (!goesOn) {
      if (this.tried.size > 0) this.tried.clear()
      this.before = null
    }
    if (this.failures.size > 0) this.failures.clear()
    if (this.hostRetried.size > 0) this.hostRetried.clear()
    this.hops = 0
    this.calls = 0
    this.firstFailureMono = null
    this.overflowWindow = null
  }

  /** Counts one failed attempt of a route in this step and returns how many it has had. */
  fail(route: Route, mono: number): number {
    const key = routeKey(route)
    const count = (this.failures.get(key) ?? 0) + 1
    this.failures.set(key, count)
    this.firstFailureMono ??= mono
    return count
  }

  /** Notes an automatic move and says how many there were in the last `windowMs`, this one included. */
  movesWithin(windowMs: number, mono: number): number {
    while (this.moves[0] !== undefined && this.moves[0] <= mono - windowMs) this.moves.shift()
    return this.moves.length
  }

  moved(mono: number): void { this.moves.push(mono) }
}

/** All sessions that have been seen running in this process. */
export class Runs {
  private readonly runs = new Map<string, SessionRun>()

  at(session: string): SessionRun {
    let run = this.runs.get(session)
    if (!run) this.runs.set(session, run = new SessionRun(session))
    return run
  }

  peek(session: string): SessionRun | null { return this.runs.get(session) ?? null }
  drop(session: string): void { this.runs.delete(session) }
  all(): readonly SessionRun[] { return [...this.runs.values()] }
}
