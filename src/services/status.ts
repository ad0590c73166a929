/** The one reply the page polls, put together from the owners of its parts. */
import type { Config, ConfigError } from '../contract/config.ts'
import type { Reply } from '../contract/api.ts'
import type { QoderShimStatus, StatusReply } from '../contract/status.ts'
import type { HostPort, StoreProblem, Time } from '../ports.ts'
import type { Bindings } from './bindings.ts'
import type { CompactionGuard } from './compaction-guard.ts'
import type { Concurrency } from './concurrency.ts'
import type { Continuations } from './continuation.ts'
import type { Groups } from './groups.ts'
import type { Health } from './health.ts'
import type { ProbeReport } from './health-status.ts'
import type { Journal } from './journal.ts'
import type { SessionRecords } from './moves.ts'
import type { SettingsService } from './settings.ts'

export interface StatusParts {
  readonly version: string
  readonly dir: string
  readonly config: Config
  readonly configErrors: readonly ConfigError[]
  readonly time: Time
  readonly host: HostPort
  readonly problems: () => readonly StoreProblem[]
  readonly groups: Groups
  readonly bindings: Bindings
  readonly records: SessionRecords
  readonly settings: SettingsService
  readonly health: Health
  readonly probes: () => ProbeReport
  readonly concurrency: Concurrency
  readonly continuations: Continuations
  readonly journal: Journal
  readonly guard: CompactionGuard
  readonly account: () => StatusReply['neighbours']['accountPool']
  readonly codearts: () => StatusReply['neighbours']['codearts']
  readonly shim: () => QoderShimStatus
}

/** Reads everything anew; costs no more than the lists it copies. */
export function createStatus(parts: StatusParts): () => Reply<'status'> {
  const { config, time, groups, bindings, records, health, concurrency } = parts
  return () => {
    const now = time.now()
    const day = health.usageDay()
    return {
      version: parts.version, enabled: config.enabled, configErrors: [...parts.configErrors], storeProblems: [...parts.problems()], dataDir: parts.dir,
      abilities: parts.host.abilities(), now, usageDay: day.day, usageDayEndsAt: day.endsAt, failResetHour: config.failResetHour,
      groups: groups.list() as StatusReply['groups'], failed: health.failed() as StatusReply['failed'], bindings: [...bindings.all()], defaultBinding: bindings.defaultBinding(),
      failureLog: [...parts.journal.failures()], settings: parts.settings.current(), health: health.status(parts.probes()),
      concurrency: [...concurrency.live()],
      capacitySwitches: capacitySwitches(records, config.capacitySwitchRevertMs),
      continuations: [...parts.continuations.owed()], ofmHandoffExcludeProviders: [...config.ofmHandoffExcludeProviders],
      neighbours: { accountPool: parts.account(), codearts: parts.codearts() },
      compressionGuard: parts.guard.status(), qoderShim: parts.shim(),
    }
  }
}

/** Sessions that are away only because their model was full. */
function capacitySwitches(records: SessionRecords, revertMs: number): StatusReply['capacitySwitches'] {
  return records.ids().flatMap((id) => {
    const override = records.get(id)?.override
    if (override?.kind !== 'capacity' || !override.from) return []
    const { provider, model, from, at, until } = override
    return [{ session: id, from: { provider: from.provider, model: from.model }, to: { provider, model }, at, revertAt: Math.max(until ?? 0, at + revertMs) }]
  })
}
