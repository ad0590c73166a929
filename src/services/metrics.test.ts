import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bruteQuantile, bruteRow, civilDay, civilHour, within } from '../../tests/support/brute-metrics.ts'
import { ManualTime } from '../../tests/support/manual-time.ts'
import { anySample, FIRST_DAY, sample } from '../../tests/support/samples.ts'
import { metricsReply, type MetricsReply, type Sample } from '../contract/metrics.ts'
import { routeKey } from '../contract/route.ts'
import type { Group } from '../contract/group.ts'
import type { Hold, Mark } from '../contract/health.ts'
import { DAY_MS, dayNumber } from '../domain/beijing.ts'
import { Tally } from '../domain/tally.ts'
import type { DayFigures, SampleStore } from '../ports.ts'
import { openSamples } from '../store/samples.ts'
import type { CallEnd } from './call-end.ts'
import type { LiveCount } from './concurrency.ts'
import { createMetrics, type EndedCall, type Metrics } from './metrics.ts'

/** Samples in memory only. */
function memory(samples: readonly Sample[] = []): SampleStore & { readonly added: Sample[] } {
  const days = new Map<number, Tally>()
  const added: Sample[] = []
  const add = (one: Sample): void => {
    added.push(one)
    const day = dayNumber(one.at)
    const tally = days.get(day) ?? new Tally()
    tally.add(one)
    days.set(day, tally)
  }
  for (const one of samples) add(one)
  return {
    ready: Promise.resolve(), epoch: 1, added, add, problems: () => [], flush: () => Promise.resolve(), close: () => Promise.resolve(),
    days: () => [...days].sort(([a], [b]) => a - b).map(([day, tally]): DayFigures => ({ day, parts: [tally] })),
    async* lines() { for (const one of added) yield `${JSON.stringify(one)}\n` },
  }
}

type Marked = Mark & { readonly until: number }
interface Facts { groups: Group[]; marks: Marked[]; holds: Hold[]; rests: { provider: string; model: string; until: number }[]; quarantined: string[]; live: LiveCount[] }

const NOW = FIRST_DAY + 3 * DAY_MS + 1000

function metricsOf(samples: SampleStore, facts: Partial<Facts> = {}, time = new ManualTime(NOW)): Metrics {
  const idle = (route: { provider: string; model: string }): LiveCount => ({ ...route, limit: null, effectiveLimit: 0, running: 0, queued: 0 })
  return createMetrics({
    time, samples, groups: () => facts.groups ?? [], marks: () => facts.marks ?? [], rests: () => facts.rests ?? [], holds: () => facts.holds ?? [],
    quarantined: (route) => (facts.quarantined?.includes(routeKey(route)) ? NOW + 4000 : null),
    concurrency: { live: () => facts.live ?? [], count: ({ provider, model }) => facts.live?.find((one) => one.provider === provider && one.model === model) ?? idle({ provider, model }) },
  })
}
const all = { since: null, until: null }
const group = (id: string, models: Group['models']): Group => ({ id, rev: 1, name: `name of ${id}`, enabled: true, models })
const mark = (fields: Partial<Marked>): Marked => ({ provider: 'p', model: 'm', class: 'server', code: 'SERVER', reason: 'final', count: 1, at: FIRST_DAY, manual: false, until: NOW + 1000, ...fields })
const hold = (fields: Partial<Hold> = {}): Hold => ({ scope: 'route', provider: 'p', model: 'm', class: 'quota', reason: 'used up until noon', setAt: FIRST_DAY, until: NOW + 2000, ...fields })

