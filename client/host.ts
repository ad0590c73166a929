/** The services of the host's page that the plugin touches, as structural types: the same ones exist under these names on every supported host. */
import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { EffortRoute } from '../src/contract/route.ts'

export interface Snapshot<T> {
  getSnapshot(): T
  subscribe(run: () => void): () => void
}

export interface HostEffort { readonly id: string; readonly name: string }
export interface HostSelection { readonly provider: string; readonly model: string; readonly reasoningEffort?: string }

/** One session's model directory of the host: what it would send next, and what can be chosen. */
export interface DirectoryState {
  readonly current: HostSelection | null
  readonly groups: readonly {
    readonly id: string
    readonly name: string
    readonly models: readonly { readonly id: string; readonly name: string; readonly reasoning?: { readonly efforts: readonly HostEffort[]; readonly defaultEffort?: string } }[]
  }[]
}

export interface HostDirectory {
  readonly store: Snapshot<DirectoryState>
  load(): Promise<unknown>
  /** Older hosts throw when refused, newer ones answer `{ok: false, error}`. */
  select(selection: HostSelection): Promise<unknown>
}

/** The directory as the models of this half see it. */
export interface Directory {
  readonly state: ReadonlySignal<DirectoryState>
  load(): Promise<void>
  /** Chooses by hand; answers null when the host took it, else its reason. */
  select(route: EffortRoute): Promise<string | null>
  close(): void
}

export function toRoute(selection: HostSelection): EffortRoute {
  const { provider, model, reasoningEffort } = selection
  return reasoningEffort === undefined ? { provider, model } : { provider, model, effort: reasoningEffort }
}

/** Follows a host directory. Its load errors are not told: the plugin's own interface is the other source. */
export function followDirectory(directory: HostDirectory): Directory {
  const state = signal(directory.store.getSnapshot())
  const close = directory.store.subscribe(() => { state.value = directory.store.getSnapshot() })
  return {
    state, close,
    load: async () => {
      try {
        await directory.load()
      } catch { /* the store keeps its last good value, and the plugin's own list stands in */ }
    },
    select: async ({ provider, model, effort }) => {
      try {
        const answer = await directory.select({ provider, model, ...(effort === undefined ? {} : { reasoningEffort: effort }) }) as { ok?: boolean; error?: { message?: string } } | undefined
        return answer?.ok === false ? answer.error?.message ?? 'refused' : null
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
  }
}
