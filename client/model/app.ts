/** What the whole page shares: the polled status, the models of the host, the host's clock, and how an act is carried out. */
import { computed, signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { BindingMode } from '../../src/contract/group.ts'
import type { ModelsReply } from '../../src/contract/models.ts'
import type { Settings, SettingsInput } from '../../src/contract/settings.ts'
import type { StatusReply } from '../../src/contract/status.ts'
import { ApiError } from '../api.ts'
import type { Api } from '../api.ts'
import { createResource } from '../resource.ts'
import type { Resource } from '../resource.ts'
import { refusalText } from '../words.ts'
import type { Clock } from './clock.ts'
import { createNotices } from './notices.ts'
import type { Notices } from './notices.ts'
import { createPoll } from './poll.ts'
import { slice } from './slice.ts'

export const STATUS_MS = 3000

export interface App {
  readonly api: Api
  readonly clock: Clock
  readonly notices: Notices
  readonly status: Resource<StatusReply>
  readonly models: Resource<ModelsReply>
  readonly settings: ReadonlySignal<Settings | null>
  readonly groups: ReadonlySignal<StatusReply['groups']>
  readonly failed: ReadonlySignal<StatusReply['failed']>
  /** What new sessions are bound to. */
  readonly defaultBinding: ReadonlySignal<{ readonly id: string; readonly name: string; readonly mode: BindingMode } | null>
  /** Instant (epoch ms) on the host's clock, a second apart while somebody watches. */
  readonly now: ReadonlySignal<number>
  /** The host half is of another version than this page: the page should be loaded anew. */
  readonly outdated: ReadonlySignal<boolean>
  /** The host half does not answer at present. */
  readonly offline: ReadonlySignal<boolean>
  /** Keeps the status fresh until the answer is called. */
  watch(): () => void
  /** Keeps `now` going until the answer is called. */
  tick(): () => void
  /** Takes over parts of the status that a reply just told. */
  adopt(part: Partial<StatusReply>): void
  /** Runs an act; a refusal becomes a message and null. */
  act<T>(run: () => Promise<T>): Promise<T | null>
  saveSettings(change: SettingsInput): Promise<boolean>
  setDefault(groupId: string | null, mode: BindingMode): Promise<void>
}

/** The status with its ETag: an unchanged host answers 304, which keeps the value. */
function createStatus(api: Api, onFresh: (status: StatusReply) => void): { readonly status: Resource<StatusReply>; forget(): void } {
  let etag: string | null = null
  const status = createResource<StatusReply>(async (abort) => {
    const fresh = await api.ask('status', { etag, signal: abort })
    if (abort.aborted || fresh.value === null) return null
    etag = fresh.etag
    onFresh(fresh.value)
    return fresh.value
  })
  return { status, forget: () => { etag = null } }
}

/** @param version version this bundle was built as. */
export function createApp(api: Api, clock: Clock, version: string): App {
  const offset = signal(0)
  const local = signal(clock.now())
  const notices = createNotices(clock)
  const { status, forget } = createStatus(api, (fresh) => {
    offset.value = fresh.now - clock.now()
    local.value = clock.now()
  })
  const models = createResource((abort) => api.call('models', { signal: abort }))
  const poll = createPoll(clock, STATUS_MS, () => status.refresh())
  const ticker = createPoll(clock, 1000, () => { local.value = clock.now() })

  const adopt = (part: Partial<StatusReply>): void => {
    const known = status.data.value
    if (known === null) return
    forget()
    status.set({ ...known, ...part })
  }
  const act = async <T,>(run: () => Promise<T>): Promise<T | null> => {
    try {
      return await run()
    } catch (error) {
      notices.say(error instanceof ApiError ? refusalText(error) : String(error))
      return null
    }
  }
  const groups = slice(() => status.data.value?.groups ?? [])
  return {
    api, clock, notices, status, models, adopt, act, groups,
    settings: slice(() => status.data.value?.settings ?? null),
    failed: slice(() => status.data.value?.failed ?? []),
    defaultBinding: computed(() => {
      const given = status.data.value?.defaultBinding
      const group = groups.value.find(({ id }) => id === given?.groupId)
      return given && group ? { id: group.id, name: group.name, mode: given.mode } : null
    }),
    now: computed(() => local.value + offset.value),
    outdated: computed(() => status.data.value !== null && status.data.value.version !== version),
    offline: computed(() => status.error.value !== null),
    watch: poll.watch,
    tick: ticker.watch,
    saveSettings: async (change) => {
      const reply = await act(() => api.call('settings', { body: change }))
      if (reply !== null) adopt({ settings: reply.settings })
      return reply !== null
    },
    setDefault: async (groupId, mode) => {
      const reply = await act(() => api.call('setDefaultGroup', { body: { groupId, mode } }))
      if (reply !== null) adopt({ defaultBinding: reply.defaultBinding })
    },
  }
}
