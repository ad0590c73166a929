/**
 * Turn starts on hosts that fix a step's model before the step: decided when the driver starts or a turn opens, chosen
 * in the host at once, and waited for before the host goes on. On other hosts every entry returns at once.
 */
import type { EffortRoute } from '../contract/route.ts'
import type { Dispose, HostHooks } from '../ports.ts'
import type { Choose } from './choose.ts'
import { raced, type Engine } from './engine.ts'
import type { SessionRun } from './runs.ts'

export interface BeforeStep extends Pick<HostHooks, 'turnBegin' | 'beforeStep'> {
  /** Learns about the candidates of a session ahead, so that its first turn start need not wait. */
  warm(session: string): void
  /** The turn is over, or never came. */
  forget(session: string): void
  close(): void
}

const NEVER = new AbortController().signal

/** A decision for the turn that is about to run; `route` null until it is made. */
interface Begun { route: EffortRoute | null; over: boolean; readonly done: Promise<void> }

export function createBeforeStep(engine: Engine, choose: Pick<Choose, 'start' | 'stillGood'>): BeforeStep {
  const { time, host, runs, log } = engine
  const begun = new Map<string, Begun>()
  const warming = new Set<Dispose>()

  const decide = async (session: string, signal: AbortSignal, run: SessionRun): Promise<EffortRoute | null> => {
    const base = host.current(session)
    return base ? choose.start({ session, signal }, run, base) : null
  }

  /** With `later` the choice is made in a stack of its own, because the session's log is just telling an event. */
  const begin = (session: string, later: boolean): Begun => {
    const run = runs.at(session)
    run.route = null
    const decided = later ? Promise.resolve().then(() => decide(session, NEVER, run)) : decide(session, NEVER, run)
    const entry: Begun = {
      route: null,
      over: false,
      done: decided.then((route) => { entry.route = route }, (error: unknown) => log.error('a turn start could not be decided: %o', error)).finally(() => { entry.over = true }),
    }
    return entry
  }

  const taken = async (session: string, entry: Begun | null, signal: AbortSignal): Promise<void> => {
    if (entry) await raced(entry.done, signal)
    await raced(host.settled(session), signal)
  }

  const inTurn = async (session: string, run: SessionRun, signal: AbortSignal): Promise<void> => {
    run.route = await decide(session, signal, run) ?? run.route
    await taken(session, null, signal)
  }

  /** Newer hosts tell of a session before it can be looked up, hence not at once. */
  const learn = (session: string): void => {
    if (!engine.enabled() || !host.frozen(session)) return
    const base = host.current(session)
    const plan = engine.plans.group(engine.records.get(session)?.groupId ?? null) ?? (base ? engine.plans.loose(base) : null)
    for (const route of [...(base ? [base] : []), ...(plan?.options ?? []).map(({ entry }) => entry)]) void host.facts(route)
  }

  return {
    turnBegin({ session, turn }) {
      if (!engine.enabled() || !host.frozen(session) || begun.has(session)) return
      begun.set(session, begin(session, turn !== null))
    },
    beforeStep({ session, turn, step, signal }) {
      if (!engine.enabled() || !host.frozen(session)) return null
      const entry = begun.get(session) ?? null
      if (turn === null || step === null) return entry ? taken(session, entry, signal) : null
      const run = runs.at(session)
      run.enter(turn, step)
      if (!entry) return choose.stillGood(run) ? null : inTurn(session, run, signal)
      begun.delete(session)
      return taken(session, entry, signal).then(() => { run.route = entry.route })
    },
    warm(session) {
      const stop = time.after(0, () => { warming.delete(stop); learn(session) })
      warming.add(stop)
    },
    forget: (session) => { begun.delete(session) },
    close() { for (const stop of warming) stop() },
  }
}
