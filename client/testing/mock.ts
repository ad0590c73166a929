/** A host half in memory that keeps to the contract: for component tests, and for pictures of states that are hard to reach. */
import type { Group } from '../../src/contract/group.ts'
import type { MetricsReply, SpeedtestSnapshot } from '../../src/contract/metrics.ts'
import type { ModelsReply } from '../../src/contract/models.ts'
import type { Entry, Route } from '../../src/contract/route.ts'
import type { DecisionRecord, SessionInfo, StatusReply } from '../../src/contract/status.ts'
import { NOW, group, info, models, status, verdict } from './builders.ts'

export interface Answer { readonly status: number; readonly body: unknown; readonly etag?: string }
export interface Seen { readonly method: string; readonly path: string; readonly query: URLSearchParams; readonly body: unknown }

export interface MockState {
  status: StatusReply
  models: ModelsReply
  sessions: Record<string, SessionInfo>
  decisions: readonly DecisionRecord[]
  metrics: MetricsReply
  speedtest: SpeedtestSnapshot
}

export interface Mock {
  readonly state: MockState
  /** Every request so far. */
  readonly log: readonly Seen[]
  /** Answers this instead of its own for the next request of that method and path. */
  once(method: string, path: string, answer: Answer): void
  /** While true nothing answers. */
  down: boolean
  answer(method: string, url: string, body: unknown, etag?: string | null): Answer
  readonly fetch: typeof fetch
}

const PREFIX = '/api/model-failover'
const refuse = (status: number, code: string, message: string, details?: unknown): Answer => ({ status, body: { error: { code, message, ...(details === undefined ? {} : { details }) } } })
const ok = (body: unknown): Answer => ({ status: 200, body })
const same = (a: Route, b: Route): boolean => a.provider === b.provider && a.model === b.model

function start(over: Partial<MockState>): MockState {
  return {
    status: status(), models: models(), sessions: {}, decisions: [], ...over,
    metrics: over.metrics ?? { since: null, until: null, rows: [], series: [], unit: 'day' },
    speedtest: over.speedtest ?? { running: false, startedAt: null, finishedAt: null, total: 0, done: 0, targets: [], results: [] },
  }
}

type Handler = (state: MockState, body: never, query: URLSearchParams, path: string) => Answer

function putGroups(state: MockState, groups: readonly Group[]): void {
  state.status = { ...state.status, groups: groups as StatusReply['groups'] }
}

function changeGroup(state: MockState, id: string, change: (found: Group) => Group): Answer {
  const found = state.status.groups.find((each) => each.id === id)
  if (!found) return refuse(404, 'UNKNOWN_GROUP', `there is no group ${JSON.stringify(id)}`)
  const next = { ...change(found), rev: found.rev + 1 }
  putGroups(state, state.status.groups.map((each) => (each.id === id ? next : each)))
  return ok({ groups: state.status.groups, group: next })
}

const sessionOf = (state: MockState, id: string): SessionInfo => state.sessions[id] ?? info({ sessionId: id })
function putSession(state: MockState, id: string, change: Partial<SessionInfo>): SessionInfo {
  const next = { ...sessionOf(state, id), ...change }
  state.sessions[id] = next
  return next
}

