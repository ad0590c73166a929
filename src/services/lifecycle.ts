/** What happens to sessions between failures: they start, resume, pick, succeed, idle and go; and providers come and go. */
import { sameRoute, type EffortRoute } from '../contract/route.ts'
import { startBinding } from '../domain/binding.ts'
import { pick } from '../domain/pick.ts'
import { askerOf, boundPlan } from '../domain/scene.ts'
import { homeOf, turnStart } from '../domain/turnstart.ts'
import type { HostHooks } from '../ports.ts'
import { sceneOf, type Engine } from './engine.ts'
import { NO_RECORD } from './moves.ts'

export type Lifecycle = Pick<HostHooks, 'turnBegin' | 'turnEnd' | 'hostRetry' | 'sessionStart' | 'sessionGone' | 'status' | 'handPick' | 'registryChanged'> & {
  /** The own binding of these sessions changed: an automatic move ends where the plugin steps back or the group chooses anew. */
  rebound(sessions: readonly string[]): void
}

export interface LifecycleDeps {
  readonly engine: Engine
  readonly defaultBinding: () => { readonly groupId: string; readonly mode: 'route' | 'failover' } | null
  readonly groupExists: (id: string) => boolean
  /** The registry's answers are stale. */
  readonly forgetFacts: () => void
}

