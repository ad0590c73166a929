/** Dry runs: what an error would be taken for and what would follow, and the last failures judged by today's configuration. */
import type { Body, Reply } from '../contract/api.ts'
import type { Config } from '../contract/config.ts'
import type { Group } from '../contract/group.ts'
import { Refusal, unknownGroup, unknownSession } from '../contract/refusal.ts'
import { routeKey, type EffortRoute, type Route } from '../contract/route.ts'
import type { CandidateVerdict, ExplainReply, FailureLogEntry } from '../contract/status.ts'
import { UNBOUND } from '../domain/binding.ts'
import { classify } from '../domain/classify.ts'
import { consequences } from '../domain/consequences.ts'
import { decide } from '../domain/decide.ts'
import { patienceFor } from '../domain/patience.ts'
import { previewGroup } from '../domain/preview.ts'
import type { Scene } from '../domain/scene.ts'
import { bindingOf, sceneOf, type Engine } from './engine.ts'

export interface Explain {
  explain(input: Body<'explain'>): Promise<ExplainReply>
  replay(groupId: string | undefined): Promise<Reply<'dryRun'>>
  preview(groupId: string): Promise<CandidateVerdict[]>
}

export interface ExplainDeps {
  readonly engine: Engine
  readonly config: Config
  readonly groups: () => readonly Group[]
  readonly failureLog: () => readonly FailureLogEntry[]
  readonly runningOn: (session: string) => EffortRoute | null
}

export function createExplain(deps: ExplainDeps): Explain {
  const { engine, config, groups, failureLog, runningOn } = deps
  const { host, time, records } = engine

  const mustHave = (groupId: string): Group => {
    const group = groups().find((each) => each.id === groupId)
    if (!group) throw unknownGroup(groupId)
    return group
  }

  /** The scene of the named session, or of a session without history bound to the named group. */
  const sceneFor = (input: { sessionId?: string | undefined; groupId?: string | undefined }): Scene | null => {
    if (input.sessionId !== undefined) {
      if (!host.recall(input.sessionId) && !records.get(input.sessionId)) throw unknownSession(input.sessionId)
      return sceneOf(engine, input.sessionId, false)
    }
    if (input.groupId === undefined) return null
    mustHave(input.groupId)
    return { ...sceneOf(engine, '', false), record: null, usedTokens: null, images: false, binding: { ...UNBOUND, groupId: input.groupId } }
  }

  /** Which route is taken to have failed: the named one, the session's own, else the first of the group. */
  const failedRoute = (input: Body<'explain'>): Route | null => {
    if (input.provider !== undefined && input.model !== undefined) return { provider: input.provider, model: input.model }
    if ((input.provider === undefined) !== (input.model === undefined)) throw new Refusal('invalid', 'INVALID_INPUT', 'name both provider and model of the failed route, or neither')
    if (input.sessionId !== undefined) return runningOn(input.sessionId)
    return input.groupId === undefined ? null : (mustHave(input.groupId).models[0] ?? null)
  }

  /** Asks the host about the models concerned, so that one it does not know is not taken for a way out. */
  const learn = async (groupId: string | null): Promise<void> => {
    const concerned = groups().filter((group) => groupId === null || group.id === groupId)
    const routes = new Map(concerned.flatMap((group) => group.models.map((entry) => [routeKey(entry), entry])))
    await Promise.all([...routes.values()].map((route) => host.facts(route)))
  }

  const explain = (input: Body<'explain'>): ExplainReply => {
    const now = time.now()
    const retryAfter = Object.entries(input.headers ?? {})
    // People paste what a log shows, where the code often stands in front.
    const code = input.code ?? /^\s*([A-Z]+(?:_[A-Z]+)+)(?![\w-])/.exec(input.message ?? '')?.[1] ?? null
    const verdict = classify({ code, status: input.status ?? null, message: input.message ?? null, ...(retryAfter.length > 0 ? { headers: Object.fromEntries(retryAfter) } : {}) }, now)
    const effect = consequences({ ...verdict, code }, config, now)
    const scene = sceneFor(input)
    const failed = scene ? failedRoute(input) : null
    const patience = patienceFor({ class: verdict.class, hostRetries: true, mode: 'normal', held: false, failures: 1, patience: engine.settings().patience })
    return {
      class: verdict.class, scope: verdict.scope,
      hold: effect.hold ? { scope: effect.hold.scope, until: effect.hold.until } : null,
      until: effect.hold?.until ?? effect.restUntil ?? verdict.reset,
      mark: effect.mark !== 'never', breakerWeight: effect.plainWeight, structural: effect.structural, rule: verdict.rule,
      takeOver: verdict.class === 'cancelled' ? 'never' : verdict.class === 'context_too_long' ? 'host-first' : verdict.class === 'timeout' ? 'after-first' : patience === 'at-once' ? 'at-once' : 'after-host-retries',
      ...(scene && failed ? { move: moveOf(scene, failed, verdict.class) } : {}),
    }
  }

  const moveOf = (scene: Scene, failed: Route, failure: ExplainReply['class']): NonNullable<ExplainReply['move']> => {
    const decision = decide(scene, {
      failed, home: scene.record?.home ?? null, judgement: { class: failure }, visited: new Set(), hopsLeft: config.routingChainMax, endpointOf: (provider) => host.endpointOf(provider),
    })
    return { to: decision.kind === 'move' ? decision.to : null, verdicts: [...decision.candidates()] }
  }

  return {
    async explain(input) {
      await learn(input.groupId ?? (input.sessionId === undefined ? null : bindingOf(engine, input.sessionId).groupId))
      return explain(input)
    },
    async replay(groupId) {
      if (groupId !== undefined) mustHave(groupId)
      await learn(groupId ?? null)
      return {
        replays: failureLog().map((entry) => ({
          at: entry.at, from: entry.from, before: { class: entry.class, to: entry.to },
          now: explain({
            code: entry.code, message: entry.message, provider: entry.from.provider, model: entry.from.model,
            ...(groupId !== undefined ? { groupId } : entry.session !== null && (host.recall(entry.session) ?? records.get(entry.session)) ? { sessionId: entry.session } : {}),
          }),
        })),
      }
    },
    async preview(groupId) {
      const group = mustHave(groupId)
      await learn(groupId)
      const scene = sceneOf(engine, '', false)
      const plan = scene.plans.group(groupId)
      if (!plan) return group.models.map((entry) => ({ route: { provider: entry.provider, model: entry.model }, priority: entry.priority, routable: false, why: 'disabled', class: null, until: null, tier: null }))
      return previewGroup(plan, { health: scene.health, now: scene.now, probesOn: scene.rules.probesOn, facts: scene.facts, uncompressed: (route) => engine.uncompressed(route) })
    },
  }
}
