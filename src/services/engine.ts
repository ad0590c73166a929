/** What the failover path works with: the owners of state, and the scene a decision about one session sees. */
import type { Config } from '../contract/config.ts'
import type { Verdict } from '../contract/failure.ts'
import type { SessionRecord } from '../contract/group.ts'
import type { Route } from '../contract/route.ts'
import type { Settings } from '../contract/settings.ts'
import type { DecisionRecord, FailureLogEntry } from '../contract/status.ts'
import { effectiveBinding, type EffectiveBinding } from '../domain/binding.ts'
import type { Facts } from '../domain/fit.ts'
import type { Say } from '../domain/honest.ts'
import type { Plans } from '../domain/plans.ts'
import type { Scene } from '../domain/scene.ts'
import type { HealthView, Outcome, Permit } from '../domain/view.ts'
import type { HostFailure, HostPort, Log, Time } from '../ports.ts'
import type { Continuations } from './continuation.ts'
import type { Moves, SessionRecords } from './moves.ts'
import type { Remedies } from './remedies.ts'
import type { Runs, SessionRun } from './runs.ts'

/** The part of the health service this path uses. */
export interface HealthPart {
  view(): HealthView
  observe(outcome: Outcome): void
  lease(route: Route): Permit | null
  release(permit: Permit): void
  turnSucceeded(route: Route, startedAt: number): void
  registryChanged(): void
  /** The local outage in force, or null. */
  outage(): object | null
}

export interface Engine {
  readonly time: Time
  readonly log: Log
  readonly host: HostPort
  readonly config: Config
  readonly runs: Runs
  readonly records: SessionRecords
  readonly plans: Plans
  readonly health: HealthPart
  readonly moves: Moves
  readonly remedies: Remedies
  readonly continuations: Continuations
  /** False: listeners pass everything through. */
  enabled(): boolean
  settings(): Settings
  /** Grows with every change of groups, bindings, settings or registry. */
  epoch(): number
  /** Facts of a model if they have been asked for already; undefined = not yet. */
  remembered(route: Route): Facts | null | undefined
  uncompressed(route: Route): boolean
  freeSlot(route: Route): boolean
  decided(record: DecisionRecord): void
  failed(entry: FailureLogEntry): void
  note(session: string, event: string, detail: string | null): void
  say(language: 'zh' | 'en'): Say
  /** What a failure as an adapter hands it over is taken for; `aborted`: the call's own signal had fired. */
  judge(failure: HostFailure, aborted: boolean): Verdict
  /** Gives back a permit that taught nothing. */
  releasePermit(run: SessionRun): void
}

/** The binding in force for a session, its own or inherited. */
export function bindingOf(engine: Pick<Engine, 'records' | 'host'>, session: string): EffectiveBinding {
  return effectiveBinding(session, {
    recordOf: (id) => engine.records.get(id),
    parentOf: (id) => engine.host.recall(id)?.parent ?? null,
  })
}

/** One instant as a decision about this session sees it. `lease: false` makes it a dry run. */
export function sceneOf(engine: Engine, session: string, lease: boolean): Scene {
  const { host, health, time, settings, config } = engine
  const record: SessionRecord | null = engine.records.get(session)
  const { enableProbe, stripReasoningEffort } = settings()
  let used: { readonly tokens: number | null } | null = null
  let images: boolean | null = null
  return {
    plans: engine.plans,
    health: health.view(),
    now: time.now(),
    record,
    binding: bindingOf(engine, session),
    facts: (route) => engine.remembered(route),
    // Both walk the whole history, and most decisions never ask.
    get usedTokens() { return (used ??= { tokens: host.usedTokens(session) }).tokens },
    get images() { return (images ??= host.hasImages(session)) },
    rules: { probesOn: enableProbe, stripReasoningEffort, capacitySwitchRevertMs: config.capacitySwitchRevertMs },
    uncompressed: (route) => engine.uncompressed(route),
    freeSlot: (route) => engine.freeSlot(route),
    ...(lease ? { lease: (route: Route) => health.lease(route) } : {}),
  }
}

/** Asks the host for the facts of routes it was not asked about yet; ends early when the turn is cancelled. */
export async function learnFacts(engine: Engine, routes: readonly Route[], signal: AbortSignal): Promise<void> {
  const unknown = routes.filter((route) => engine.remembered(route) === undefined)
  if (unknown.length === 0) return
  await raced(Promise.all(unknown.map((route) => engine.host.facts(route))), signal)
}

/** The value, or undefined as soon as the signal fires; the work itself goes on unheard. */
export async function raced<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined
  let stop = (): void => {}
  const aborted = new Promise<undefined>((resolve) => {
    const onAbort = (): void => resolve(undefined)
    signal.addEventListener('abort', onAbort, { once: true })
    stop = () => signal.removeEventListener('abort', onAbort)
  })
  try { return await Promise.race([work, aborted]) } finally { stop() }
}
