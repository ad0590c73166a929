/** Every operation of the HTTP interface: method, path, what comes in, what goes out. Host, tests and docs read this table. */
import * as z from 'zod'
import { bindingMode, defaultBindingSchema, entriesInput, groupName, groupSchema } from './group.ts'
import { metricsReply, speedtestInput, speedtestSnapshot } from './metrics.ts'
import { modelsReply } from './models.ts'
import { idText, priorityNumber, routeSchema } from './route.ts'
import { settingsInput, settingsReply } from './settings.ts'
import { bindingReply, decisionSchema, explainReply, runStateEvent, sessionInfo, statusReply, verdictSchema } from './status.ts'
import { configDocument, diffLine } from './transfer.ts'

export const API_PREFIX = '/api/model-failover'
export const BODY_LIMIT = 256 * 1024
export const IMPORT_LIMIT = 4 * 1024 * 1024

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** One operation. `query` values arrive as texts; `limit` is the largest accepted body in bytes. */
export interface Operation<Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  readonly method: Method
  readonly path: string
  readonly about: string
  readonly query: Q
  readonly body: B
  readonly reply: R
  readonly limit?: number
  /** The reply is a text of JSON lines instead of one JSON value. */
  readonly lines?: boolean
}

const none = z.undefined()
const noQuery = z.object({})
const op = <Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(operation: Operation<Q, B, R>): Operation<Q, B, R> => operation

const sessionId = z.string().min(1).max(200)
const sessionQuery = z.object({ sessionId })
const rangeQuery = z.object({ since: z.string().optional(), until: z.string().optional() })
/** A text of a query that may also be left empty (`?sessionId=&limit=`), which counts as not given. */
const unlessEmpty = <T extends z.ZodType>(schema: T) => z.union([z.literal('').transform(() => undefined), schema]).optional()
const eventLimit = z.string().refine((text) => /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= 200, 'must be a whole number, 1–200').transform(Number)
const failedReply = z.object({ failed: statusReply.shape.failed })
const groupsReply = z.object({ groups: z.array(groupSchema), group: groupSchema.optional() })
const limitInput = z.union([z.int('must be a whole number, 0–1000').min(0).max(1000), z.null(), z.literal('')])

