/** Samples as a busy installation makes them: few models do most of the work, days have a rhythm, failures come in bursts. */
import type { Sample } from '../src/contract/metrics.ts'
import { DAY_MS, HOUR_MS, startOfDay } from '../src/domain/beijing.ts'
import { chance } from './sim.mts'

/** Share of a day's calls by hour, Beijing. */
const RHYTHM = [2, 1, 1, 1, 1, 1, 2, 4, 8, 12, 13, 12, 9, 11, 13, 13, 12, 11, 8, 9, 10, 9, 7, 4]
const ERRORS: readonly (readonly [Sample['outcome'], string, string])[] = [
  ['rate_limit', 'RATE_LIMIT', '429: {"error":{"message":"Rate limit reached for requests","type":"requests"}}'],
  ['server', 'SERVER', '503: Service temporarily unavailable, please retry in a moment'],
  ['quota', 'QUOTA', '402: 余额不足，请充值后再试'],
  ['transport', 'TRANSPORT', 'terminated'],
  ['timeout', 'TIMEOUT', 'no frame within 300000 ms'],
  ['capacity', 'CAPACITY_TIMEOUT', 'no free slot for this model within 180 s'],
]

export interface Traffic { readonly samples: number; readonly days: number; readonly models: number; readonly end: number; readonly run?: number }

/** `samples` samples in order of time over the `days` Beijing days that end before the day of `end` (epoch ms). */
export function* generate({ samples, days, models, end, run = 1 }: Traffic): Generator<Sample> {
  const random = chance(run)
  const weights = Array.from({ length: models }, (_, model) => 1 / (model + 1))
  const table = cumulative(weights)
  const hours = cumulative(RHYTHM)
  const first = startOfDay(end) - days * DAY_MS
  const perDay = Math.floor(samples / days)
  for (let day = 0; day < days; day++) {
    const count = day === days - 1 ? samples - perDay * (days - 1) : perDay
    const instants = Float64Array.from({ length: count }, () => Math.floor(first + day * DAY_MS + pickIn(hours, random()) * HOUR_MS + random() * HOUR_MS)).sort()
    for (const at of instants) yield one(at, pickIn(table, random()), random)
  }
}

function one(at: number, model: number, random: () => number): Sample {
  const route = { provider: `provider-${model % 7}`, model: `vendor/model-${model}` }
  const burst = random() < (Math.floor(at / 600_000) % 37 === model % 37 ? 0.4 : 0.02)
  const [outcome, code, message] = (burst ? ERRORS[Math.floor(random() * ERRORS.length)] : undefined) ?? ['ok', null, null] as const
  const ttft = tenth(250 * (1 + (model % 9)) * Math.exp(normal(random) * 0.6))
  const out = Math.floor(20 + 900 * random() ** 3)
  const failed = outcome !== 'ok'
  return {
    at, ...route, endpoint: 'b1946ac9', outcome, code, message,
    wait: random() < 0.9 ? 0 : tenth(30_000 * random() ** 4), ttft: failed ? null : ttft,
    speed: failed ? null : Math.round((2000 + 6000 * random()) * (1 + (model % 5))) / 100,
    in: failed ? null : Math.floor(500 + 60_000 * random() ** 2), out: failed ? null : out,
    cacheRead: failed || model % 3 === 0 ? null : Math.floor(40_000 * random()), cacheWrite: failed || model % 3 === 0 ? null : Math.floor(2000 * random()),
    purpose: random() < 0.93 ? 'chat' : random() < 0.5 ? 'title' : random() < 0.5 ? 'probe' : 'speedtest',
  }
}

const tenth = (value: number): number => Math.round(value * 10) / 10

/** A standard normal value (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function cumulative(weights: readonly number[]): Float64Array {
  const sums = new Float64Array(weights.length)
  let sum = 0
  weights.forEach((weight, place) => { sum += weight; sums[place] = sum })
  return sums.map((value) => value / sum)
}

function pickIn(table: Float64Array, u: number): number {
  let low = 0
  let high = table.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((table[middle] ?? 1) < u) low = middle + 1
    else high = middle
  }
  return low
}
