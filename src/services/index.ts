/** Builds the services in the order in which they need one another, and brings them to rest in the reverse order. */
import type { Config, ConfigError } from '../contract/config.ts'
import type { Verdict } from '../contract/failure.ts'
import type { Route } from '../contract/route.ts'
import type { QoderShimStatus } from '../contract/status.ts'
import { SHIM_PROVIDERS, type CompactionFacts } from '../domain/compaction.ts'
import type { Facts } from '../domain/fit.ts'
import type { Say } from '../domain/honest.ts'
import { Plans } from '../domain/plans.ts'
import { isWanted } from '../domain/wanted.ts'
import { redact } from '../domain/redact.ts'
import type { HostFailure } from '../domain/chunks.ts'
import { classify } from '../domain/classify.ts'
import type { DataFolder, HostHooks, HostPort, Log, Random, SampleStore, Time } from '../ports.ts'
import { createBeforeStep } from './before-step.ts'
import { createBindings } from './bindings.ts'
import { createCalls } from './calls.ts'
import { createChoose } from './choose.ts'
import { createCompactionGuard } from './compaction-guard.ts'
import { createConcurrency } from './concurrency.ts'
import { createContinuations } from './continuation.ts'
import { createDeadlines } from './deadlines.ts'
import type { Engine } from './engine.ts'
import { createExplain } from './explain.ts'
import { createFailover } from './failover.ts'
import { createGroups } from './groups.ts'
import type { HealthConfig } from './health-board.ts'
import { createHealth } from './health.ts'
import { createJournal } from './journal.ts'
import { createLifecycle } from './lifecycle.ts'
import { createLimits } from './limits.ts'
import { createMetrics } from './metrics.ts'
import { createMoves, type SessionRecords } from './moves.ts'
import { createProbeCall } from './probe-call.ts'
import { createProbes } from './probe.ts'
import { createRemedies } from './remedies.ts'
import { createAccountHandoff } from './remedies/account.ts'
import { createCodeartsHeal } from './remedies/codearts.ts'
import { Runs } from './runs.ts'
import { createSessionViews } from './session-views.ts'
import { createSettings } from './settings.ts'
import { createSpeedtest } from './speedtest.ts'
import { createStatus } from './status.ts'
import { createTakeover } from './takeover.ts'
import { createTransfer } from './transfer.ts'

/** Everything from outside. */
export interface Surroundings {
  readonly version: string
  readonly config: Config
  readonly configErrors: readonly ConfigError[]
  /** Keys the row itself names. */
  readonly configured: ReadonlySet<string>
  readonly endpointHealthDisabled: boolean
  /** IANA zone of the machine, for clock times in an error that name none: relays print those in their own. */
  readonly zone: string
  readonly time: Time
  readonly random: Random
  readonly log: Log
  readonly host: HostPort
  /** Facts of a model that were asked for already; undefined = not yet. */
  readonly remembered: (route: Route) => Facts | null | undefined
  readonly forgetFacts: () => void
  readonly store: DataFolder
  readonly say: (language: 'zh' | 'en') => Say
  readonly emit: (event: string, data: unknown) => void
  readonly neighbours: {
    pool(): unknown
    codeartsEntry(): { restart(): Promise<unknown> } | null
    codeartsAccounts(): unknown
    compactorActive(): boolean
    shim: { obstacle(): CompactionFacts['shim']; status(): QoderShimStatus; wake(): void }
  }
  readonly samples: SampleStore
}

/** Time (ms) an adapter gets to take over a change of its settings. */
const SETTINGS_SETTLE_MS = 500

export type Services = ReturnType<typeof createServices>