function expectEqual(reply: MetricsReply, samples: readonly Sample[], since: string | null, until: string | null): void {
  const inRange = within(samples, since, until)
  const close = (estimate: number | null, values: readonly number[], q: number): void => {
    const truth = bruteQuantile(values, q)
    if (truth === null) expect(estimate).toBeNull()
    else expect(Math.abs((estimate ?? Number.NaN) - truth)).toBeLessThanOrEqual(0.01 * truth)
  }
  const keys = new Set(inRange.map(routeKey))
  expect(reply.rows.map(routeKey).sort()).toEqual([...keys].sort())
  for (const row of reply.rows) {
    const truth = bruteRow(inRange, row.provider, row.model)
    const life = bruteRow(samples, row.provider, row.model)
    expect(row).toMatchObject({
      samples: truth.samples, rated: truth.rated, successes: truth.successes, tokenSamples: truth.tokenSamples, probeTokens: truth.probeTokens,
      inTokens: truth.in, outTokens: truth.out, cacheReadTokens: truth.cacheRead, cacheWriteTokens: truth.cacheWrite, lastUsedAt: truth.lastUsedAt,
      lifetimeInTokens: life.in, lifetimeOutTokens: life.out, lifetimeCacheReadTokens: life.cacheRead, lifetimeCacheWriteTokens: life.cacheWrite,
      lifetimeTokenSamples: life.tokenSamples, lifetimeSamples: life.samples,
      lastErrorCode: truth.error?.code ?? null, lastErrorMessage: truth.error?.message ?? null,
    })
    for (const measure of ['ttft', 'speed', 'wait'] as const) {
      close(row[measure].p50, truth[measure], 0.5)
      close(row[measure].p90, truth[measure], 0.9)
    }
  }
  const counted = inRange.filter((one) => one.purpose !== 'probe')
  for (const point of reply.series) {
    const same = (one: Sample): boolean => civilDay(one.at) === civilDay(point.at) && (reply.unit === 'day' || civilHour(one.at) === civilHour(point.at))
    expect(point.calls).toBe(counted.filter(same).length)
    expect(point.failures).toBe(counted.filter((one) => same(one) && one.outcome !== 'ok' && one.outcome !== 'cancelled' && one.code !== 'CAPACITY_TIMEOUT').length)
  }
  expect(reply.series.reduce((sum, point) => sum + point.calls, 0)).toBe(counted.length)
}

const anyDay = fc.option(fc.integer({ min: -1, max: 5 }).map((day) => civilDay(FIRST_DAY + day * DAY_MS)), { nil: null })

it('says what recomputing everything from the samples says, for any range', async () => {
  await fc.assert(fc.asyncProperty(fc.array(anySample(4), { maxLength: 80 }), anyDay, anyDay, async (samples, since, until) => {
    const reply = await metricsOf(memory(samples)).query({ since, until })
    expect(metricsReply.parse(reply)).toEqual(reply)
    expectEqual(reply, samples, since, until)
  }), { numRuns: 300 })
})

it('says the same from disk: sealed, late and still open days together', async () => {
  await fc.assert(fc.asyncProperty(fc.array(anySample(4), { maxLength: 60 }), fc.array(anySample(4), { maxLength: 20 }), anyDay, anyDay, async (early, late, since, until) => {
    const dir = await fs.mkdtemp(join(tmpdir(), 'metrics-'))
    const time = new ManualTime(FIRST_DAY + 3 * DAY_MS + 43_200_000)
    const log = { info: () => {}, warn: () => {}, error: () => {} }
    const first = openSamples({ dir, time, log })
    for (const one of early) first.add(one)
    await first.close()
    const store = openSamples({ dir, time, log })
    for (const one of late) store.add(one)
    await store.flush()
    expectEqual(await metricsOf(store, {}, time).query({ since, until }), [...early, ...late], since, until)
    await store.close()
    await fs.rm(dir, { recursive: true, force: true })
  }), { numRuns: 20 })
})

it('ignores bounds that are no real dates', () => {
  const reply = metricsOf(memory([sample()])).reply({ since: '2025-02-30', until: 'yesterday' })
  expect([reply.since, reply.until, reply.rows[0]?.samples]).toEqual([null, null, 1])
})

it('gives hours for one day and days for more, with the gaps', () => {
  const metrics = metricsOf(memory([sample({ at: FIRST_DAY }), sample({ at: FIRST_DAY + 2 * DAY_MS + 3_600_000, outcome: 'server' })]))
  const day = metrics.reply({ since: '2025-03-05', until: '2025-03-05' })
  expect([day.unit, day.series.length, day.series[1], day.series[0]]).toEqual(['hour', 24, { at: FIRST_DAY + 2 * DAY_MS + 3_600_000, calls: 1, failures: 1 }, { at: FIRST_DAY + 2 * DAY_MS, calls: 0, failures: 0 }])
  const whole = metrics.reply(all)
  expect([whole.unit, whole.series.map((point) => point.calls)]).toEqual(['day', [1, 0, 1, 0]])
  const week = metrics.reply({ since: '2025-02-27', until: '2025-03-06' })
  expect([week.series.map((point) => point.calls), week.series[0]?.at]).toEqual([[0, 0, 0, 0, 1, 0, 1, 0], FIRST_DAY - 4 * DAY_MS])
  expect(metrics.reply({ since: '2025-03-04', until: null }).series.map((point) => point.calls)).toEqual([0, 1, 0])
  expect(metrics.reply({ since: null, until: '2025-03-04' }).series.map((point) => point.calls)).toEqual([1, 0])
  expect(metrics.reply({ since: '2030-01-01', until: '2030-01-09' }).series).toEqual([])
  expect(metrics.reply({ since: '2025-03-05', until: '2025-03-03' }).series).toEqual([])
  expect(metricsOf(memory()).reply({ since: '2025-03-05', until: '2025-03-05' }).series).toHaveLength(24)
})

