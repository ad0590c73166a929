/** What people ask about one session, and what they tell it: its route and candidates, a choice by hand, consent, the way home. */
import { unknownEntry, unknownSession, Refusal } from '../contract/refusal.ts'
import type { Group } from '../contract/group.ts'
import { sameRoute, type EffortRoute, type Route } from '../contract/route.ts'
import type { SessionInfo } from '../contract/status.ts'
import { sessionCandidates } from '../domain/preview.ts'
import { bindingOf, sceneOf, type Engine } from './engine.ts'
import { NO_RECORD } from './moves.ts'

export interface SessionViews {
  /** Live, stored by the host, or remembered from earlier. */
  known(sessionId: string): Promise<boolean>
  info(sessionId: string): Promise<SessionInfo>
  choose(sessionId: string, route: EffortRoute): Promise<SessionInfo>
  consent(sessionId: string, route: Route, once: boolean): Promise<SessionInfo>
  sendHome(sessionId?: string): Promise<{ returned: string[]; failed: { sessionId: string; message: string }[] }>
  debug(): readonly unknown[]
}

export interface SessionViewsDeps {
  readonly engine: Engine
  readonly groups: () => readonly Group[]
  readonly runningOn: (session: string) => EffortRoute | null
}

/** How long (ms) a failed turn keeps its offer where nothing else remembers the failure; the page shows it as long. */
const OFFERED_MS = 3_600_000

export function createSessionViews(deps: SessionViewsDeps): SessionViews {
  const { engine, groups, runningOn } = deps
  const { host, records, moves, runs, time } = engine

  // The host is asked also where a record would do: it tells whose child the session is.
  const known = async (id: string): Promise<boolean> => await host.lookUp(id) !== null || records.get(id) !== null

  /** Anything unknown is a typing error of the caller. */
  const mustExist = async (id: string): Promise<void> => {
    if (!await known(id)) throw unknownSession(id)
  }

  /** Where the session's last request failed a short while ago. */
  const justTried = (id: string): ReadonlySet<string> => {
    const run = runs.peek(id)
    return new Set(run?.firstFailureMono != null && time.mono() - run.firstFailureMono < OFFERED_MS ? run.tried.keys() : [])
  }

  const info = async (id: string): Promise<SessionInfo> => {
    await mustExist(id)
    const binding = bindingOf(engine, id)
    const group = groups().find((each) => each.id === binding.groupId) ?? null
    const record = records.get(id)
    const route = runningOn(id)
    await Promise.all((group?.models ?? (route ? [route] : [])).map((each) => host.facts(each)))
    const { verdicts, offer } = sessionCandidates(sceneOf(engine, id, false), route, justTried(id))
    return {
      sessionId: id, group: group as SessionInfo['group'], inheritedFrom: binding.inheritedFrom, mode: binding.groupId === null ? null : binding.mode,
      pinned: binding.pin, route, home: record?.home ?? null, override: record?.override ?? null, verdicts: [...verdicts],
      subagent: host.recall(id)?.subagent ?? false, offer: offer.map(({ provider, model }) => ({ provider, model })),
    }
  }

  const forgetTurn = (id: string): void => {
    const run = runs.peek(id)
    if (!run) return
    run.route = null
    run.settled = null
  }

  const goHome = async (id: string): Promise<void> => {
    const record = records.get(id)
    if (!record?.override) return
    const home = record.home
    await records.save(id, { ...record, override: null })
    forgetTurn(id)
    engine.decided({
      at: time.now(), session: id, turn: null, kind: 'return', from: record.override, to: home, moveKind: null, class: null, code: null, message: null,
      rule: null, why: 'sent-home', until: null, candidates: [], calls: 0, tookMs: 0,
    })
    // Only a session the host can load has a log to write to; its record is gone either way, so it starts from its log.
    if (home && !await host.anchor(id, home)) throw new Error('the session is busy, or the host cannot load it; it goes home with its next turn')
  }

  return {
    known,
    info,
    async choose(id, route) {
      await mustExist(id)
      const facts = await host.facts(route)
      if (facts === null) {
        throw new Refusal('invalid', 'UNKNOWN_MODEL', `the host knows no model ${JSON.stringify(route.model)} of provider ${JSON.stringify(route.provider)}; GET /models lists what it knows`)
      }
      if (route.effort !== undefined && !facts.efforts.includes(route.effort)) {
        throw new Refusal('invalid', 'UNSUPPORTED_EFFORT', `${route.provider}/${route.model} does not offer the reasoning effort ${JSON.stringify(route.effort)}; it offers: ${facts.efforts.join(', ') || 'none'}`)
      }
      await moves.picked(id, route, 'hand-pick')
      forgetTurn(id)
      await host.assign(id, route)
      return info(id)
    },
    async consent(id, route, once) {
      await mustExist(id)
      const binding = bindingOf(engine, id)
      const concerned = groups().filter((group) => binding.groupId === null || group.id === binding.groupId)
      const entries = concerned.flatMap((group) => group.models.filter((entry) => sameRoute(entry, route)))
      if (entries.length === 0) throw unknownEntry(route)
      if (!entries.some((entry) => entry.ask)) throw new Refusal('invalid', 'NO_CONSENT_NEEDED', `${route.provider}/${route.model} serves without being asked for; only an entry with \`ask\` needs consent`)
      const record = records.get(id) ?? { ...NO_RECORD, seenAt: time.now() }
      const others = record.consents.filter((each) => !sameRoute(each, route))
      await records.save(id, { ...record, consents: [...others, { provider: route.provider, model: route.model, ...(once ? { once: true } : {}) }] })
      forgetTurn(id)
      return info(id)
    },
    async sendHome(only) {
      if (only !== undefined) await mustExist(only)
      const returned: string[] = []
      const failed: { sessionId: string; message: string }[] = []
      for (const id of only === undefined ? records.ids() : [only]) {
        if (!records.get(id)?.override) continue
        try {
          await goHome(id)
          returned.push(id)
        } catch (error) {
          failed.push({ sessionId: id, message: error instanceof Error ? error.message : 'unknown error' })
        }
      }
      return { returned, failed }
    },
    debug: () => host.sessions().map((live) => {
      const run = runs.peek(live.id)
      return {
        ...live, binding: bindingOf(engine, live.id), record: records.get(live.id), running: runningOn(live.id),
        turn: run ? { turn: run.turn, step: run.step, route: run.route, sent: run.sent, hops: run.hops, calls: run.calls, tried: [...run.tried.values()] } : null,
      }
    }),
  }
}
