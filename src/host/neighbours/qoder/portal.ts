/** Counts the requests that qoder adapters really send, by looking on at their `fetchImpl`. It changes nothing about them. */
import { SHIM_PROVIDERS } from '../../../domain/compaction.ts'
import type { Dispose } from '../../../ports.ts'

type FetchLike = (this: unknown, ...args: unknown[]) => unknown
interface Adapter { readonly fetchImpl: FetchLike }

export interface Portals {
  /** Looks for adapters that are not observed yet. */
  refresh(): void
  readonly count: number
  close: Dispose
}

/** Observation points on the adapters that the host's llm service holds; `llm` is read at each refresh. */
export function createPortals(llm: () => unknown, seen: () => void): Portals {
  const open = new Map<string, { readonly adapter: Adapter; readonly original: FetchLike; readonly observer: FetchLike }>()

  function observe(provider: string, adapter: Adapter): void {
    if (open.get(provider)?.adapter === adapter) return
    const original = adapter.fetchImpl
    const observer: FetchLike = function (this: unknown, ...args) {
      seen()
      return Reflect.apply(original, this, args)
    }
    if (Reflect.set(adapter, 'fetchImpl', observer) && adapter.fetchImpl === observer) open.set(provider, { adapter, original, observer })
  }

  return {
    refresh() {
      for (const provider of SHIM_PROVIDERS) {
        try {
          const adapter = adapterOf(llm(), provider)
          if (adapter) observe(provider, adapter)
        } catch { /* a host that hides its adapters has no observation points */ }
      }
    },
    get count() { return open.size },
    close() {
      for (const { adapter, original, observer } of open.values()) if (adapter.fetchImpl === observer) Reflect.set(adapter, 'fetchImpl', original)
      open.clear()
    },
  }
}

function adapterOf(llm: unknown, provider: string): Adapter | null {
  if (typeof llm !== 'object' || llm === null || !('adapters' in llm) || !(llm.adapters instanceof Map)) return null
  const registration: unknown = llm.adapters.get(provider)
  const adapter: unknown = typeof registration === 'object' && registration !== null && 'adapter' in registration ? registration.adapter : registration
  return typeof adapter === 'object' && adapter !== null && 'fetchImpl' in adapter && typeof adapter.fetchImpl === 'function' ? (adapter as Adapter) : null
}
