/**
 * The model choice that hosts from 0.1.2 on keep for a session: writing it, telling our own writes from the user's, and
 * reading what the next step will run on. Hosts before keep none that we may write.
 */
import { sameRoute, type EffortRoute, type Route } from '../contract/route.ts'
import type { Log } from '../ports.ts'
import { chosenRoute, toRoute } from './sessions.ts'
import { isRecord, service, type HostAgent, type HostContext, type HostLlm, type HostSelection, type HostSession } from './shapes.ts'

/** `model-select`: the agent owns its choice and fixes it before a step. `select-for-next-request`: a service keeps it. */
export type Way = 'model-select' | 'select-for-next-request'

export interface HostChoice {
  /** How the host takes a choice; without an agent only what is the same for all of them can be told. */
  way(agent: HostAgent | null): Way | null
  /** The agent owns its choice, so a request takes no other one. */
  owns(agent: HostAgent | null): boolean
  /** What the next step would run on if nobody interferes; null = the host does not say. */
  current(agent: HostAgent | null): EffortRoute | null
  /** The last order wins. Resolves true when the host has taken it, false when it refused or a newer choice came first. */
  choose(agent: HostAgent, route: EffortRoute): Promise<boolean>
  /** Resolves when no choice of ours is under way for the session. */
  settled(session: string): Promise<void>
  /** A choice was logged. True when it is the echo of our own; anything else is the user's and cancels what we still wait to write. */
  logged(session: string, route: EffortRoute): boolean
  /** A request with this route was logged; a choice that it fulfils is over. */
  sent(session: string, route: Route): void
  forget(session: string): void
}

interface State {
  /** Grows with each choice, whoever makes it. */
  order: number
  /** Written by us and not logged yet. */
  readonly ours: Route[]
  /** The last choice that was logged and not fulfilled yet. */
  pick: EffortRoute | null
  writing: { readonly route: EffortRoute; readonly done: Promise<boolean> } | null
}

interface Controller { selectForNextRequest(agent: HostAgent, selection: HostSelection): void }

export function createChoice(ctx: HostContext, log: Log): HostChoice {
  const states = new Map<string, State>()
  const at = (session: string): State => {
    let state = states.get(session)
    if (!state) states.set(session, state = { order: 0, ours: [], pick: null, writing: null })
    return state
  }

  /** Marked before the call, because the log tells its listeners at once; what was never logged is forgotten a turn of the loop later. */
  const asOurs = async (state: State, route: Route, write: () => unknown): Promise<void> => {
    const mark: Route = { provider: route.provider, model: route.model }
    state.ours.push(mark)
    try { await write() } finally {
      setImmediate(() => { const index = state.ours.indexOf(mark); if (index >= 0) state.ours.splice(index, 1) })
    }
  }

  const current = (agent: HostAgent): EffortRoute | null => (
    toRoute(ownModel(agent)?.current) ?? states.get(agent.id)?.pick ?? pendingPick(ctx, agent.session) ?? chosenRoute(agent.session) ?? toRoute(agent.options)
  )

  const write = async (agent: HostAgent, route: EffortRoute, state: State, order: number): Promise<boolean> => {
    const select = modelSelect(agent)
    if (select) {
      try {
        await asOurs(state, route, () => select(toSelection(route)))
        return true
      } catch (error) { log.warn('the host refused to select %s/%s: %o', route.provider, route.model, error) }
    }
    // Appending to a session from inside one of its own events is forbidden, so this never runs in the caller's stack.
    await Promise.resolve()
    const agents = controller(ctx)
    if (!agents) return false
    try {
      await service<Resolver>(ctx, 'llm', 'resolveCallConfig')?.resolveCallConfig(toSelection(route))
      if (state.order !== order) return false
      // The request may have gone out meanwhile; its header then says all, and a choice would outlive it.
      if (same(current(agent), route)) return true
      await asOurs(state, route, () => { agents.selectForNextRequest(agent, toSelection(route)) })
      return true
    } catch (error) {
      log.warn('the host refused %s/%s for the next request: %o', route.provider, route.model, error)
      return false
    }
  }

  return {
    way: (agent) => (modelSelect(agent) ? 'model-select' : controller(ctx) ? 'select-for-next-request' : null),
    owns: (agent) => modelSelect(agent) !== null,
    current: (agent) => (agent ? current(agent) : null),
    choose(agent, route) {
      const state = at(agent.id)
      if (state.writing && same(state.writing.route, route)) return state.writing.done
      if (!state.writing && same(current(agent), route)) return Promise.resolve(true)
      const order = ++state.order
      const done = write(agent, route, state, order)
      const writing = { route, done }
      state.writing = writing
      void done.finally(() => { if (state.writing === writing) state.writing = null })
      return done
    },
    async settled(session) { await states.get(session)?.writing?.done },
    logged(session, route) {
      const state = at(session)
      state.pick = route
      const index = state.ours.findIndex((each) => sameRoute(each, route))
      if (index >= 0) {
        state.ours.splice(index, 1)
        return true
      }
      state.order += 1
      return false
    },
    sent(session, route) {
      const state = states.get(session)
      if (state && sameRoute(state.pick, route)) state.pick = null
    },
    forget: (session) => { states.delete(session) },
  }
}

interface Resolver extends HostLlm { resolveCallConfig(selection: HostSelection): Promise<unknown> }

function ownModel(agent: HostAgent | null): Record<string, unknown> | null {
  try { return isRecord(agent?.model) ? agent.model : null } catch { return null /* an accessor that throws is no ability */ }
}

function modelSelect(agent: HostAgent | null): ((selection: HostSelection) => unknown) | null {
  const model = ownModel(agent)
  try {
    const select = model?.['select']
    return typeof select === 'function' ? (selection) => Reflect.apply(select, model, [selection]) as unknown : null
  } catch { return null /* likewise */ }
}

function controller(ctx: HostContext): Controller | null {
  try {
    const found = ctx.get('sessionController')
    const agents = isRecord(found) ? found.agents : null
    return isRecord(agents) && typeof agents.selectForNextRequest === 'function' ? (agents as unknown as Controller) : null
  } catch { return null /* not on this host */ }
}

/** The choice a resumed session still waits to use, where the host projects it from the log. */
function pendingPick(ctx: HostContext, session: HostSession): EffortRoute | null {
  const projections = service<{ stateOf(session: HostSession, name: string): unknown }>(ctx, 'sessionProjections', 'stateOf')
  if (!projections) return null
  try {
    const state = projections.stateOf(session, 'modelSelection')
    return isRecord(state) ? toRoute(state.pending) : null
  } catch { return null /* no such projection on this host */ }
}

function same(a: EffortRoute | null, b: EffortRoute): boolean {
  return sameRoute(a, b) && a?.effort === b.effort
}

function toSelection(route: EffortRoute): HostSelection {
  return { provider: route.provider, model: route.model, ...(route.effort === undefined ? {} : { reasoningEffort: route.effort }) }
}
