/** One line per operation: from the checked input to the service that owns the matter, and its answer in the reply's shape. */
import type * as z from 'zod'
import type { Api, OperationName, Reply } from '../contract/api.ts'
import { unknownGroup, unknownSession } from '../contract/refusal.ts'
import { isCalendarDay } from '../contract/route.ts'
import type { DayRange, Frozen, Services } from './services.ts'

/** The input of an operation after its schemas have accepted it. */
export interface Input<N extends OperationName> {
  readonly query: z.output<Api[N]['query']>
  readonly body: z.output<Api[N]['body']>
  readonly params: Readonly<Record<string, string>>
}

/** What a handler gives back; the export of samples gives lines. */
export type Answer<N extends OperationName> = N extends 'metricsExport' ? AsyncIterable<string> | Iterable<string> : Frozen<Reply<N>>

export type Handlers = { readonly [N in OperationName]: (input: Input<N>) => Answer<N> | Promise<Answer<N>> }

export function createHandlers(services: Services): Handlers {
  const { groups, bindings, settings, limits, transfer, sessions, health, metrics, speedtest, explain, journal } = services
  const session = async (id: string): Promise<string> => { if (!await sessions.known(id)) throw unknownSession(id); return id }
  const group = (id: string): string => { if (!groups.get(id)) throw unknownGroup(id); return id }
  const failed = () => ({ failed: health.failed() })
  const listed = <T>(made: T) => ({ groups: groups.list(), group: made })
  return {
    status: () => services.status(),
    models: () => services.models(),
    settings: async ({ body }) => ({ settings: await settings.update(body) }),
    groups: () => ({ groups: groups.list() }),
    createGroup: async ({ body }) => listed(await groups.create(body)),
    updateGroup: async ({ body }) => listed(await groups.update(body)),
    deleteGroup: async ({ params }) => { await groups.remove(params['id'] ?? ''); return { groups: groups.list() } },
    modelDisabled: async ({ body: { disabled, ...route } }) => ({ groups: await groups.modelDisabled(route, disabled) }),
    reorder: async ({ body }) => listed(await groups.reorder(body)),
    sessionGroup: async ({ query }) => ({ binding: bindings.binding(await session(query.sessionId)) }),
    bindSession: async ({ body }) => { await session(body.sessionId); return { binding: await bindings.bind(body) } },
    defaultGroup: () => ({ defaultBinding: bindings.defaultBinding() }),
    setDefaultGroup: async ({ body }) => ({ defaultBinding: await bindings.setDefault(body) }),
    sessionInfo: async ({ query }) => sessions.info(await session(query.sessionId)),
    sessionModel: async ({ body: { sessionId, provider, model, effort } }) => sessions.choose(await session(sessionId), { provider, model, ...(effort === undefined ? {} : { effort }) }),
    consent: async ({ body: { sessionId, provider, model, once } }) => sessions.consent(await session(sessionId), { provider, model }, once),
    sendHome: async ({ body: { sessionId } }) => (sessionId === undefined ? sessions.sendHome() : sessions.sendHome(await session(sessionId))),
    markFailed: async ({ body }) => { await health.markManual(body); return failed() },
    resetFailed: async ({ body: { provider, model } }) => { await health.restore(provider !== undefined && model !== undefined ? { provider, model } : null); return failed() },
    concurrency: async ({ body: { provider, model, concurrency } }) => ({ limits: await limits.set({ provider, model }, concurrency) }),
    metrics: ({ query }) => metrics.query(days(query)),
    metricsExport: ({ query }) => metrics.exportLines(days(query)),
    speedtest: () => speedtest.snapshot(),
    startSpeedtest: ({ body }) => { if (body.groupId !== undefined) group(body.groupId); return speedtest.start(body) },
    cancelSpeedtest: () => speedtest.cancel(),
    explain: async ({ body }) => { if (body.sessionId !== undefined) await session(body.sessionId); if (body.groupId !== undefined) group(body.groupId); return explain.explain(body) },
    decisions: async ({ query }) => ({ decisions: journal.decisions(await session(query.sessionId)) }),
    dryRun: ({ body }) => { if (body.groupId !== undefined) group(body.groupId); return explain.replay(body.groupId) },
    preview: async ({ body }) => ({ verdicts: await explain.preview(group(body.groupId)) }),
    exportConfig: () => transfer.exportAll(),
    importConfig: ({ query, body }) => transfer.importAll(body, query.dryRun === '1' || query.dryRun === 'true' || query.dryRun === ''),
    debugSessions: () => ({ sessions: sessions.debug() }),
    debugStatusLog: ({ query }) => ({ events: journal.events(query) }),
  }
}

/** A day that is no real date counts as not said. */
function days({ since, until }: { readonly since?: string | undefined; readonly until?: string | undefined }): DayRange {
  const day = (text: string | undefined): string | null => (text !== undefined && isCalendarDay(text) ? text : null)
  return { since: day(since), until: day(until) }
}
