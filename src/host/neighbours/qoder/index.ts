/**
 * The qoder shim: lets a context compactor see requests that are otherwise encrypted before they leave. It looks for
 * the encryptors of the qoder plugins, replaces their one method in memory and carries the requests over a loopback
 * port. Where none of those plugins is installed it does nothing: no timer, no port, no file. A request is rerouted only
 * while a compactor is there to read it; without one the detour could only do harm.
 */
import type { QoderShimStatus } from '../../../contract/status.ts'
import type { CompactionFacts } from '../../../domain/compaction.ts'
import type { Log, Time } from '../../../ports.ts'
import { Adoption } from './adoption.ts'
import { together } from './copies.ts'
import { createPortals, type Portals } from './portal.ts'
import { createRelay } from './relay.ts'
import { isEncryptor, type Globals } from './slot.ts'
import { codeOf, direct, viaFetch, type Transport } from './upstream.ts'

export interface QoderShimOptions {
  readonly enabled: boolean
  readonly port: number
  /** Leave to write the missing hook into another package's file. */
  readonly repair: boolean
  /** The codec file, or null to find it. */
  readonly wasmPath: string | null
  /** The DSH home folder. */
  readonly home: string
  readonly time: Time
  readonly log: Log
  /** True while a compactor may read plain requests of this process. */
  compactor(): boolean
  /** The host's llm service as it is now. */
  llm(): unknown
  /** What stands in for the surroundings in tests. */
  readonly globals?: Globals
  readonly load?: (url: string) => Promise<unknown>
  readonly direct?: Transport
  readonly viaFetch?: Transport
}

export interface QoderShim {
  /** Looks, patches, listens. Never rejects; resolves when the first look is over. */
  start(): Promise<void>
  /** A look at once, without waiting for a timer: worth it before a call of a qoder provider. Never throws. */
  wake(): void
  /** True when the encryptor in use goes through the shim. */
  effective(): boolean
  /** null when it serves, else why not, in the guard's words. */
  obstacle(): CompactionFacts['shim']
  status(): QoderShimStatus
  /** New requests go direct at once; a following load may take connections over, else all is undone within a second. */
  stop(): void
}

/** The shim of one load of the plugin. */
export function createQoderShim(options: QoderShimOptions): QoderShim {
  const { enabled, time } = options
  const portals = createPortals(() => options.llm(), () => { if (adoption.slot) adoption.slot.counters.seenRequests++ })
  const adoption: Adoption = new Adoption({
    ...options,
    globals: options.globals ?? globalThis,
    load: options.load ?? ((url) => import(url) as Promise<unknown>),
    implementation: (slot) => createRelay({
      slot, time, worthwhile: () => options.compactor(), direct: options.direct ?? direct, viaFetch: options.viaFetch ?? viaFetch,
    }),
    patched: () => { portals.refresh() },
  })
  return {
    start: async () => { if (enabled) await adoption.start() },
    wake() {
      if (!enabled) return
      try { adoption.look() } catch (error) { options.log.warn('qoder shim: the look for encryptors failed (%s)', codeOf(error)) }
    },
    effective: () => enabled && adoption.inUse,
    obstacle: () => (enabled ? obstacle(adoption) : 'off'),
    status: () => describe(options, adoption, portals),
    stop() {
      portals.close()
      adoption.stop()
    },
  }
}

function obstacle(adoption: Adoption): CompactionFacts['shim'] {
  if (adoption.inUse) return null
  if (adoption.slot && adoption.slot.patches.size > 0 && adoption.portProblem !== null) return 'port'
  if (adoption.copies.length === 0 && adoption.codecs.length === 0 && adoption.live === undefined) return 'absent'
  return ['ok', 'pending-restart', 'repaired'].includes(hookRepair(adoption).state) ? 'waiting' : 'hook'
}

function hookRepair({ copies, live }: Adoption): QoderShimStatus['hookRepair'] {
  const listed = copies.map(({ scope, state }) => ({ scope, state }))
  if (live !== undefined && !isEncryptor(live)) return { state: 'stale', detail: 'the hook hands out something that cannot prepare requests', copies: listed }
  const { state, detail } = together(copies)
  if (state === 'ok' && live === undefined) return { state: 'pending-restart', detail: 'the hook is in the file, but this process has not run it yet', copies: listed }
  return { state, detail, copies: listed }
}

function describe(options: QoderShimOptions, adoption: Adoption, portals: Portals): QoderShimStatus {
  const { slot, codecs } = adoption
  const counters = slot?.counters
  const patches = [...(slot?.patches.values() ?? [])]
  return {
    enabled: options.enabled, installed: patches.length > 0, effective: options.enabled && adoption.inUse, liveSeen: adoption.live !== undefined,
    port: slot?.port ?? options.port, wasmPath: codecs[0] ?? options.wasmPath, targets: patches.map(({ label }) => label),
    intercepted: counters?.intercepted ?? 0, forwarded: counters?.forwarded ?? 0, compacted: counters?.compacted ?? 0,
    folded: counters?.folded ?? 0, fallback: counters?.fallback ?? 0,
    adoptTicks: adoption.ticks, adoptedAt: slot?.adoptedAt ? new Date(slot.adoptedAt).toISOString() : null,
    hookRepair: hookRepair(adoption), portals: portals.count, seenRequests: counters?.seenRequests ?? 0,
    recentExchanges: (counters?.exchanges ?? []).map(({ beforeCount, afterCount, beforeContent, afterContent, contentShrank }) =>
      ({ beforeCount, afterCount, beforeContent, afterContent, shrank: contentShrank })),
    lastExchange: counters?.exchanges[0] ?? null,
    lastError: adoption.portProblem ?? adoption.problem ?? counters?.lastError ?? null, lastAt: counters?.lastAt ?? null,
  }
}
