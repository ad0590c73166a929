/** Keeps routes that nobody compresses behind those that somebody does, and says so when one of them fails. */
import type { Group } from '../contract/group.ts'
import type { Route } from '../contract/route.ts'
import type { CompressionGuardStatus } from '../contract/status.ts'
import { bypasses, degraded, downgraded, HINTS, reasonOf, shimCovered, type CompactionFacts } from '../domain/compaction.ts'

/** What the guard reads, each time anew: settings, the compactor's verdict, the shim, groups and our sessions. */
export interface GuardSources {
  enabled(): boolean
  providers(): readonly string[]
  compactorActive(): boolean
  /** null = the shim serves the encryptor in use; else why it does not. */
  shim(): CompactionFacts['shim']
  groups(): readonly Group[]
  /** Sessions this plugin looks after, with the route each runs on now. */
  sessions(): readonly { readonly sessionId: string; readonly route: Route }[]
}

export interface CompactionGuard {
  /** True when routing should try this route only after every route that is compressed. */
  demoted(route: Route): boolean
  /** Grows whenever an answer of `demoted` may have changed, for plans that are kept. */
  version(): number
  /** Hears a failure; true when it happened without compression (the log entry says so). `at` epoch ms. */
  noteFailure(failure: { readonly at: number; readonly route: Route; readonly code: string | null }): boolean
  status(): CompressionGuardStatus
}

/** The guard over live sources; it holds nothing but the last diagnosis. */
export function createCompactionGuard(sources: GuardSources): CompactionGuard {
  let last: CompressionGuardStatus['lastDiagnosis'] = null
  let seen = ''
  let version = 0
  const facts = (): CompactionFacts => ({
    enabled: sources.enabled(), providers: sources.providers(), active: sources.compactorActive(), shim: sources.shim(),
  })
  return {
    // Asked for every candidate of every pick; the undeclared ones cost nothing.
    demoted: ({ provider }) => sources.providers().includes(provider) && bypasses(facts(), provider),
    version() {
      const now = JSON.stringify(facts())
      if (now !== seen) { seen = now; version++ }
      return version
    },
    noteFailure({ at, route, code }) {
      const now = facts()
      if (!bypasses(now, route.provider)) return false
      const reason = reasonOf(now, route.provider)
      last = { at, provider: route.provider, model: route.model, code, reason, hint: HINTS[reason] }
      return true
    },
    status() {
      const now = facts()
      return {
        enabled: now.enabled, biliActive: now.active, uncompressedProviders: [...now.providers], shimCovered: shimCovered(now),
        downgradedModels: downgraded(now, sources.groups()), degradedSessions: degraded(now, sources.sessions()), lastDiagnosis: last,
      }
    },
  }
}
