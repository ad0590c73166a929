/** The HostPort of hosts 0.1.0-rc.8 … 0.2.1-alpha.2 and later, each ability chosen by what the host offers at the moment. */
import { randomUUID } from 'node:crypto'
import type { Abilities } from '../contract/status.ts'
import type { EffortRoute } from '../contract/route.ts'
import type { CallOptions, HostFailure, HostPort, Log, MoveEffect, Stream } from '../ports.ts'
import { createCatalog, type Catalog } from './catalog.ts'
import { armedGoal, reviveGoal } from './goals.ts'
import { createSelection, type Selection } from './selection.ts'
import { createSessionReader, type SessionReader } from './sessions.ts'
import { isRecord, service, type HostAgent, type HostContext, type HostLlm, type HostSelection } from './shapes.ts'

/** What the composition root needs beside the port itself. */
export interface Host {
  readonly port: HostPort
  readonly catalog: Catalog
  readonly selection: Selection
}

interface Controller { selectForNextRequest(agent: HostAgent, selection: HostSelection): void }

/** `forceNextTurn`: a development switch that pretends a same-step move is impossible. */
export function createHost(ctx: HostContext, log: Log, forceNextTurn: boolean): Host {
  const catalog = createCatalog(ctx)
  const sessions = createSessionReader(ctx)
  const selection = createSelection(ctx)
  const port: HostPort = {
    abilities: () => abilities(ctx, selection, sessions, forceNextTurn),
    models: () => catalog.models(),
    facts: (route) => catalog.facts(route),
    endpointOf: (provider) => catalog.endpointOf(provider),
    hasProvider: (provider) => catalog.hasProvider(provider),
    sessions: () => sessions.sessions(),
    session: (id) => sessions.session(id),
    usedTokens: (id) => sessions.usedTokens(id),
    hasImages: (id) => sessions.hasImages(id),
    language: (id) => sessions.language(id),
    stream: (options) => openCall(ctx, options),
    move: (id, route) => move(ctx, sessions.agent(id), route, log, forceNextTurn),
    show: (id, route) => selection.show(id, route),
    clearPartial: (id, facts) => clearPartial(sessions.agent(id), facts, log),
    armedGoal: (id) => armedGoal(ctx, sessions.agent(id)),
    reviveGoal: (id, ticket) => reviveGoal(ctx, sessions.agent(id), ticket),
    whenIdle: async (id) => { await sessions.agent(id)?.whenIdle?.() },
    followUp: (id, text, summary) => followUp(sessions.agent(id), text, summary, log),
  }
  return { port, catalog, selection }
}

function openCall(ctx: HostContext, options: CallOptions): Stream {
  const llm = service<HostLlm>(ctx, 'llm', 'stream')
  if (!llm) throw new Error('the host has no model runtime')
  return llm.stream(options) as Stream
}

/** The controller of hosts 0.1.2 and later, or null. */
function controller(ctx: HostContext): Controller | null {
  try {
    const found = ctx.get('sessionController')
    const agents = isRecord(found) ? found.agents : null
    return isRecord(agents) && typeof agents.selectForNextRequest === 'function' ? (agents as unknown as Controller) : null
  } catch { return null /* not on this host */ }
}

function modelSelect(agent: HostAgent | null): ((selection: HostSelection) => unknown) | null {
  try {
    const model = agent?.model
    return typeof model?.select === 'function' ? (selection) => model.select?.(selection) : null
  } catch { return null /* an accessor that throws is no ability */ }
}

function toSelection(route: EffortRoute): HostSelection {
  return { provider: route.provider, model: route.model, ...(route.effort === undefined ? {} : { reasoningEffort: route.effort }) }
}

function move(ctx: HostContext, agent: HostAgent | null, route: EffortRoute, log: Log, forceNextTurn: boolean): MoveEffect {
  const select = modelSelect(agent)
  if (select) {
    const failed = (error: unknown): void => log.warn('the host refused to select %s/%s: %o', route.provider, route.model, error)
    try { void Promise.resolve(select(toSelection(route))).catch(failed) } catch (error) { failed(error) }
    return 'next-turn'
  }
  const agents = agent ? controller(ctx) : null
  // Appending to the session from inside one of its own events is forbidden, hence the microtask.
  if (agents && agent) queueMicrotask(() => { try { agents.selectForNextRequest(agent, toSelection(route)) } catch (error) { log.warn('the host refused the selection: %o', error) } })
  return forceNextTurn ? 'next-turn' : 'this-step'
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

function abilities(ctx: HostContext, selection: Selection, sessions: SessionReader, forceNextTurn: boolean): Abilities {
  const anyAgent = sessions.sessions()[0]
  const byAgent = anyAgent ? modelSelect(sessions.agent(anyAgent.id)) !== null : false
  const has = (name: string, method: string): boolean => service(ctx, name, method) !== null
  const found = {
    switch: byAgent ? 'model-select' as const : controller(ctx) ? 'select-for-next-request' as const : 'request-override' as const,
    sameStep: !byAgent && !forceNextTurn,
    silentView: selection.canShow(),
    handPickSensor: selection.senses() ? 'pass-through' as const : controller(ctx) ? 'event' as const : 'header' as const,
    goals: has('goals', 'resume'),
    skills: has('skills', 'register'),
    hostFence: has('connection', 'requestRejection'),
    loader: has('loader', 'entries'),
    accountPool: has('accountPool', 'getAvailableAccount'),
    tokenMeter: has('tokenMeter', 'measure'),
  }
  const reduced = [
    found.sameStep ? null : 'next-turn',
    found.silentView || byAgent ? null : 'no-silent-view',
    found.handPickSensor === 'header' ? 'no-hand-pick-sensor' : null,
    found.goals ? null : 'no-goals',
    found.tokenMeter ? null : 'no-token-meter',
  ].filter((line) => line !== null)
  return { ...found, reduced }
}
