/** One session as its seat shows it: the model in use, its home, its group, its health, and the acts on them. */
import { computed, effect, signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { BindingMode } from '../../src/contract/group.ts'
import type { EffortRoute, Route } from '../../src/contract/route.ts'
import type { DecisionRecord, SessionInfo } from '../../src/contract/status.ts'
import type { Directory } from '../host.ts'
import { toRoute } from '../host.ts'
import { createResource } from '../resource.ts'
import type { Resource } from '../resource.ts'
import { t } from '../text.ts'
import { sameRoute } from '../words.ts'
import type { App } from './app.ts'
import { createPoll } from './poll.ts'
import { followMoves } from './moves.ts'

export const SESSION_MS = 3000

export interface SessionModel {
  readonly id: string
  readonly subagent: boolean
  readonly info: Resource<SessionInfo>
  readonly decisions: Resource<readonly DecisionRecord[]>
  /** The route the next request goes out on; null while nothing is known. */
  readonly route: ReadonlySignal<EffortRoute | null>
  /** An act of this session is under way. */
  readonly busy: ReadonlySignal<boolean>
  /** Keeps the session fresh, and tells its moves, until the answer is called. */
  watch(): () => void
  /** Chooses a model by hand: it becomes the session's home. */
  select(route: EffortRoute): Promise<boolean>
  bind(groupId: string | null, mode: BindingMode, pin: boolean): Promise<boolean>
  consent(route: Route, once: boolean): Promise<boolean>
  /** Returns the session to its home model. */
  goHome(): Promise<boolean>
  /** Something happened in the session: look again now. */
  touch(): void
}

const same = (a: EffortRoute | null, b: EffortRoute | null): boolean => sameRoute(a, b) && (a?.effort ?? null) === (b?.effort ?? null)

/** A choice the host half may not have heard of yet; `was` = the route it reported before. */
interface Pick { readonly route: EffortRoute; readonly was: EffortRoute | null }

/** The user's newest choice until the host half reports it, or reports something newer. */
function followPicks(info: Resource<SessionInfo>, directory: Directory | null): { readonly pick: ReadonlySignal<EffortRoute | null>; put(route: EffortRoute): void; watch(): () => void } {
  const pick = signal<Pick | null>(null)
  let known: EffortRoute | null = null
  const put = (route: EffortRoute): void => { pick.value = { route, was: info.data.peek()?.route ?? null } }
  const watch = (): () => void => {
    const settled = effect(() => {
      const told = info.data.value?.route ?? null
      const open = pick.value
      if (open && told && (same(told, open.route) || !same(told, open.was))) pick.value = null
    })
    // Other ways to choose (a command of the host, its own popup) show up as a change of the directory.
    const elsewhere = directory === null ? () => undefined : effect(() => {
      const { current } = directory.state.value
      const next = current ? toRoute(current) : null
      if (known && next && !same(known, next)) put(next)
      known = next ?? known
    })
    return () => {
      settled()
      elsewhere()
    }
  }
  return { pick: computed(() => pick.value?.route ?? null), put, watch }
}

/** @param directory null for sessions that the host's own selection does not serve (subagents, older hosts without it). */
export function createSession(app: App, id: string, directory: Directory | null, subagent: boolean): SessionModel {
  const info = createResource((abort) => app.api.call('sessionInfo', { query: { sessionId: id }, signal: abort }))
  const decisions = createResource<readonly DecisionRecord[]>(async (abort) => (await app.api.call('decisions', { query: { sessionId: id }, signal: abort })).decisions)
  const busy = signal(false)
  const picks = followPicks(info, directory)
  const poll = createPoll(app.clock, SESSION_MS, () => info.refresh())
  const route = computed<EffortRoute | null>(() => {
    const told = info.data.value
    if (picks.pick.value) return picks.pick.value
    const current = directory?.state.value.current ?? null
    return told?.route ?? (current ? toRoute(current) : null)
  })
  /** Runs an act that answers the session's new state. */
  const change = async (run: () => Promise<SessionInfo>): Promise<boolean> => {
    busy.value = true
    const next = await app.act(run)
    busy.value = false
    if (next !== null) info.set(next)
    return next !== null
  }
  const after = async (): Promise<void> => {
    await Promise.all([info.refresh(), directory?.load()])
  }
  const selectByHost = async (to: EffortRoute, by: Directory): Promise<boolean> => {
    busy.value = true
    const refused = await by.select(to)
    busy.value = false
    if (refused !== null) {
      app.notices.say(t('refusal.other', { message: refused }), id)
      return false
    }
    picks.put(to)
    void info.refresh()
    return true
  }
  return {
    id, subagent, info, decisions, route, busy,
    watch: () => {
      const ends = [poll.watch(), picks.watch(), followMoves(app, id, info, picks.pick)]
      return () => {
        for (const end of ends) end()
        app.notices.forget(id)
      }
    },
    select: (to) => (directory !== null && !subagent ? selectByHost(to, directory) : change(() => app.api.call('sessionModel', { body: { sessionId: id, provider: to.provider, model: to.model, ...(to.effort ? { effort: to.effort } : {}) } }))),
    bind: async (groupId, mode, pin) => {
      busy.value = true
      const reply = await app.act(() => app.api.call('bindSession', { body: { sessionId: id, groupId, mode, pin } }))
      await after()
      busy.value = false
      void app.status.refresh()
      return reply !== null
    },
    consent: ({ provider, model }, once) => change(() => app.api.call('consent', { body: { sessionId: id, provider, model, once } })),
    goHome: async () => {
      const reply = await app.act(() => app.api.call('sendHome', { body: { sessionId: id } }))
      const refused = reply?.failed[0]
      if (refused) app.notices.say(t('refusal.other', { message: refused.message }), id)
      await after()
      return reply !== null && !refused
    },
    touch: () => {
      void info.refresh()
      if (decisions.data.peek() !== null) void decisions.refresh()
    },
  }
}
