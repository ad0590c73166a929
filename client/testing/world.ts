/** The models of the page over a host half in memory, with a clock that is moved by hand. */
import { createApi } from '../api.ts'
import type { Directory, DirectoryState } from '../host.ts'
import { createApp } from '../model/app.ts'
import type { Shared } from '../model/context.ts'
import { createDashboard } from '../model/dashboard.ts'
import { createGroupActs } from '../model/groups.ts'
import { createRouteActs } from '../model/routes.ts'
import { createSession } from '../model/session.ts'
import type { SessionModel } from '../model/session.ts'
import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { VERSION } from './builders.ts'
import { manualClock, settle } from './clock.ts'
import type { ManualClock } from './clock.ts'
import { createMock } from './mock.ts'
import type { Mock, MockState } from './mock.ts'

export interface FakeDirectory extends Directory {
  readonly state: Signal<DirectoryState>
  /** Answered by the next choices; null = taken. */
  refusal: string | null
  loads: number
}

export function fakeDirectory(): FakeDirectory {
  const state = signal<DirectoryState>({ current: { provider: 'alpha', model: 'a-1' }, groups: [] })
  const directory: FakeDirectory = {
    state, refusal: null, loads: 0,
    load: async () => { directory.loads += 1 },
    select: async ({ provider, model, effort }) => {
      if (directory.refusal === null) state.value = { ...state.value, current: { provider, model, ...(effort ? { reasoningEffort: effort } : {}) } }
      return directory.refusal
    },
    close: () => undefined,
  }
  return directory
}

export interface World extends Shared {
  readonly mock: Mock
  readonly clock: ManualClock
  readonly directory: FakeDirectory
  /** Loads status and models once. */
  ready(): Promise<void>
}

/** @param subagent the sessions have no selection of the host's own. */
export function createWorld(over: Partial<MockState> = {}, subagent = false): World {
  const mock = createMock(over)
  const clock = manualClock()
  const app = createApp(createApi(mock.fetch), clock, VERSION)
  const directory = fakeDirectory()
  const sessions = new Map<string, SessionModel>()
  return {
    mock, clock, app, directory,
    groups: createGroupActs(app), routes: createRouteActs(app), dashboard: createDashboard(app),
    session: (id) => {
      const known = sessions.get(id) ?? createSession(app, id, subagent ? null : directory)
      sessions.set(id, known)
      return known
    },
    ready: async () => {
      await Promise.all([app.status.refresh(), app.models.refresh()])
      await settle()
    },
  }
}
