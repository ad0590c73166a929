/** Samples (one line on disk per model call), the dashboard's rows, and the speed test. */
import * as z from 'zod'
import { failureClassSchema } from './failure.ts'
import { calendarDay, idText, routeSchema } from './route.ts'

export const purposeSchema = z.enum(['chat', 'title', 'compaction', 'other', 'speedtest', 'probe'])
export type Purpose = z.infer<typeof purposeSchema>

const count = z.number().min(0).nullable()
/** One model call. Durations are ms, `speed` tokens per second; null = not known, never 0 for unknown. */
export const sampleSchema = z.strictObject({
  at: z.number(),
  provider: idText,
  model: idText,
  endpoint: z.string(),
  outcome: z.union([z.literal('ok'), failureClassSchema]),
  code: z.string().max(200).nullable(),
  message: z.string().max(2000).nullable(),
  wait: z.number().min(0),
  ttft: count,
  speed: count,
  in: count, out: count, cacheRead: count, cacheWrite: count,
  purpose: purposeSchema,
})
export type Sample = Readonly<z.infer<typeof sampleSchema>>

const quantiles = z.object({ p50: z.number().nullable(), p90: z.number().nullable() })
export const rowState = z.enum(['failed', 'disabled', 'held', 'resting', 'quarantined', 'normal'])
export const metricRow = z.object({
  provider: z.string(), model: z.string(),
  groups: z.array(z.object({ id: z.string(), name: z.string(), priority: z.number(), disabled: z.boolean() })),
  samples: z.number(), rated: z.number().describe('samples that count for the success rate'), successes: z.number(),
  ttft: quantiles, speed: quantiles, wait: quantiles,
  inTokens: z.number().nullable(), outTokens: z.number().nullable(), cacheReadTokens: z.number().nullable(), cacheWriteTokens: z.number().nullable(),
  tokenSamples: z.number(),
  lifetimeInTokens: z.number().nullable(), lifetimeOutTokens: z.number().nullable(),
  lifetimeCacheReadTokens: z.number().nullable(), lifetimeCacheWriteTokens: z.number().nullable(),
  lifetimeTokenSamples: z.number(), lifetimeSamples: z.number(),
  probeTokens: z.number(),
  lastErrorCode: z.string().nullable(), lastErrorMessage: z.string().nullable(), lastUsedAt: z.number().nullable(),
  limit: z.number().nullable().describe('own limit of the model; null = follows the default'),
  effectiveLimit: z.number().describe('0 = none'), running: z.number(), queued: z.number(),
  restMs: z.number().describe('what is left of a capacity rest'),
  state: rowState.describe('the worst only'), until: z.number().nullable().describe('when the clock alone ends that state, epoch ms'),
})
export type MetricRow = Readonly<z.infer<typeof metricRow>>

export const seriesPoint = z.object({ at: z.number().describe('start of the day or hour, epoch ms'), calls: z.number(), failures: z.number() })
export const metricsReply = z.object({
  since: calendarDay.nullable(), until: calendarDay.nullable(),
  rows: z.array(metricRow),
  series: z.array(seriesPoint).describe('every day of the range, at most the newest 400; all 24 hours of a single day'), unit: z.enum(['day', 'hour']),
})
export type MetricsReply = Readonly<z.infer<typeof metricsReply>>

export const speedtestInput = z.strictObject({
  models: z.array(routeSchema).min(1).max(1000).optional(),
  groupId: z.string().min(1).optional(),
  timeoutMs: z.int().min(5000).max(120_000).default(45_000),
  parallel: z.int().min(1).max(6).default(2),
}).refine((body) => (body.models === undefined) !== (body.groupId === undefined), 'name either models or groupId, not both')
export type SpeedtestInput = Readonly<z.infer<typeof speedtestInput>>

export const speedtestResult = z.object({
  provider: z.string(), model: z.string(), ok: z.boolean(), ttftMs: z.number().nullable(), tps: z.number().nullable(),
  inTokens: z.number().nullable(), outTokens: z.number().nullable(), errorCode: z.string().nullable(),
})
export const speedtestSnapshot = z.object({
  running: z.boolean(), startedAt: z.number().nullable(), finishedAt: z.number().nullable(), total: z.number(), done: z.number(),
  targets: z.array(routeSchema), results: z.array(speedtestResult),
})
export type SpeedtestSnapshot = Readonly<z.infer<typeof speedtestSnapshot>>
