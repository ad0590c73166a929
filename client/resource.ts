/** A value that is loaded from the host half: the last call wins, and the last good value stays beside an error. */
import { batch, signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { ApiError } from './api.ts'

export interface Resource<T> {
  /** The last good value; null before the first. */
  readonly data: ReadonlySignal<T | null>
  /** Why the newest load failed; null when it did not. */
  readonly error: ReadonlySignal<ApiError | null>
  readonly loading: ReadonlySignal<boolean>
  /** Loads anew; an older load that is still under way is abandoned. Never rejects. */
  refresh(): Promise<void>
  /** Puts in a value that is known better than any load already under way. */
  set(value: T): void
  /** Abandons what is under way. */
  stop(): void
}

function toError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, 'CLIENT', error instanceof Error ? error.message : String(error))
}

/** `load` answers the value, or null for "unchanged". */
export function createResource<T>(load: (signal: AbortSignal) => Promise<T | null>): Resource<T> {
  const data = signal<T | null>(null)
  const error = signal<ApiError | null>(null)
  const loading = signal(false)
  let current: AbortController | null = null

  const stop = (): void => {
    current?.abort()
    current = null
    loading.value = false
  }

  return {
    data, error, loading, stop,
    refresh: async () => {
      current?.abort()
      const mine = new AbortController()
      current = mine
      loading.value = true
      try {
        const value = await load(mine.signal)
        if (current !== mine) return
        batch(() => {
          if (value !== null) data.value = value
          error.value = null
          loading.value = false
        })
      } catch (cause) {
        if (current !== mine) return
        batch(() => {
          error.value = toError(cause)
          loading.value = false
        })
      }
    },
    set: (value) => {
      stop()
      batch(() => {
        data.value = value
        error.value = null
      })
    },
  }
}
