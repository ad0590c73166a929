/** The HostPort of hosts 0.1.0-rc.8 … 0.2.1-alpha.2 and later, each ability chosen by what the host offers at the moment. */
import { randomUUID } from 'node:crypto'
import type { Abilities } from '../contract/status.ts'
import type { CallOptions, HostFailure, HostPort, Log, Stream } from '../ports.ts'
import { anchor, wake } from './anchor.ts'
import { createCatalog, type Catalog } from './catalog.ts'
import { createChoice, type HostChoice } from './choice.ts'
import { armedGoal, reviveGoal } from './goals.ts'
import { createRequestChange, type RequestChange } from './request-change.ts'
import { createSelection, type Selection } from './selection.ts'
import { createSessionReader, type SessionReader } from './sessions.ts'
import { service, type HostAgent, type HostContext, type HostLlm } from './shapes.ts'

/** What the composition root needs beside the port itself. */
export interface Host {
  readonly port: HostPort
  readonly catalog: Catalog
  readonly selection: Selection
  readonly choice: HostChoice
  readonly change: RequestChange
  readonly sessions: SessionReader
}

/** `forceNextTurn`: a development switch that pretends a same-step move is impossible. */
export function createHost(ctx: HostContext, log: Log, forceNextTurn: boolean): Host {
  const catalog = createCatalog(ctx)
  const sessions = createSessionReader(ctx)
  const selection = createSelection(ctx)
  const choice = createChoice(ctx, log)
  const change = createRequestChange()
  const frozen = (agent: HostAgent | null): boolean => choice.owns(agent) || change.refused()
  const port: HostPort = {
    abilities: () => abilities(ctx, { selection, choice, frozen }, sessions, forceNextTurn),
    models: () => catalog.models(),
    facts: (route) => catalog.facts(route),
    endpointOf: (provider) => catalog.endpointOf(provider),
    hasProvider: (provider) => catalog.hasProvider(provider),
    providersOf: (what) => catalog.providersOf(what),
    sessions: () => sessions.sessions(),
    session: (id) => sessions.session(id),
    recall: (id) => sessions.recall(id),
    lookUp: (id) => sessions.lookUp(id),
    usedTokens: (id) => sessions.usedTokens(id),
    hasImages: (id) => sessions.hasImages(id),
    language: (id) => sessions.language(id),
    stream: (options) => openCall(ctx, options),
    move(id, route) {
      const agent = sessions.agent(id)
      if (agent && choice.way(agent)) void choice.choose(agent, route)
      return forceNextTurn || frozen(agent) ? 'next-turn' : 'this-step'
    },
    frozen: (id) => frozen(sessions.agent(id)),
    current: (id) => choice.current(sessions.agent(id)),
    settled: (id) => choice.settled(id),
    assign(id, route) {
      const agent = sessions.agent(id)
      if (agent && choice.way(agent)) return choice.choose(agent, route)
      // The older way refuses subagents, whose model is the business of who made them.
      return agent?.session.header?.origin === 'subagent' ? Promise.resolve(false) : selection.show(id, route)
    },
    show: (id, route) => selection.show(id, route),
    async anchor(id, route) {
      if (!sessions.agent(id) && !await wake(ctx, id)) return false
      const agent = sessions.agent(id)
      if (!agent || !await port.assign(id, route)) return false
      // Newer hosts have written the choice down themselves.
      return choice.way(agent) !== null || anchor(agent, route, log)
    },
    clearPartial: (id, facts) => clearPartial(sessions.agent(id), facts, log),
    armedGoal: (id) => armedGoal(ctx, sessions.agent(id)),
    reviveGoal: (id, ticket) => reviveGoal(ctx, sessions.agent(id), ticket),
    whenIdle: async (id) => { await sessions.agent(id)?.whenIdle?.() },
    followUp: (id, text, summary) => followUp(sessions.agent(id), text, summary, log),
  }
  return { port, catalog, selection, choice, change, sessions }
}

function openCall(ctx: HostContext, options: CallOptions): Stream {
  const llm = service<HostLlm>(ctx, 'llm', 'stream')
  if (!llm) throw new Error('the host has no model runtime')
  return llm.stream(options) as Stream
}

function clearPartial(agent: HostAgent | null, facts: { turn: number; step: number; provider: string; failure: HostFailure; retry: number }, log: Log): void {
  const retryId = randomUUID()
  const { turn, step, provider, failure, retry } = facts
  try {
    agent?.session.append?.('llm/retry', { retryId, turn, step, provider, mode: 'normal', policyKey: 'model-failover', retry, maxRetries: retry, delayMs: 0, failure: { ...failure } })
    agent?.session.append?.('llm/retry-started', { retryId, turn, step, retry })
  } catch (error) { log.warn('the partial text of the failed attempt stays on the page: %o', error) }
}

/** A message in the host's own shape, frozen as the host freezes its own. */
function followUp(agent: HostAgent | null, text: string, summary: string, log: Log): boolean {
  if (!agent?.followup) return false
  const message = {
    id: randomUUID(),
    role: 'user',
    content: Object.freeze([Object.freeze({ type: 'text', text })]),
    source: Object.freeze({ kind: 'plugin', plugin: 'model-failover', form: 'notice', summary: summary.slice(0, 120) }),
  }
  try {
    agent.followup(Object.freeze(message))
    return true
  } catch (error) {
    log.warn('the continuation was refused: %o', error)
    return false
  }
}

interface Switching { readonly selection: Selection; readonly choice: HostChoice; frozen(agent: HostAgent | null): boolean }

function abilities(ctx: HostContext, { selection, choice, frozen }: Switching, sessions: SessionReader, forceNextTurn: boolean): Abilities {
  // The newest hosts show their way at an agent only; without one the answer is the service's.
  const some = sessions.agent(sessions.sessions()[0]?.id ?? '')
  const way = choice.way(some)
  const has = (name: string, method: string): boolean => service(ctx, name, method) !== null
  const found = {
    switch: way ?? 'request-override' as const,
    sameStep: !frozen(some) && !forceNextTurn,
    silentView: selection.canShow(),
    handPickSensor: selection.senses() ? 'pass-through' as const : way ? 'event' as const : 'header' as const,
    goals: has('goals', 'resume'),
    skills: has('skills', 'register'),
    hostFence: has('connection', 'requestRejection'),
    loader: has('loader', 'entries'),
    accountPool: has('accountPool', 'getAvailableAccount'),
    tokenMeter: has('tokenMeter', 'measure'),
  }
  const reduced = [
    found.sameStep ? null : 'next-turn',
    found.silentView || way ? null : 'no-silent-view',
    found.handPickSensor === 'header' ? 'no-hand-pick-sensor' : null,
    found.goals ? null : 'no-goals',
    found.tokenMeter ? null : 'no-token-meter',
  ].filter((line) => line !== null)
  return { ...found, reduced }
}
