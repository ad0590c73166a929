// The dashboard's figures recomputed from plain samples, the slow and obvious way.
import type { Sample } from '../../src/contract/metrics.ts'

/** Civil day in Beijing by the calendar of the platform, not by our arithmetic. */
const civil = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Shanghai', year: 'numeric', month: '2-digit', day: '2-digit' })
const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Shanghai', hour: '2-digit', hourCycle: 'h23' })
export const civilDay = (at: number): string => civil.format(at)
export const civilHour = (at: number): number => Number(clock.format(at))

export interface BruteRow {
  samples: number; rated: number; successes: number; tokenSamples: number; probeTokens: number
  in: number | null; out: number | null; cacheRead: number | null; cacheWrite: number | null
  lastUsedAt: number | null; error: { code: string | null; message: string | null } | null
  ttft: number[]; speed: number[]; wait: number[]
}

const sum = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0)
}

export const within = (samples: readonly Sample[], since: string | null, until: string | null): Sample[] =>
  samples.filter(({ at }) => (since === null || civilDay(at) >= since) && (until === null || civilDay(at) <= until))

export function bruteRow(all: readonly Sample[], provider: string, model: string): BruteRow {
  const own = all.filter((one) => one.provider === provider && one.model === model)
  const probes = own.filter((one) => one.purpose === 'probe')
  const samples = own.filter((one) => one.purpose !== 'probe')
  const failed = samples.filter((one) => one.outcome !== 'ok' && one.outcome !== 'cancelled')
  const latest = Math.max(...failed.map(({ at }) => at))
  const last = failed.findLast((one) => one.at === latest)
  const text = last?.message?.trim() ?? ''
  const numbers = (field: 'ttft' | 'speed' | 'wait'): number[] => samples.map((one) => one[field]).filter((value) => value !== null)
  return {
    samples: samples.length,
    rated: samples.filter((one) => one.outcome !== 'cancelled' && one.code !== 'CAPACITY_TIMEOUT').length,
    successes: samples.filter((one) => one.outcome === 'ok').length,
    tokenSamples: samples.filter((one) => sum([one.in, one.out, one.cacheRead, one.cacheWrite]) !== null).length,
    probeTokens: probes.reduce((total, one) => total + (one.in ?? 0) + (one.out ?? 0) + (one.cacheRead ?? 0) + (one.cacheWrite ?? 0), 0),
    in: sum(samples.map((one) => one.in)), out: sum(samples.map((one) => one.out)),
    cacheRead: sum(samples.map((one) => one.cacheRead)), cacheWrite: sum(samples.map((one) => one.cacheWrite)),
    lastUsedAt: samples.length === 0 ? null : Math.max(...samples.map(({ at }) => at)),
    error: last ? { code: last.code, message: text === '' || text === '[object Object]' ? null : text } : null,
    ttft: numbers('ttft'), speed: numbers('speed'), wait: numbers('wait'),
  }
}

/** Value of nearest rank; null for none. */
export function bruteQuantile(values: readonly number[], q: number): number | null {
  return [...values].sort((a, b) => a - b)[Math.max(1, Math.ceil(q * values.length)) - 1] ?? null
}
