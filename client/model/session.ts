/** One session as its seat shows it: the model in use, its home, its group, its health, and the acts on them. */
import { computed, effect, signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { BindingMode } from '../../src/contract/group.ts'
import type { EffortRoute, Route } from '../../src/contract/route.ts'
import type { DecisionRecord, SessionInfo } from '../../src/contract/status.ts'
import { toRoute } from '../host.ts'
import type { Directory } from '../host.ts'
import { createResource } from '../resource.ts'
import type { Resource } from '../resource.ts'
import { t } from '../text.ts'
import type { App } from './app.ts'
import { followMoves } from './moves.ts'
import { createPoll } from './poll.ts'
import { slice } from './slice.ts'

export const SESSION_MS = 3000

export interface SessionModel {
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
}

/** @param directory the host's own selection; null for sessions that it does not serve (subagents). */
export function createSession(app: App, id: string, directory: Directory | null): SessionModel {
  const { api } = app
  const info = createResource((abort) => api.call('sessionInfo', { query: { sessionId: id }, signal: abort }))
  const decisions = createResource<readonly DecisionRecord[]>(async (abort) => (await api.call('decisions', { query: { sessionId: id }, signal: abort })).decisions)
  const busy = signal(false)
  const poll = createPoll(app.clock, SESSION_MS, info.refresh)
  const home = slice(() => info.data.value?.home)

  /** Runs an act and looks again, whatever came of it. */
  const change = async (run: () => Promise<string | null | undefined>): Promise<boolean> => {
    busy.value = true
    const refused = await app.act(async () => ({ reason: await run() }))
    if (refused?.reason) app.notices.say(t('refusal.other', { message: refused.reason }), id)
    await Promise.all([info.refresh(), directory?.load(), app.status.refresh()])
    busy.value = false
    return refused !== null && !refused.reason
  }
  const told = async (call: Promise<unknown>): Promise<null> => {
    await call
    return null
  }
  return {
    info, decisions, busy,
    route: computed(() => {
      const current = directory?.state.value.current
      return info.data.value?.override ?? (current ? toRoute(current) : info.data.value?.route ?? null)
    }),
    watch: () => {
      const ends = [
        poll.watch(),
        followMoves(app, id, info),
        // The host does not push what was selected on its own side, so a new home is a reason to ask.
        effect(() => {
          if (home.value !== null) void directory?.load()
        }),
      ]
      return () => {
        for (const end of ends) end()
        app.notices.forget(id)
      }
    },
    select: (to) => change(() => (directory ? directory.select(to) : told(api.call('sessionModel', { body: { sessionId: id, provider: to.provider, model: to.model, ...(to.effort ? { effort: to.effort } : {}) } })))),
    bind: (groupId, mode, pin) => change(() => told(api.call('bindSession', { body: { sessionId: id, groupId, mode, pin } }))),
    consent: ({ provider, model }, once) => change(() => told(api.call('consent', { body: { sessionId: id, provider, model, once } }))),
    goHome: () => change(async () => (await api.call('sendHome', { body: { sessionId: id } })).failed[0]?.message),
  }
}
