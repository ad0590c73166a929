/** From the end of a model call to its sample: what is measured, what is left unknown, and how usage is remembered. */
import type { FailureClass } from '../contract/failure.ts'
import type { Purpose, Sample } from '../contract/metrics.ts'
import type { Route } from '../contract/route.ts'
import type { Usage } from './chunks.ts'
import { readable } from './tally.ts'

/** So many successes in a row with usage make a route one that always reports it. */
export const USAGE_HABIT = 20

/** What is known of a call when it has ended; durations in ms. */
export interface CallFacts {
  readonly route: Route
  readonly endpoint: string
  readonly purpose: Purpose
  readonly at: number
  readonly cancelled: boolean
  /** null = no failure. */
  readonly failure: { readonly class: FailureClass; readonly code: string; readonly message: string } | null
  readonly usage: Usage | null
  readonly waitMs: number
  readonly ttftMs: number | null
  readonly outputMs: number | null
}

/** The sample of a call. Times keep a tenth of a millisecond, speeds a hundredth. */
export function sampleOf(facts: CallFacts): Sample {
  const { route, failure } = facts
  const outcome = facts.cancelled ? 'cancelled' : failure?.class ?? 'ok'
  const usage = meaningful(facts.usage, outcome === 'ok')
  return {
    at: facts.at, provider: route.provider, model: route.model, endpoint: facts.endpoint, outcome,
    code: failure?.code.slice(0, 200) ?? null,
    message: failure ? readable(failure.message)?.slice(0, 2000) ?? null : null,
    wait: tenth(facts.waitMs), ttft: facts.ttftMs === null ? null : tenth(facts.ttftMs),
    speed: outputSpeed(usage?.outputTokens ?? null, facts.outputMs),
    in: usage?.inputTokens ?? null, out: usage?.outputTokens ?? null, cacheRead: usage?.cacheReadTokens ?? null, cacheWrite: usage?.cacheWriteTokens ?? null,
    purpose: facts.purpose,
  }
}

/** Tokens per second between the first decisive frame and the end; null under two tokens or without a duration. */
export function outputSpeed(tokens: number | null, ms: number | null): number | null {
  return tokens === null || tokens < 2 || ms === null || ms <= 0 ? null : Math.round((tokens * 100_000) / ms) / 100
}

/** Adapters report zeros beside a failure: that is no usage. So are figures that are no counts. */
function meaningful(usage: Usage | null, ok: boolean): Usage | null {
  if (!usage || !isCount(usage.inputTokens) || !isCount(usage.outputTokens)) return null
  if (!ok && usage.inputTokens === 0 && usage.outputTokens === 0) return null
  const { cacheReadTokens, cacheWriteTokens } = usage
  return {
    inputTokens: usage.inputTokens, outputTokens: usage.outputTokens,
    ...(isCount(cacheReadTokens) ? { cacheReadTokens } : {}), ...(isCount(cacheWriteTokens) ? { cacheWriteTokens } : {}),
  }
}

const isCount = (value: number | undefined): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0
const tenth = (ms: number): number => Math.max(0, Math.round(ms * 10) / 10)

/** Successes in a row with usage, up to {@link USAGE_HABIT}, after one more call; a failure changes nothing. */
export function usageRun(before: number, sample: Sample): number {
  if (sample.outcome !== 'ok') return before
  return sample.out === null || sample.out === 0 ? 0 : Math.min(USAGE_HABIT, before + 1)
}