const handlers: Readonly<Record<string, Handler>> = {
  'GET /models': (state) => ok(state.models),
  'POST /settings': (state, body: Partial<StatusReply['settings']>) => {
    const sources = { ...state.status.settings.sources, ...Object.fromEntries(Object.keys(body).map((key) => [key, 'ui' as const])) }
    state.status = { ...state.status, settings: { ...state.status.settings, ...body, sources } }
    return ok({ settings: state.status.settings })
  },
  'GET /groups': (state) => ok({ groups: state.status.groups }),
  'POST /groups': (state, body: { name: string; models?: readonly Entry[] }) => {
    const made = group({ id: `g-${state.status.groups.length + 1}`, name: body.name, models: body.models ?? [] })
    putGroups(state, [...state.status.groups, made])
    return ok({ groups: state.status.groups, group: made })
  },
  'PUT /groups': (state, body: Partial<Group> & { id: string; rev: number }) => {
    const found = state.status.groups.find(({ id }) => id === body.id)
    if (found && found.rev !== body.rev) return refuse(409, 'STALE_REV', 'the group was changed meanwhile', { group: found })
    return changeGroup(state, body.id, (each) => ({ ...each, name: body.name ?? each.name, enabled: body.enabled ?? each.enabled, models: body.models ?? each.models }))
  },
  'POST /groups/model-disabled': (state, body: Route & { disabled: boolean }) => {
    putGroups(state, state.status.groups.map((each) => ({ ...each, models: (each.models as readonly Entry[]).map((one) => (same(one, body) ? { ...one, disabled: body.disabled } : one)) })))
    return ok({ groups: state.status.groups })
  },
  'POST /groups/reorder-priority': (state, body: { groupId: string; start: number; order: readonly Route[] }) => changeGroup(state, body.groupId, (each) => ({
    ...each, models: each.models.map((one) => {
      const at = body.order.findIndex((route) => same(route, one))
      return at < 0 ? one : { ...one, priority: body.start + at }
    }),
  })),
  'POST /session-group': (state, body: { sessionId: string; groupId: string | null; mode: 'route' | 'failover'; pin?: boolean }) => {
    const bound = state.status.groups.find(({ id }) => id === body.groupId) ?? null
    putSession(state, body.sessionId, { group: bound, mode: bound ? body.mode : null, pinned: body.pin === true, verdicts: (bound?.models ?? []).map((one) => verdict({ provider: one.provider, model: one.model }, { priority: one.priority })) })
    return ok({ binding: bound ? { sessionId: body.sessionId, groupId: bound.id, mode: body.mode, pin: body.pin === true } : null })
  },
  'POST /default-group': (state, body: { groupId: string | null; mode: 'route' | 'failover' }) => {
    state.status = { ...state.status, defaultBinding: body.groupId === null ? null : { groupId: body.groupId, mode: body.mode } }
    return ok({ defaultBinding: state.status.defaultBinding })
  },
  'GET /session-info': (state, _body, query) => ok(sessionOf(state, query.get('sessionId') ?? '')),
  'POST /session-model': (state, body: { sessionId: string; provider: string; model: string; effort?: string }) => {
    const { sessionId, ...route } = body
    return ok(putSession(state, sessionId, { route, home: route, override: null }))
  },
  'POST /consent': (state, body: Route & { sessionId: string }) => ok(putSession(state, body.sessionId, { offer: sessionOf(state, body.sessionId).offer.filter((one) => !same(one, body)) })),
  'POST /send-home': (state, body: { sessionId?: string }) => {
    const returned = Object.keys(state.sessions).filter((id) => (body.sessionId === undefined || id === body.sessionId) && sessionOf(state, id).override !== null)
    for (const id of returned) putSession(state, id, { override: null, route: sessionOf(state, id).home })
    return ok({ returned, failed: [] })
  },
  'POST /failed/mark': (state, body: Route) => {
    const made = { ...body, class: null, code: 'MANUAL', reason: null, count: 1, at: state.status.now, manual: true, clears: 'day' as const, until: state.status.usageDayEndsAt }
    state.status = { ...state.status, failed: [...state.status.failed.filter((one) => !same(one, body)), made] }
    return ok({ failed: state.status.failed })
  },
  'POST /failed/reset': (state, body: Partial<Route>) => {
    state.status = { ...state.status, failed: body.provider === undefined ? [] : state.status.failed.filter((one) => !same(one, body as Route)) }
    return ok({ failed: state.status.failed })
  },
  'POST /model-concurrency': (state, body: Route & { concurrency: number | null }) => {
    const others = state.status.concurrency.filter((one) => !same(one, body))
    state.status = { ...state.status, concurrency: [...others, { provider: body.provider, model: body.model, limit: body.concurrency, effectiveLimit: body.concurrency ?? 0, running: 0, queued: 0 }] }
    return ok({ limits: {} })
  },
  'GET /metrics': (state) => ok(state.metrics),
  'GET /speedtest': (state) => ok(state.speedtest),
  'POST /speedtest': (state, body: { models?: readonly Route[]; groupId?: string }) => {
    const targets = body.models ?? state.status.groups.find(({ id }) => id === body.groupId)?.models.map(({ provider, model }) => ({ provider, model })) ?? []
    state.speedtest = { running: true, startedAt: NOW, finishedAt: null, total: targets.length, done: 0, targets: [...targets], results: [] }
    return ok(state.speedtest)
  },
  'POST /speedtest/cancel': (state) => {
    state.speedtest = { ...state.speedtest, running: false, finishedAt: NOW }
    return ok(state.speedtest)
  },
  'POST /explain': () => ok({ class: 'quota', scope: 'route', hold: { scope: 'route', until: NOW + 3_600_000 }, until: NOW + 3_600_000, mark: false, breakerWeight: 1, structural: 0, rule: 'wording.quota', takeOver: 'at-once' }),
  'POST /explain/replay': () => ok({ replays: [] }),
  'GET /decisions': (state) => ok({ decisions: state.decisions }),
  'POST /chain/preview': (state, body: { groupId: string }) => ok({ verdicts: (state.status.groups.find(({ id }) => id === body.groupId)?.models ?? []).map((one) => verdict({ provider: one.provider, model: one.model }, { priority: one.priority, routable: one.disabled !== true, why: one.disabled === true ? 'disabled' : null })) }),
  'GET /config/export': (state) => ok({ format: 'model-failover-config', version: 1, groups: state.status.groups }),
  'POST /config/import': () => ok({ diff: [{ op: 'add', path: 'groups/Night' }, { op: 'change', path: 'groups/Everyday/alpha/a-1/priority', before: 1, after: 4 }, { op: 'remove', path: 'limits/beta/b-1' }], applied: false }),
}

