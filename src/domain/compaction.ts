/** Which routes bypass an active external context compactor, and what a person can do about it. Pure. */
import type { Group } from '../contract/group.ts'
import type { Route } from '../contract/route.ts'
import type { UncompressedReason } from '../contract/status.ts'

/** Providers whose encrypted requests the qoder shim can turn into requests the compactor reads. */
export const SHIM_PROVIDERS: readonly string[] = ['qoder', 'qodercn']

/** At most this many entries are listed in `/status`. */
export const DOWNGRADED_LIMIT = 50

/** What the guard looks at, read once per question. `shim` is null when the shim serves, else why it does not. */
export interface CompactionFacts {
  readonly enabled: boolean
  readonly providers: readonly string[]
  readonly active: boolean
  readonly shim: Exclude<UncompressedReason, 'not-covered'> | null
}

/**
 * True when a request to this provider would get no context compression at all: the guard is on, the provider is
 * declared, the external compactor has displaced the host's own, and the shim does not carry the request to it.
 */
export function bypasses(facts: CompactionFacts, provider: string): boolean {
  return facts.enabled && facts.active && facts.providers.includes(provider) && !covered(facts, provider)
}

/** The declared providers whose requests the shim reroutes now. */
export function shimCovered(facts: CompactionFacts): string[] {
  return facts.providers.filter((provider) => covered(facts, provider))
}

function covered(facts: CompactionFacts, provider: string): boolean {
  return facts.shim === null && SHIM_PROVIDERS.includes(provider)
}

/**
 * Entries of enabled groups that routing puts last for lack of compression, at most {@link DOWNGRADED_LIMIT}. Marks,
 * hours and end dates are not looked at: they bar an entry for a while, this ranks it for as long as it is there.
 */
export function downgraded(facts: CompactionFacts, groups: readonly Group[]): { groupId: string; provider: string; model: string }[] {
  if (!facts.enabled || !facts.active) return []
  return groups.filter((group) => group.enabled)
    .flatMap((group) => group.models
      .filter((entry) => !entry.disabled && bypasses(facts, entry.provider))
      .map(({ provider, model }) => ({ groupId: group.id, provider, model })))
    .slice(0, DOWNGRADED_LIMIT)
}

/** Sessions of ours whose route bypasses compression now. */
export function degraded(facts: CompactionFacts, sessions: readonly { readonly sessionId: string; readonly route: Route }[]): { sessionId: string; provider: string; model: string }[] {
  return sessions.filter(({ route }) => bypasses(facts, route.provider))
    .map(({ sessionId, route }) => ({ sessionId, provider: route.provider, model: route.model }))
}

/** Why a bypassing provider is not carried by the shim. */
export function reasonOf(facts: CompactionFacts, provider: string): UncompressedReason {
  return SHIM_PROVIDERS.includes(provider) ? facts.shim ?? 'not-covered' : 'not-covered'
}

/** One line of what to do, for readers of the interface; the page shows its own text for the reason. */
export const HINTS: Readonly<Record<UncompressedReason, string>> = {
  'off': 'billion-context is the only compactor now and cannot read this provider; set qoderShim: true, or route to a model it can read.',
  'absent': 'billion-context is the only compactor now and cannot read this provider; no encryptor of the qoder plugins was found, so route to a model it can read or turn billion-context off.',
  'hook': 'billion-context cannot read this provider, and the encryptor in use is out of reach; see qoderShim.hookRepair for the line to add, then restart the host.',
  'waiting': 'billion-context cannot read this provider until the encryptor in use is adopted; wait some seconds or restart the host.',
  'port': 'billion-context cannot read this provider because the shim cannot listen; free the port or choose another qoderShimPort.',
  'not-covered': 'billion-context is the only compactor now and this provider bypasses it; route to a model it can read, or take the provider out of uncompressedProviders.',
}