it('lists the models of the groups in their order, also those without data, then the others', () => {
  const groups = [
    group('a', [{ provider: 'p', model: 'two', priority: 2 }, { provider: 'p', model: 'one', priority: 1, disabled: true }]),
    group('b', [{ provider: 'p', model: 'two', priority: 1 }, { provider: 'p', model: 'three', priority: 9 }]),
  ]
  const rows = metricsOf(memory([sample({ model: 'stray' }), sample({ model: 'two' })]), { groups }).reply(all).rows
  expect(rows.map(({ model, samples }) => [model, samples])).toEqual([['one', 0], ['two', 1], ['three', 0], ['stray', 1]])
  expect(rows[1]?.groups).toEqual([{ id: 'a', name: 'name of a', priority: 2, disabled: false }, { id: 'b', name: 'name of b', priority: 1, disabled: false }])
  expect(rows[0]?.inTokens).toBeNull()
})

it('shows the worst state only and when the clock ends it: failed, disabled, held, resting, quarantined, normal', () => {
  const route = { provider: 'p', model: 'm' }
  const groups = [group('a', [{ ...route, priority: 1, disabled: true }])]
  const facts: Facts = { groups, marks: [mark({})], holds: [hold()], rests: [{ ...route, until: NOW + 30_000 }], quarantined: ['p/m'], live: [] }
  const state = (less: Partial<Facts>): unknown => {
    const row = metricsOf(memory([sample()]), { ...facts, ...less }).reply(all).rows[0]
    return [row?.state, row?.until && row.until - NOW]
  }
  expect(state({})).toEqual(['failed', 1000])
  expect(state({ marks: [] })).toEqual(['disabled', null])
  expect(state({ marks: [], groups: [] })).toEqual(['held', 2000])
  expect(state({ marks: [], groups: [], holds: [] })).toEqual(['resting', 30_000])
  expect(state({ marks: [], groups: [], holds: [], rests: [] })).toEqual(['quarantined', 4000])
  expect(state({ marks: [], groups: [], holds: [], rests: [], quarantined: [] })).toEqual(['normal', null])
  expect(metricsOf(memory([sample()]), facts).reply(all).rows[0]?.restMs).toBe(30_000)
  const half = [...groups, group('b', [{ ...route, priority: 1 }])]
  expect(state({ marks: [], groups: half, holds: [], rests: [] })).toEqual(['quarantined', 4000])
})

it('tells the hold that bars a model: its own or that of its provider, whichever ends last, none that is over or of another', () => {
  const whole = { scope: 'provider', model: null } as const
  const row = (...holds: Hold[]): unknown => {
    const { state, until } = metricsOf(memory([sample()]), { holds }).reply(all).rows[0] ?? {}
    return [state, until && until - NOW]
  }
  expect(row(hold({ ...whole, until: NOW + 9000 }), hold())).toEqual(['held', 9000])
  expect(row(hold({ ...whole, until: NOW + 1000 }), hold())).toEqual(['held', 2000])
  expect(row(hold({ until: NOW }), hold({ model: 'n' }), hold({ ...whole, provider: 'q' }))).toEqual(['normal', null])
})

it('takes code and message as a pair: the day mark before the last failed sample', () => {
  const samples = [sample({ outcome: 'quota', code: 'QUOTA', message: 'from the sample' })]
  const error = (marks: Marked[]): unknown => {
    const row = metricsOf(memory(samples), { marks }).reply(all).rows[0]
    return [row?.lastErrorCode, row?.lastErrorMessage]
  }
  expect(error([])).toEqual(['QUOTA', 'from the sample'])
  expect(error([mark({ code: 'AUTH', reason: 'from the mark' })])).toEqual(['AUTH', 'from the mark'])
  expect(error([mark({ code: 'AUTH', reason: '[object Object]' })])).toEqual(['AUTH', null])
  expect(error([mark({ code: null, reason: null })])).toEqual([null, null])
})