export const api = {
  status: op({ method: 'GET', path: '/status', about: 'Everything the page polls; answers 304 to a matching ETag.', query: noQuery, body: none, reply: statusReply }),
  models: op({ method: 'GET', path: '/models', about: 'Providers and models of the host.', query: noQuery, body: none, reply: modelsReply }),
  settings: op({ method: 'POST', path: '/settings', about: 'Change settings; null gives a key back to the row config.', query: noQuery, body: settingsInput, reply: z.object({ settings: settingsReply }) }),
  groups: op({ method: 'GET', path: '/groups', about: 'All groups.', query: noQuery, body: none, reply: groupsReply }),
  createGroup: op({ method: 'POST', path: '/groups', about: 'Make a group.', query: noQuery, body: z.strictObject({ name: groupName, enabled: z.boolean().optional(), models: entriesInput.optional() }), reply: groupsReply }),
  updateGroup: op({ method: 'PUT', path: '/groups', about: 'Change a group; `models` replaces the list; a stale `rev` answers 409 with the current group.', query: noQuery, body: z.strictObject({ id: z.string().min(1), rev: z.int().min(1), name: groupName.optional(), enabled: z.boolean().optional(), models: entriesInput.optional() }), reply: groupsReply }),
  deleteGroup: op({ method: 'DELETE', path: '/groups/:id', about: 'Delete a group and unbind its sessions.', query: noQuery, body: none, reply: groupsReply }),
  modelDisabled: op({ method: 'POST', path: '/groups/model-disabled', about: 'Bar a model from every group that holds it, or admit it again.', query: noQuery, body: z.strictObject({ provider: idText, model: idText, disabled: z.boolean() }), reply: groupsReply }),
  reorder: op({ method: 'POST', path: '/groups/reorder-priority', about: 'Number the named entries of a group consecutively from `start`.', query: noQuery, body: z.strictObject({ groupId: z.string().min(1), start: priorityNumber.default(1), order: z.array(routeSchema).max(1000) }), reply: groupsReply }),
  sessionGroup: op({ method: 'GET', path: '/session-group', about: 'The binding of a session.', query: sessionQuery, body: none, reply: z.object({ binding: bindingReply.nullable() }) }),
  bindSession: op({ method: 'POST', path: '/session-group', about: 'Bind a session to a group, or unbind it with groupId null; new sessions get the same unless `asDefault` is false.', query: noQuery, body: z.strictObject({ sessionId, groupId: z.string().min(1).nullable(), mode: bindingMode.default('failover'), pin: z.boolean().optional(), asDefault: z.boolean().optional() }), reply: z.object({ binding: bindingReply.nullable() }) }),
  defaultGroup: op({ method: 'GET', path: '/default-group', about: 'The binding new sessions start with.', query: noQuery, body: none, reply: z.object({ defaultBinding: defaultBindingSchema.nullable() }) }),
  setDefaultGroup: op({ method: 'POST', path: '/default-group', about: 'Set or clear (groupId null) that binding.', query: noQuery, body: z.strictObject({ groupId: z.string().min(1).nullable(), mode: bindingMode.default('failover') }), reply: z.object({ defaultBinding: defaultBindingSchema.nullable() }) }),
  sessionInfo: op({ method: 'GET', path: '/session-info', about: 'Group, route, home and candidates of one session.', query: sessionQuery, body: none, reply: sessionInfo }),
  sessionModel: op({ method: 'POST', path: '/session-model', about: 'Choose the model of a session by hand; the way for subagent sessions.', query: noQuery, body: z.strictObject({ sessionId, provider: idText, model: idText, effort: z.string().min(1).max(40).optional() }), reply: sessionInfo }),
  consent: op({ method: 'POST', path: '/consent', about: 'Admit an `ask` entry for this session, once or until revoked.', query: noQuery, body: z.strictObject({ sessionId, provider: idText, model: idText, once: z.boolean() }), reply: sessionInfo }),
  sendHome: op({ method: 'POST', path: '/send-home', about: 'Return one session, or all, to the model the user chose (before an uninstall, say).', query: noQuery, body: z.strictObject({ sessionId: sessionId.optional() }), reply: z.object({ returned: z.array(z.string()), failed: z.array(z.object({ sessionId: z.string(), message: z.string() })) }) }),
  markFailed: op({ method: 'POST', path: '/failed/mark', about: 'Mark a route failed for the usage day by hand (code MANUAL).', query: noQuery, body: routeSchema, reply: failedReply }),
  resetFailed: op({ method: 'POST', path: '/failed/reset', about: 'Restore one route, or all of the day when none is named.', query: noQuery, body: z.strictObject({ provider: idText.optional(), model: idText.optional() }).refine((body) => (body.provider === undefined) === (body.model === undefined), 'name both provider and model, or neither'), reply: failedReply }),
  concurrency: op({ method: 'POST', path: '/model-concurrency', about: 'Limit concurrent calls of a model; 0, "" or null clears its own limit.', query: noQuery, body: z.strictObject({ provider: idText, model: idText, concurrency: limitInput }), reply: z.object({ limits: z.record(z.string(), z.number()) }) }),
  metrics: op({ method: 'GET', path: '/metrics', about: 'The dashboard, by whole Beijing days; illegal dates are ignored.', query: rangeQuery, body: none, reply: metricsReply }),
  metricsExport: op({ method: 'GET', path: '/metrics/export', about: 'The samples as JSON lines.', query: rangeQuery, body: none, reply: z.string(), lines: true }),
  speedtest: op({ method: 'GET', path: '/speedtest', about: 'Progress of the speed test.', query: noQuery, body: none, reply: speedtestSnapshot }),
  startSpeedtest: op({ method: 'POST', path: '/speedtest', about: 'Start a speed test; 409 while one runs.', query: noQuery, body: speedtestInput, reply: speedtestSnapshot }),
  cancelSpeedtest: op({ method: 'POST', path: '/speedtest/cancel', about: 'Cancel it.', query: noQuery, body: z.strictObject({}).optional(), reply: speedtestSnapshot }),
  explain: op({ method: 'POST', path: '/explain', about: 'Class and consequence of an error that is pasted; nothing is changed.', query: noQuery, body: z.strictObject({ code: z.string().max(200).nullish(), status: z.int().min(0).max(999).nullish(), message: z.string().max(65_536).nullish(), headers: z.record(z.string(), z.string()).optional(), provider: idText.optional(), model: idText.optional(), sessionId: sessionId.optional(), groupId: z.string().optional() }), reply: explainReply }),
  decisions: op({ method: 'GET', path: '/decisions', about: 'The last decisions of a session.', query: sessionQuery, body: none, reply: z.object({ decisions: z.array(decisionSchema) }) }),
  dryRun: op({ method: 'POST', path: '/explain/replay', about: 'The last failures, judged anew by the current configuration.', query: noQuery, body: z.strictObject({ groupId: z.string().optional() }), reply: z.object({ replays: z.array(z.object({ at: z.number(), from: routeSchema, before: z.object({ class: z.string(), to: routeSchema.nullable() }), now: explainReply })) }) }),
  preview: op({ method: 'POST', path: '/chain/preview', about: 'The entries of a group in the order they would be tried now.', query: noQuery, body: z.strictObject({ groupId: z.string().min(1) }), reply: z.object({ verdicts: z.array(verdictSchema) }) }),
  exportConfig: op({ method: 'GET', path: '/config/export', about: 'Groups, default, limits and settings as one document.', query: noQuery, body: none, reply: configDocument }),
  importConfig: op({ method: 'POST', path: '/config/import', about: 'Apply such a document, all or nothing; ?dryRun=1 only shows the difference.', query: z.strictObject({ dryRun: z.enum(['', '0', '1', 'true', 'false']).optional() }), body: configDocument, reply: z.object({ diff: z.array(diffLine), applied: z.boolean() }), limit: IMPORT_LIMIT }),
  debugSessions: op({ method: 'GET', path: '/debug/sessions', about: 'Live sessions with their resolution.', query: noQuery, body: none, reply: z.object({ sessions: z.array(z.unknown()) }) }),
  debugStatusLog: op({ method: 'GET', path: '/debug/status-log', about: 'The last 200 run-state events.', query: z.object({ sessionId: unlessEmpty(sessionId), limit: unlessEmpty(eventLimit) }), body: none, reply: z.object({ events: z.array(runStateEvent) }) }),
} as const

export type Api = typeof api
export type OperationName = keyof Api
/** Body of an operation as a caller writes it. */
export type Body<N extends OperationName> = z.input<Api[N]['body']>
/** Reply of an operation. */
export type Reply<N extends OperationName> = z.output<Api[N]['reply']>
export type Query<N extends OperationName> = z.input<Api[N]['query']>

/** The shape of every refusal. */
export const errorReply = z.object({ error: z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() }) })