export function createMock(over: Partial<MockState> = {}): Mock {
  const state = start(over)
  const log: Seen[] = []
  const planned = new Map<string, Answer>()
  const answer = (method: string, url: string, body: unknown, etag: string | null = null): Answer => {
    const { pathname, searchParams } = new URL(url, 'http://host')
    const path = pathname.slice(PREFIX.length)
    log.push({ method, path, query: searchParams, body })
    const key = `${method} ${path}`
    const once = planned.get(key)
    planned.delete(key)
    if (once) return once
    if (key === 'GET /status') {
      const tag = `"${JSON.stringify(state.status).length}-${state.status.now}-${JSON.stringify(state.status.settings)}${state.status.failed.length}${state.status.groups.map(({ rev }) => rev).join()}"`
      return tag === etag ? { status: 304, body: null, etag: tag } : { status: 200, body: state.status, etag: tag }
    }
    if (method === 'DELETE') {
      putGroups(state, state.status.groups.filter(({ id }) => `/groups/${id}` !== path))
      return ok({ groups: state.status.groups })
    }
    return handlers[key]?.(state, body as never, searchParams, path) ?? refuse(404, 'NO_SUCH_OPERATION', key)
  }
  const mock: Mock = {
    state, log, down: false, answer,
    once: (method, path, given) => { planned.set(`${method} ${path}`, given) },
    fetch: async (input, init) => {
      if (mock.down) throw new TypeError('failed to fetch')
      const headers = new Headers(init?.headers)
      const reply = answer(init?.method ?? 'GET', input instanceof Request ? input.url : `${input}`, typeof init?.body === 'string' ? JSON.parse(init.body) : undefined, headers.get('if-none-match'))
      return new Response(reply.status === 304 ? null : JSON.stringify(reply.body), { status: reply.status, headers: { 'content-type': 'application/json', ...(reply.etag ? { etag: reply.etag } : {}) } })
    },
  }
  return mock
}
