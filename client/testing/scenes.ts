/** Whole situations for pictures and browser tests: a busy day, a first run, a big house. */
import type { Entry, Route } from '../../src/contract/route.ts'
import type { MetricsReply } from '../../src/contract/metrics.ts'
import type { DecisionRecord, SessionInfo, StatusReply } from '../../src/contract/status.ts'
import { decision, entry, group, info, manyModels, mark, models, row, status, usedRow, verdict } from './builders.ts'
import type { MockState } from './mock.ts'

const HOUR = 3_600_000
const a1: Route = { provider: 'alpha', model: 'a-1' }
const a2: Route = { provider: 'alpha', model: 'a-2' }
const b1: Route = { provider: 'beta', model: 'b-1' }
const b2: Route = { provider: 'beta', model: 'b-2' }
const c1: Route = { provider: 'gamma', model: 'c-1' }

function series(now: number, days: number): MetricsReply['series'] {
  return Array.from({ length: days }, (_, index) => ({ at: now - (days - 1 - index) * 24 * HOUR, calls: 18 + ((index * 37) % 60), failures: (index * 5) % 11 }))
}

/** A session that had to leave its model, with failures, limits, holds and a used dashboard. */
export function busyDay(now: number, version: string, language: 'zh' | 'en'): Partial<MockState> & { readonly session: (id: string) => SessionInfo } {
  const zh = language === 'zh'
  const entries: Entry[] = [
    entry({ ...a1, priority: 1, effort: 'high' }),
    entry({ ...a2, priority: 2, windows: [{ from: 22, to: 6 }, { from: 12, to: 14 }] }),
    entry({ ...b1, priority: 3, until: '2026-12-31' }),
    entry({ ...b2, priority: 4, disabled: true }),
    entry({ ...c1, priority: 5, ask: true }),
  ]
  const everyday = group({ id: 'g-1', name: zh ? '日常' : 'Everyday', models: entries })
  const night = group({ id: 'g-2', name: zh ? '夜间' : 'Night', models: [entry({ ...c1, priority: 1 }), entry({ ...b1, priority: 2 })] })
  const verdicts = [
    verdict(a1, { routable: false, why: 'failed', class: 'quota', until: now + 9 * HOUR }),
    verdict(a2, { priority: 2, routable: false, why: 'window', until: now + 3 * HOUR }),
    verdict(b1, { priority: 3 }),
    verdict(b2, { priority: 4, routable: false, why: 'disabled' }),
    verdict(c1, { priority: 5, routable: false, why: 'ask' }),
  ]
  const inGroup = (id: string, name: string, priority: number, disabled = false) => [{ id, name, priority, disabled }]
  const rows = [
    usedRow(a1, 3, { groups: inGroup('g-1', everyday.name, 1), state: 'failed', successes: 22, lastErrorCode: 'QUOTA', lastErrorMessage: '429: You exceeded your current quota', limit: 4, effectiveLimit: 4, running: 1, queued: 2 }),
    row({ ...a2, groups: inGroup('g-1', everyday.name, 2) }),
    usedRow(b1, 1, { groups: [...inGroup('g-1', everyday.name, 3), ...inGroup('g-2', night.name, 2)] }),
    usedRow(b2, 2, { groups: inGroup('g-1', everyday.name, 4, true), state: 'disabled' }),
    usedRow(c1, 0, { groups: [...inGroup('g-1', everyday.name, 5), ...inGroup('g-2', night.name, 1)], state: 'resting', restMs: 21_000 }),
  ]
  const decisions: DecisionRecord[] = [
    decision({ at: now - 90_000, candidates: verdicts }),
    decision({ at: now - 40 * 60_000, kind: 'return', from: b1, to: a1, class: null, code: null, message: null, why: 'home-again', until: null, moveKind: null, candidates: [], calls: 0 }),
    decision({ at: now - 65 * 60_000, class: 'rate_limit', code: 'RATE_LIMIT', message: '429: Rate limit reached, please try again in 20s', why: 'rate_limit', until: now - 40 * 60_000, candidates: verdicts }),
    decision({ at: now - 2 * HOUR, kind: 'hand-pick', from: c1, to: a1, class: null, code: null, message: null, why: 'hand-pick', until: null, moveKind: null, candidates: [], calls: 0 }),
  ]
  const base = status({ version, now })
  const full: StatusReply = {
    ...base,
    groups: [everyday, night] as never,
    usageDayEndsAt: now + 9 * HOUR,
    failed: [mark({ ...a1, at: now - 90_000, until: now + 9 * HOUR }), mark({ ...b2, class: null, code: 'MANUAL', reason: null, manual: true, clears: 'day', count: 1, at: now - HOUR, until: now + 9 * HOUR })],
    health: { ...base.health, holds: [{ scope: 'provider', provider: 'gamma', model: null, class: 'auth', reason: 'Incorrect API key provided', setAt: now - HOUR, until: now + 20 * 60_000 }], rests: [{ ...c1, until: now + 21_000 }] },
    concurrency: [{ ...a1, limit: 4, effectiveLimit: 4, running: 1, queued: 2 }],
  }
  return {
    status: full, models: models(), decisions, metrics: { since: null, until: null, rows, series: series(now, 7), unit: 'day' },
    session: (id) => info({ sessionId: id, group: everyday as never, mode: 'failover', route: b1, home: { ...a1, effort: 'high' }, override: { ...b1, kind: 'failure', class: 'quota', from: { ...a1, effort: 'high' }, at: now - 90_000, until: now + 9 * HOUR }, verdicts, offer: [c1] }),
  }
}

/** 500 models, 40 groups, every model used. */
export function bigHouse(now: number, version: string): Partial<MockState> {
  const catalog = manyModels(10, 50)
  const routes = catalog.providers.flatMap(({ id, models: list }) => list.map((model): Route => ({ provider: id, model: model.id })))
  const groups = Array.from({ length: 40 }, (_, g) => group({ id: `g-${g}`, name: `Group ${g}`, models: routes.slice(g * 12, g * 12 + 40).map((route, index) => entry({ ...route, priority: index + 1 })) }))
  const rows = routes.map((route, index) => usedRow(route, index % 17, { groups: groups.filter(({ models: held }) => held.some((one) => one.provider === route.provider && one.model === route.model)).slice(0, 2).map(({ id, name }) => ({ id, name, priority: (index % 40) + 1, disabled: false })) }))
  return { status: { ...status({ version, now }), groups: groups as never }, models: catalog, metrics: { since: null, until: null, rows, series: series(now, 30), unit: 'day' } }
}