export function createLifecycle(deps: LifecycleDeps): Lifecycle {
  const { engine } = deps
  const { time, log, host, runs, records, moves, health, continuations, remedies } = engine

  /** The view of a resumed session reads "last request"; that may be a fallback, and home is what the user wants to see. */
  const showHome = (session: string): void => {
    const record = records.get(session)
    if (!record?.override || !record.home || record.pin || !host.hasProvider(record.home.provider)) return
    const home = record.home
    void Promise.resolve().then(() => host.show(session, home))
  }

  /** A prompt is refused by the host itself while its selection has no adapter, so that selection must be routable. */
  const rescue = (session: string): void => {
    const record = records.get(session)
    const live = host.session(session)
    if (!live || live.subagent) return
    const shown = record?.home ?? live.lastRoute ?? live.createdWith
    if (!shown) return
    if (host.hasProvider(shown.provider)) {
      if (record?.override && record.home) void host.show(session, record.home)
      return
    }
    const scene = sceneOf(engine, session, false)
    if (scene.binding.pin) return
    const plan = boundPlan(scene) ?? scene.plans.loose(shown)
    const asker = askerOf(scene, shown, { exclude: (option) => (host.hasProvider(option.entry.provider) ? null : { why: 'unknown-model', class: 'local', until: null }) })
    const choice = pick(plan, scene.health, scene.now, asker)
    if (!choice) return
    const { provider, model } = choice.option.entry
    if (!record?.home) records.set(session, { ...(record ?? { ...NO_RECORD, seenAt: time.now() }), home: shown })
    void host.assign(session, { provider, model })
    engine.decided({
      at: time.now(), session, turn: null, kind: 'registry', from: shown, to: { provider, model }, moveKind: 'unroutable', class: 'local', code: null,
      message: null, rule: null, why: 'unknown-model', until: null, candidates: [], calls: 0, tookMs: 0,
    })
  }

  /** Consent given once is used up by the turn that ran on it. */
  const spendConsent = (session: string, used: EffortRoute): void => {
    const record = records.get(session)
    if (!record?.consents.some((each) => each.once && sameRoute(each, used))) return
    records.set(session, { ...record, consents: record.consents.filter((each) => !(each.once && sameRoute(each, used))) })
  }

  /** In route mode the binding chooses the model at once: the first routable entry, unless the present one is one. */
  const adoptNow = async (session: string): Promise<void> => {
    const record = records.get(session)
    const live = host.session(session)
    if (!record) return
    records.set(session, { ...record, home: null, picked: false, override: null })
    if (!live) return
    const hostRoute = record.home ?? live.lastRoute ?? live.createdWith
    const plan = engine.plans.group(record.groupId)
    await Promise.all((plan?.options ?? []).map((option) => host.facts(option.entry)))
    const decision = turnStart(sceneOf(engine, session, false), homeOf({ record: records.get(session), hostRoute, parentRoute: null }))
    if (decision.change !== 'adopt' && decision.change !== 'move') return
    const { route } = decision
    await moves.adopt({ run: runs.at(session), kind: 'turn-start', home: null, from: hostRoute, to: route, why: 'bound', until: null, candidates: decision.candidates, tookMs: 0 })
    runs.at(session).route = null
  }

  return {
    turnBegin({ session, turn }) {
      const run = runs.peek(session)
      if (!run || turn === null) return
      if (run.continuing) {
        run.continuing = false
        run.resumes = turn
        return
      }
      run.continuations = 0
      run.resumes = -1
      continuations.overtaken(session)
    },
    hostRetry({ session, turn, step, provider }) {
      const run = runs.peek(session)
      // The event names no model; the retry is of what was sent last.
      if (run && run.turn === turn && run.step === step && run.sent?.provider === provider) run.hostRetried.add(`${provider}\n${run.sent.model}`)
    },
    turnEnd({ session, turn, outcome }) {
      const run = runs.peek(session)
      if (!run || !engine.enabled()) return
      if (run.permit) engine.releasePermit(run)
      if (outcome === 'aborted') continuations.drop(session, 'cancelled')
      if (outcome !== 'completed' || run.turn !== turn || !run.sent) return
      run.continuations = 0
      health.turnSucceeded(run.sent, run.sentAt)
      spendConsent(session, run.sent)
    },
    sessionStart({ session, source, subagent }) {
      if (!engine.enabled()) return
      engine.note(session, 'session/start', source)
      const binding = startBinding({
        source, subagent, record: records.get(session), fallback: deps.defaultBinding(), groupExists: deps.groupExists,
      })
      if (binding) records.set(session, { ...(records.get(session) ?? { ...NO_RECORD, seenAt: time.now() }), groupId: binding.groupId, mode: binding.mode, seenAt: time.now() })
      if (source === 'resume') showHome(session)
    },
    sessionGone(session) {
      continuations.drop(session, 'session gone')
      const run = runs.peek(session)
      if (run) engine.releasePermit(run)
      runs.drop(session)
      remedies.forget(session)
    },
    status({ session, status }) {
      engine.note(session, 'agent/status', status)
      if (status === 'idle') continuations.idle(session)
    },
    handPick(session: string, route: EffortRoute) {
      if (!engine.enabled()) return
      const run = runs.peek(session)
      if (run) {
        run.route = null
        run.settled = null
      }
      const record = records.get(session)
      // Without a record and without a group there is nothing to remember: the host's own choice is home.
      if (!record || (record.groupId === null && !record.override && !record.home && record.rejections.length === 0)) return
      if (sameRoute(record.home, route) && record.home?.effort === route.effort && !record.override) return
      void moves.picked(session, route, 'hand-pick').catch((error: unknown) => log.error('a hand pick could not be recorded: %o', error))
    },
    rebound(sessions) {
      for (const session of sessions) {
        const record = records.get(session)
        const run = runs.peek(session)
        if (run) {
          run.route = null
          run.settled = null
        }
        if (!record) continue
        if (record.pin || record.groupId === null) {
          const back = record.override && record.home && host.hasProvider(record.home.provider) ? record.home : null
          moves.stop(session)
          if (back) void host.assign(session, back)
        } else if (record.mode === 'route') void adoptNow(session).catch((error: unknown) => log.error('a new binding could not be applied: %o', error))
      }
    },
    registryChanged() {
      deps.forgetFacts()
      if (!engine.enabled()) return
      health.registryChanged()
      for (const live of host.sessions()) {
        try { rescue(live.id) } catch (error) { log.error('a session whose provider went could not be moved: %o', error) }
      }
    },
  }
}
