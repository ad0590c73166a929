/** Waiting with an end: a promise against a time limit and the turn's own signal. Never rejects. */
import type { Time } from '../../ports.ts'

export type Awaited<T> = { readonly done: true; readonly value: T } | { readonly done: false; readonly why: 'timeout' | 'aborted' | 'failed'; readonly error?: unknown }

export interface Limit { readonly time: Time; readonly ms: number; readonly signal?: AbortSignal | undefined }

/** What `work` gives, unless `ms` pass, the signal fires, or it throws first; a late rejection is swallowed. */
export function within<T>(work: () => T | Promise<T>, { time, ms, signal }: Limit): Promise<Awaited<T>> {
  return new Promise((resolve) => {
    if (signal?.aborted) { resolve({ done: false, why: 'aborted' }); return }
    const abort = (): void => settle({ done: false, why: 'aborted' })
    const cancel = time.after(ms, () => settle({ done: false, why: 'timeout' }))
    signal?.addEventListener('abort', abort, { once: true })
    function settle(outcome: Awaited<T>): void {
      cancel()
      signal?.removeEventListener('abort', abort)
      resolve(outcome)
    }
    const failed = (error: unknown): void => settle({ done: false, why: 'failed', error })
    try {
      Promise.resolve(work()).then((value) => settle({ done: true, value }), failed)
    } catch (error) { failed(error) }
  })
}

/** Resolves after `ms`, or at once when the signal fires; true = the time passed. */
export async function pause(limit: Limit): Promise<boolean> {
  const outcome = await within(() => new Promise<never>(() => undefined), limit)
  return !outcome.done && outcome.why === 'timeout'
}

/** Name and code of an error. Its message may quote credentials or prompts, so it is left out. */
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) return 'an error'
  const code = 'code' in error && typeof error.code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code) ? ` ${error.code}` : ''
  return `${/^\w{1,60}$/.test(error.name) ? error.name : 'Error'}${code}`
}
