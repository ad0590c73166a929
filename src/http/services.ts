/** What the operations need of the services, as plain shapes: the composition root passes one object that has them. */
import type { Reply } from '../contract/api.ts'
import type { Mark } from '../contract/health.ts'
import type { SpeedtestInput, SpeedtestSnapshot } from '../contract/metrics.ts'
import type { EffortRoute, Route } from '../contract/route.ts'
import type { CandidateVerdict, DecisionRecord, ExplainReply, RunStateEvent, SessionInfo } from '../contract/status.ts'
import type { Bindings } from '../services/bindings.ts'
import type { Groups } from '../services/groups.ts'
import type { Limits } from '../services/limits.ts'
import type { SettingsService } from '../services/settings.ts'
import type { Transfer } from '../services/transfer.ts'

/** A reply as services hold it: the same shape, with nothing that may be changed. */
export type Frozen<T> = unknown extends T ? T
  : T extends readonly (infer U)[] ? readonly Frozen<U>[]
    : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

type MaybeLater<T> = T | Promise<T>

/** `null` = no bound on that side. */
export interface DayRange { readonly since: string | null; readonly until: string | null }

/** What `POST /explain` may hold; absent fields are undefined. */
export interface ExplainInput {
  readonly code?: string | null | undefined
  readonly status?: number | null | undefined
  readonly message?: string | null | undefined
  readonly headers?: Record<string, string> | undefined
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly sessionId?: string | undefined
  readonly groupId?: string | undefined
}

export interface Services {
  status(): MaybeLater<Frozen<Reply<'status'>>>
  models(): MaybeLater<Frozen<Reply<'models'>>>
  readonly groups: Omit<Groups, 'replaceAll' | 'restore' | 'newId' | 'onChange'>
  readonly bindings: Pick<Bindings, 'binding' | 'bind' | 'defaultBinding' | 'setDefault'>
  readonly settings: Pick<SettingsService, 'current' | 'update'>
  readonly limits: Pick<Limits, 'set' | 'all'>
  readonly transfer: Transfer
  readonly sessions: {
    /** Live, stored by the host, or remembered from earlier. */
    known(sessionId: string): MaybeLater<boolean>
    info(sessionId: string): MaybeLater<Frozen<SessionInfo>>
    choose(sessionId: string, route: EffortRoute): MaybeLater<Frozen<SessionInfo>>
    /** Refuses an entry the session's group does not hold (`unknownEntry`). */
    consent(sessionId: string, route: Route, once: boolean): MaybeLater<Frozen<SessionInfo>>
    sendHome(sessionId?: string): MaybeLater<Frozen<Reply<'sendHome'>>>
    debug(): readonly unknown[]
  }
  readonly health: {
    markManual(route: Route): MaybeLater<void>
    /** Without a route: all marks of the day. */
    restore(route: Route | null): MaybeLater<void>
    failed(): readonly (Mark & { readonly clears: 'day' | 'evidence'; readonly until: number })[]
  }
  readonly metrics: {
    query(range: DayRange): MaybeLater<Frozen<Reply<'metrics'>>>
    /** Complete lines, each with its line feed, in pieces of any size. */
    exportLines(range: DayRange): AsyncIterable<string> | Iterable<string>
  }
  readonly speedtest: {
    snapshot(): Frozen<SpeedtestSnapshot>
    /** Refuses a second run (kind `conflict`) and an unknown group (`unknownGroup`). */
    start(input: SpeedtestInput): MaybeLater<Frozen<SpeedtestSnapshot>>
    cancel(): MaybeLater<Frozen<SpeedtestSnapshot>>
  }
  readonly explain: {
    explain(input: ExplainInput): MaybeLater<Frozen<ExplainReply>>
    replay(groupId: string | undefined): MaybeLater<Frozen<Reply<'dryRun'>>>
    preview(groupId: string): MaybeLater<readonly Frozen<CandidateVerdict>[]>
  }
  readonly journal: {
    decisions(sessionId: string): readonly Frozen<DecisionRecord>[]
    events(filter: { readonly sessionId?: string | undefined; readonly limit?: number | undefined }): readonly Frozen<RunStateEvent>[]
  }
}