it('takes the reason of a hold where no call of the model itself failed', () => {
  const error = (outcome: Sample['outcome'], holds: Hold[]): unknown => {
    const row = metricsOf(memory([sample({ outcome, ...(outcome === 'ok' ? {} : { code: 'QUOTA', message: 'from the sample' }) })]), { holds }).reply(all).rows[0]
    return [row?.lastErrorCode, row?.lastErrorMessage]
  }
  expect(error('ok', [hold()])).toEqual([null, 'used up until noon'])
  expect(error('ok', [hold({ reason: null })])).toEqual([null, null])
  expect(error('quota', [hold()])).toEqual(['QUOTA', 'from the sample'])
})

it('shows live calls of a model without any data', () => {
  const live = [{ provider: 'x', model: 'y', limit: 2, effectiveLimit: 2, running: 1, queued: 3 }]
  expect(metricsOf(memory(), { live }).reply(all).rows).toMatchObject([{ provider: 'x', model: 'y', limit: 2, running: 1, queued: 3, samples: 0 }])
})

const end = (fields: Partial<CallEnd> = {}): CallEnd => ({
  how: 'finish', finish: { kind: 'stop' }, failure: null, cancelled: false, usage: { inputTokens: 100, outputTokens: 50, cacheReadTokens: 7 }, waitMs: 0, ttftMs: 812.34, outputMs: 2000,
  startedAt: FIRST_DAY, startedMono: 0, endedAt: FIRST_DAY + 3000, endedMono: 3000, contentSeen: true, ...fields,
})
const ended = (fields: Partial<EndedCall> = {}, of: Partial<CallEnd> = {}): EndedCall => ({ route: { provider: 'p', model: 'm' }, endpoint: 'e', purpose: 'chat', verdict: null, end: end(of), ...fields })

it('books a call as a sample with everything that is known of it', () => {
  const store = memory()
  const metrics = metricsOf(store)
  expect(metrics.record(ended())).toEqual({
    at: FIRST_DAY + 3000, provider: 'p', model: 'm', endpoint: 'e', outcome: 'ok', code: null, message: null, wait: 0, ttft: 812.3, speed: 25,
    in: 100, out: 50, cacheRead: 7, cacheWrite: null, purpose: 'chat',
  })
  const failure = { code: 'SERVER', message: ' down ' }
  expect(metrics.record(ended({ verdict: { class: 'server' } }, { failure, usage: { inputTokens: 0, outputTokens: 0 }, ttftMs: null, outputMs: null }))).toMatchObject({
    outcome: 'server', code: 'SERVER', message: 'down', in: null, out: null, ttft: null, speed: null,
  })
  expect(metrics.record(ended({ verdict: { class: 'server' } }, { failure, cancelled: true })).outcome).toBe('cancelled')
  expect(metrics.record(ended({}, { usage: { inputTokens: 5, outputTokens: 1 } })).speed).toBeNull()
  expect(metrics.record(ended({}, { usage: null })).speed).toBeNull()
  expect(store.added).toHaveLength(5)
  expect(metrics.lastSuccess('p')).toBe(FIRST_DAY + 3000)
  expect(metrics.lastSuccess('q')).toBeNull()
})

it('suspects an answer only on a route whose last twenty successes all came with usage', () => {
  const metrics = metricsOf(memory())
  const rule = (): unknown => metrics.inBandRule({ provider: 'p', model: 'm' })
  for (let call = 0; call < 19; call++) metrics.record(ended())
  expect(rule()).toBeNull()
  metrics.record(ended({ verdict: { class: 'server' } }, { failure: { code: 'SERVER', message: 'x' }, usage: null }))
  metrics.record(ended())
  expect(rule()).toBeTypeOf('function')
  expect(metrics.inBandRule({ provider: 'p', model: 'm' })?.('Service unavailable')).toMatchObject({ code: 'MALFORMED_RESPONSE' })
  expect(metrics.inBandRule({ provider: 'p', model: 'other' })).toBeNull()
  metrics.record(ended({}, { usage: null }))
  expect(rule()).toBeNull()
})