export function createServices(parts: Surroundings) {
  const { config, time, random, log, host, store } = parts
  const journal = createJournal({ time, redact })
  const groups = createGroups({ document: store.groups, random })
  const settings = createSettings({ document: store.settings, config, configured: parts.configured })
  const limits = createLimits({ document: store.concurrency })
  const bindings = createBindings({
    document: store.bindings, defaultDocument: store.defaultBinding, groups, time,
    isSubagent: (id) => host.recall(id)?.subagent ?? false,
    groupsKnown: store.groupsRead,
  })
  const runs = new Runs()
  const plans = new Plans(groups.list(), config.fallbacks)
  const deadlines = createDeadlines(time)
  const concurrency = createConcurrency({
    time, deadlines, limits: () => limits.all(), defaultLimit: () => settings.current().defaultConcurrency, queueTimeoutMs: () => config.concurrencyQueueTimeoutMs,
  })

  let healthConfig: HealthConfig = { ...config, ...hot(settings.current()) }
  const health = createHealth({
    time, random, log, config: () => healthConfig, endpointHealthDisabled: parts.endpointHealthDisabled,
    documents: { failed: store.failed, health: store.health }, endpointOf: (provider) => host.endpointOf(provider),
    emit: (event, data) => parts.emit(`model-failover/${event}`, data),
  })

  let epoch = 0
  const enabled = (): boolean => config.enabled
  const records: SessionRecords = {
    get: (id) => bindings.get(id), ids: () => Object.keys(store.bindings.value.sessions),
    save: (id, record) => bindings.save(id, record), set: (id, record) => bindings.set(id, record),
  }
  const moves = createMoves({
    time, log, host, records, decided: (record) => journal.decided(record),
    announce: (event) => parts.emit('model-failover/failover', event),
  })
  const metrics = createMetrics({
    time, samples: parts.samples, groups: () => groups.list(), concurrency, marks: () => health.failed(),
    rests: () => health.status().rests, holds: () => health.status().holds,
    quarantined: (route, now) => {
      const hold = health.view().hard(route, now, false)
      return hold?.why === 'quarantined' ? hold.until : null
    },
  })
  const guard = createCompactionGuard({
    enabled: () => settings.current().compactionGuard, providers: () => config.uncompressedProviders,
    compactorActive: () => parts.neighbours.compactorActive(), shim: () => parts.neighbours.shim.obstacle(), groups: () => groups.list(),
    sessions: () => runs.all().flatMap((run) => (run.sent ? [{ sessionId: run.id, route: run.sent }] : [])),
  })
  const account = createAccountHandoff({
    pool: () => parts.neighbours.pool(), excluded: () => config.ofmHandoffExcludeProviders, dayEnd: () => health.usageDay().endsAt, time,
  })
  const codearts = createCodeartsHeal({
    entry: () => parts.neighbours.codeartsEntry(), hasProvider: (provider) => host.hasProvider(provider), accounts: () => parts.neighbours.codeartsAccounts(),
    activity: (provider) => ({
      running: concurrency.live().filter((each) => each.provider === provider).reduce((sum, each) => sum + each.running, 0),
      lastSuccessAt: metrics.lastSuccess(provider),
    }),
    time, log,
  })
  const remedies = createRemedies({ remedies: [codearts.remedy, account.remedy], time, log })
  const continuations = createContinuations({
    time, log, host, note: (session, event, detail) => journal.note(session, event, detail), continuing: (session, on) => { runs.at(session).continuing = on },
    text: (language) => ({ text: parts.say(language)('continuation.text'), summary: parts.say(language)('continuation.summary') }),
  })

  const judge = (failure: HostFailure, aborted: boolean): Verdict => classify({
    code: failure.code, message: failure.message, aborted,
    ...(failure.status === undefined ? {} : { status: failure.status }),
    ...(failure.providerRetryAfterMs === undefined ? {} : { retryAfterMs: failure.providerRetryAfterMs }),
  }, time.now(), parts.zone)

  const engine: Engine = {
    time, log, host, config, runs, records, plans, health, moves, remedies, continuations, enabled,
    settings: () => settings.current(),
    epoch: () => epoch,
    remembered: parts.remembered,
    uncompressed: (route) => guard.demoted(route),
    freeSlot: (route) => concurrency.free(route),
    decided: (record) => journal.decided(record),
    failed: (entry) => {
      const bare = guard.noteFailure({ at: entry.at, route: entry.from, code: entry.code })
      journal.failed(bare ? { ...entry, uncompressed: true } : entry)
    },
    note: (session, event, detail) => journal.note(session, event, detail),
    say: parts.say,
    judge,
    releasePermit(run) {
      if (run.permit) health.release(run.permit)
      run.permit = null
    },
  }
  const choose = createChoose(engine)
  const before = createBeforeStep(engine, choose)
  const failover = createFailover(engine, createTakeover(engine))
  const lifecycle = createLifecycle({ engine, defaultBinding: () => bindings.defaultBinding(), groupExists: (id) => groups.get(id) !== null, forgetFacts: parts.forgetFacts })
  const calls = createCalls({
    engine, concurrency, deadlines, inBandRule: (route) => metrics.inBandRule(route),
    record(call) {
      const { end } = call
      const told = end.failure ? { ...end, failure: { ...end.failure, message: redact(end.failure.message) } } : end
      const sample = metrics.record({ ...call, end: told, endpoint: host.endpointOf(call.route.provider) })
      if (call.purpose === 'speedtest') speedtest.recorded(sample)
    },
  })
  const wanted = (route: Route): boolean => isWanted(route, groups.list(), host.sessions().map((live) => bindings.get(live.id)?.home ?? live.lastRoute))
  const probes = createProbes({
    time, random, log, config: () => healthConfig, health, wanted,
    call: createProbeCall({
      time, stream: (options) => calls.open('probe', options),
      judge: (failure) => ({ ...judge(failure, false), code: failure.code, message: redact(failure.message) }),
    }),
    emit: (event, data) => parts.emit(`model-failover/${event}`, data),
  })
  const speedtest = createSpeedtest({ time, groups: () => groups.list(), open: (options) => calls.open('speedtest', options) })
  const views = createSessionViews({ engine, groups: () => groups.list(), runningOn: choose.runningOn })
  const explain = createExplain({ engine, config, groups: () => groups.list(), failureLog: () => journal.failures(), runningOn: choose.runningOn })

  const undo = [
    groups.onChange(() => { epoch += 1; plans.update(groups.list(), config.fallbacks) }),
    bindings.onChange((sessions) => { epoch += 1; lifecycle.rebound(sessions) }),
    limits.onChange(() => concurrency.limitsChanged()),
    settings.onChange((now) => {
      epoch += 1
      healthConfig = { ...config, ...hot(now) }
      concurrency.limitsChanged()
    }),
  ]

  const registryChanged = (): void => {
    epoch += 1
    lifecycle.registryChanged()
    probes.poke()
  }

  const hooks: HostHooks = {
    request: (moment) => choose.request(moment),
    requestError: (report, next) => failover.requestError(report, next),
    turnError: (event) => failover.turnError(event),
    turnBegin: (event) => { lifecycle.turnBegin(event); before.turnBegin(event) },
    beforeStep: (moment) => before.beforeStep(moment),
    changeRefused: (event) => failover.changeRefused(event),
    turnEnd: (event) => { before.forget(event.session); lifecycle.turnEnd(event) },
    hostRetry: (event) => lifecycle.hostRetry(event),
    sessionStart: (event) => {
      bindings.seen(event.session)
      lifecycle.sessionStart(event)
      before.warm(event.session)
    },
    sessionGone: (session) => {
      before.forget(session)
      lifecycle.sessionGone(session)
      account.forget(session)
      codearts.forget(session)
    },
    status: (event) => {
      bindings.seen(event.session)
      if (event.status === 'idle') before.forget(event.session)
      lifecycle.status(event)
    },
    handPick: (session, route) => lifecycle.handPick(session, route),
    registryChanged,
    credentialChanged: (ref) => {
      for (const provider of host.providersOf({ credential: ref })) health.credentialChanged(provider)
    },
    settingsChanged: (namespace) => {
      // The adapter hears of its section as we do, before us or after; its new answers count once it has.
      const providers = host.providersOf({ settings: namespace })
      if (providers.length === 0) return
      for (const provider of providers) health.credentialChanged(provider)
      registryChanged()
      time.after(SETTINGS_SETTLE_MS, registryChanged)
    },
    call: (options, loop, next, open) => {
      // The shim looks for a qoder plugin that came after us, at the moment it matters.
      if (SHIM_PROVIDERS.includes(options.provider) || config.uncompressedProviders.includes(options.provider)) parts.neighbours.shim.wake()
      return calls.call(options, loop, next, open)
    },
  }

  const transfer = createTransfer({ groups, bindings, limits, settings, time })
  const status = createStatus({
    version: parts.version, dir: store.dir, config, configErrors: parts.configErrors, time, host, problems: () => [...store.problems(), ...parts.samples.problems()], groups, bindings, records,
    settings, health, probes: () => probes.report(), concurrency, continuations, journal, guard, account: () => account.status(), codearts: () => codearts.status(),
    shim: () => parts.neighbours.shim.status(),
  })

  return {
    hooks, status, models: () => host.models(), groups, bindings, settings, limits, transfer, health, explain, journal, metrics, speedtest,
    sessions: views,
    /** Ends every wait; resolves when nothing of ours runs any more. */
    async drain(): Promise<void> {
      for (const stop of undo) stop()
      await Promise.all([probes.close(), speedtest.dispose()])
      before.close()
      continuations.close()
      concurrency.dispose()
      deadlines.dispose()
      bindings.dispose()
      await health.close()
    },
  }
}

/** The health keys a user may change while the host runs. */
function hot(settings: { readonly ledgerRecovery: 'evidence' | 'day'; readonly enableProbe: boolean }): Pick<HealthConfig, 'ledgerRecovery' | 'enableProbe'> {
  return { ledgerRecovery: settings.ledgerRecovery, enableProbe: settings.enableProbe }
}
