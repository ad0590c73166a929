/** Rows 6 to 9: writing, reading, holding and loading samples, against one JSON file and an array of objects. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Sample } from '../src/contract/metrics.ts'
import { routeKey } from '../src/contract/route.ts'
import { beijingDay, beijingHour, DAY_MS, dayText, dayNumber } from '../src/domain/beijing.ts'
import { Tally } from '../src/domain/tally.ts'
import type { SampleStore } from '../src/ports.ts'
import { createMetrics, type Metrics } from '../src/services/metrics.ts'
import { HEADER_LINE, writeLine } from '../src/store/sample-line.ts'
import { openSamples } from '../src/store/samples.ts'
import { writeSealed } from '../src/store/summaries.ts'
import { realFiles } from '../src/store/files.ts'
import { bruteQuantile } from '../tests/support/brute-metrics.ts'
import { generate } from './generate.mts'
import { folder, quiet, time } from './real.ts'
import { cost, cpuMs, interleave, typical, type BenchRow } from './row.ts'

const MODELS = 50
const now = Date.now()

/** A data folder with all samples sealed, and the same samples as one JSON text. */
async function prepare(dir: string, count: number, days: number): Promise<Sample[]> {
  const all = [...generate({ samples: count, days, models: MODELS, end: now })]
  const metrics = join(dir, 'metrics')
  mkdirSync(metrics, { recursive: true })
  const byDay = new Map<number, Sample[]>()
  for (const one of all) {
    const day = byDay.get(dayNumber(one.at))
    if (day) day.push(one)
    else byDay.set(dayNumber(one.at), [one])
  }
  for (const [number, samples] of byDay) {
    const day = dayText(number)
    const text = HEADER_LINE + samples.map(writeLine).join('')
    writeFileSync(join(metrics, `${day}.jsonl`), text)
    const whole = new Tally()
    const hours = new Map<number, Tally>()
    for (const one of samples) {
      whole.add(one)
      const tally = hours.get(beijingHour(one.at)) ?? new Tally()
      tally.add(one)
      hours.set(beijingHour(one.at), tally)
    }
    await writeSealed(realFiles, join(metrics, `${day}.sum`), day, Buffer.byteLength(text), whole, hours)
  }
  return all
}

function metricsOf(samples: SampleStore): Metrics {
  return createMetrics({
    time, samples, groups: () => [], marks: () => [], rests: () => [], holds: () => [], quarantined: () => null,
    concurrency: { live: () => [], count: ({ provider, model }) => ({ provider, model, limit: null, effectiveLimit: 0, running: 0, queued: 0 }) },
  })
}

/** The dashboard from an array of objects: filter, group, sort. */
function fromArray(all: readonly Sample[], since: string | null): number {
  const rows = new Map<string, Sample[]>()
  for (const one of all) {
    if (since !== null && beijingDay(one.at) < since) continue
    const key = routeKey(one)
    const list = rows.get(key)
    if (list) list.push(one)
    else rows.set(key, [one])
  }
  let sink = 0
  for (const list of rows.values()) {
    for (const field of ['ttft', 'speed', 'wait'] as const) {
      const values = list.map((one) => one[field]).filter((value) => value !== null).sort((a, b) => a - b)
      sink += (values[values.length >> 1] ?? 0) + (values[Math.floor(values.length * 0.9)] ?? 0)
    }
    sink += list.filter((one) => one.outcome === 'ok').length + list.reduce((sum, one) => sum + (one.in ?? 0) + (one.out ?? 0), 0)
  }
  return sink
}

const timed = (work: () => unknown): number => {
  const start = performance.now()
  work()
  return performance.now() - start
}

/** Sums as they are, quantiles within one per cent of the truth. */
function isRight(metrics: Metrics, all: readonly Sample[]): boolean {
  const { rows } = metrics.reply({ since: null, until: null })
  return rows.length > 0 && rows.every((row) => {
    const own = all.filter((one) => one.provider === row.provider && one.model === row.model && one.purpose !== 'probe')
    const close = (estimate: number | null, q: number, field: 'ttft' | 'speed' | 'wait'): boolean => {
      const truth = bruteQuantile(own.map((one) => one[field]).filter((value) => value !== null), q)
      return truth === null ? estimate === null : estimate !== null && Math.abs(estimate - truth) <= 0.01 * truth
    }
    return row.samples === own.length && (row.inTokens ?? 0) === own.reduce((sum, one) => sum + (one.in ?? 0), 0) && row.successes === own.filter((one) => one.outcome === 'ok').length
      && (['ttft', 'speed', 'wait'] as const).every((field) => close(row[field].p50, 0.5, field) && close(row[field].p90, 0.9, field))
  })
}

async function reading(metrics: Metrics, all: readonly Sample[], days: number, rounds: number): Promise<BenchRow[]> {
  const right = isRight(metrics, all)
  const ranges = [[`all ${days} days`, null, 20], ['7 days', beijingDay(now - 7 * DAY_MS), 2], ['1 day', beijingDay(now - DAY_MS), 0.5]] as const
  const rows: BenchRow[] = []
  for (const [name, since, most] of ranges) {
    const until = name === '1 day' ? since : null
    const { ours, naive } = await interleave(rounds, {
      ours: () => typical(20, () => metrics.reply({ since, until })),
      naive: () => cost(() => fromArray(all, since)),
    })
    rows.push({ id: 7, work: `GET /metrics, ${name}, ${all.length} samples, ${MODELS} models`, ours, floor: null, naive, unit: 'ms', target: `≤ ${most} ms and ≤ naive / 50; exact sums, quantiles ≤ 1 %`, met: right && ours <= most && ours <= naive / 50 })
  }
  return rows
}

/** 20 samples to disk; also the most work of this thread for one batch, which bounds any stall of the event loop. */
async function writing(dir: string, count: number, all: Sample[], rounds: number): Promise<BenchRow> {
  const naive = timed(() => writeFileSync(join(dir, 'naive.json'), JSON.stringify(all)))
  // The collector would stop for a million objects that are not ours.
  all.length = 0
  const store = openSamples({ dir, time, log: quiet })
  await store.flush()
  const batch = Array.from(generate({ samples: 20, days: 1, models: 5, end: now + DAY_MS }))
  const bytes = batch.map(writeLine).join('')
  const bare = join(dir, 'bare.jsonl')
  let stall = 0
  const { ours, floor } = await interleave(Math.max(rounds, 31), {
    ours: async () => {
      const start = performance.now()
      const busy = cpuMs()
      for (const one of batch) store.add(one)
      await store.flush()
      const taken = performance.now() - start
      // The clock of the processor moves in large steps, the wall clock goes on while others run: the truth is below both.
      stall = Math.max(stall, Math.min(cpuMs() - busy, taken))
      return taken
    },
    floor: async () => {
      const start = performance.now()
      const file = await realFiles.open(bare, 'a', 0o600)
      await file.write(bytes)
      await file.close()
      return performance.now() - start
    },
  })
  await store.close()
  return { id: 6, work: `persist 20 samples with ${count} stored (at most ${stall.toFixed(1)} ms of the thread)`, ours, floor, naive, unit: 'ms', target: '≤ 8 × floor, no stall > 5 ms', met: ours <= 8 * floor && stall <= 5 }
}

/** Bytes a process of its own needs for what `script` keeps (see footprint.mts). */
function footprint(kind: 'store' | 'array', path: string): number {
  const script = fileURLToPath(new URL('footprint.mts', import.meta.url))
  return Number(execFileSync(process.execPath, ['--expose-gc', script, kind, path], { encoding: 'utf8' }))
}

/** Rows 6 to 9. */
export async function sampleRows(quick: boolean): Promise<BenchRow[]> {
  // As many a day in either case, so that a day's figures weigh the same.
  const [count, days] = quick ? [200_000, 18] : [1_000_000, 90]
  const rounds = 7
  const { path: dir, remove } = folder()
  try {
    const all = await prepare(dir, count, days)
    const json = join(dir, 'one.json')
    const chunks: string[] = []
    for (let at = 0; at < all.length; at += 100_000) chunks.push(JSON.stringify(all.slice(at, at + 100_000)).slice(1, -1))
    writeFileSync(json, `[${chunks[0]}`)
    for (const chunk of chunks.slice(1)) appendFileSync(json, `,${chunk}`)
    appendFileSync(json, ']')
    const start = await interleave(rounds, {
      ours: async () => {
        const began = performance.now()
        const store = openSamples({ dir, time, log: quiet })
        await store.ready
        const taken = performance.now() - began
        await store.close()
        return taken
      },
      naive: () => timed(() => JSON.parse(readFileSync(json, 'utf8'))),
    })
    const store = openSamples({ dir, time, log: quiet })
    await store.ready
    const rows = await reading(metricsOf(store), all, days, rounds)
    await store.close()
    const ours = footprint('store', dir) / count
    const naive = footprint('array', json) / count
    rows.push({ id: 8, work: 'memory per stored sample', ours, floor: null, naive, unit: 'B', target: '≤ 10 B', met: ours <= 10 })
    rows.push({ id: 9, work: `start-up with ${count} samples`, ours: start.ours, floor: null, naive: start.naive, unit: 'ms', target: '≤ naive / 20', met: start.ours <= start.naive / 20 })
    // Last, because it adds to the samples.
    rows.push(await writing(dir, count, all, rounds))
    return rows
  } finally {
    remove()
  }
}
