/** The dashboard's figures: parts of days added up per model, and calls and failures over time. */
import { DAY_MS, HOUR_MS, startOfDayNumber } from './beijing.ts'
import { clear, createSketch, quantile, type Sketch } from './sketch.ts'
import { FIGURE, FIGURES, MEASURES, type LastError, type Part } from './tally.ts'

/** A day as its number and its parts (see tally.ts). */
export interface DayParts { readonly day: number; readonly parts: readonly Part[] }

/** One model over a range of days. */
export interface Totals {
  readonly figures: Float64Array
  /** One sketch per measure, in the order of {@link MEASURES}. */
  readonly sketches: readonly Sketch[]
  error: LastError | null
}

/** Adds up days per route key, in rows that it uses again for the next sum: what it returned before is void then. */
export class Sum {
  readonly #rows = new Map<string, Totals>()

  of(days: readonly DayParts[]): Map<string, Totals> {
    const rows = new Map<string, Totals>()
    for (const { parts } of days) {
      for (const part of parts) {
        for (let model = 0; model < part.routes.length; model++) {
          const key = part.routes[model] ?? ''
          let row = rows.get(key)
          if (!row) {
            row = this.#empty(key)
            rows.set(key, row)
          }
          if (part.addFigures(model, row.figures)) row.error = part.lastError(model)
          for (let measure = 0; measure < MEASURES.length; measure++) part.addSketch(model, measure, row.sketches[measure] as Sketch)
        }
      }
    }
    return rows
  }

  #empty(key: string): Totals {
    const used = this.#rows.get(key)
    if (!used) {
      const row = { figures: new Float64Array(FIGURES), sketches: MEASURES.map(() => createSketch()), error: null }
      this.#rows.set(key, row)
      return row
    }
    used.figures.fill(0)
    for (const sketch of used.sketches) clear(sketch)
    used.error = null
    return used
  }
}

/** The same without quantiles: cheap enough for the whole history. */
export function addUpFigures(parts: Iterable<Part>): Map<string, Float64Array> {
  const rows = new Map<string, Float64Array>()
  for (const part of parts) {
    for (let model = 0; model < part.routes.length; model++) {
      const key = part.routes[model] ?? ''
      let row = rows.get(key)
      if (!row) {
        row = new Float64Array(FIGURES)
        rows.set(key, row)
      }
      part.addFigures(model, row)
    }
  }
  return rows
}

/** P50 and P90 of one measure; null without values. */
export function quantiles(totals: Totals | undefined, measure: (typeof MEASURES)[number]): { readonly p50: number | null; readonly p90: number | null } {
  const sketch = totals?.sketches[MEASURES.indexOf(measure)]
  return sketch ? { p50: rounded(quantile(sketch, 0.5)), p90: rounded(quantile(sketch, 0.9)) } : { p50: null, p90: null }
}

/** Five significant digits: more would pretend a precision that a sketch does not have, fewer would add to its error. */
function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(5))
}

/** A sum of tokens; null when no sample reported any. */
export function reported(figures: Float64Array | undefined, sum: 'in' | 'out' | 'cacheRead' | 'cacheWrite'): number | null {
  return figures && (figures[FIGURE[sum] + 1] ?? 0) > 0 ? figures[FIGURE[sum]] ?? 0 : null
}

/** Calls (no probes) and rated failures that began at `at` (epoch ms). */
export interface Point { readonly at: number; readonly calls: number; readonly failures: number }

/** Points of one day by hour, of more by day, without a gap: where nothing was called stand zeros. */
export interface Series { readonly unit: 'day' | 'hour'; readonly points: readonly Point[] }

/** Most days a series holds: a year with room to spare, and more bars than a chart can tell apart. */
export const MOST_DAYS = 400

/**
 * The series of a range of day numbers (null = open); `days` are those of the range that have samples, in order. An open
 * range begins with the first of them. Any range ends with `today` at the latest, or with a later sample of a clock
 * that was wrong. Of more than {@link MOST_DAYS} days the newest are told. A single day has all its hours, those to come
 * too, so that the bars of today keep their width as the day goes on.
 */
export function seriesOf(days: readonly DayParts[], since: number | null, until: number | null, today: number): Series {
  if (since !== null && since === until) return { unit: 'hour', points: hoursOf(since, days.find(({ day }) => day === since)?.parts ?? []) }
  const [from, to] = spanOf(since ?? days[0]?.day ?? null, Math.min(until ?? Number.POSITIVE_INFINITY, Math.max(days.at(-1)?.day ?? today, today)), today)
  const byDay = new Map(days.map(({ day, parts }) => [day, parts]))
  const points: Point[] = []
  for (let day = from; day <= to; day++) points.push(dayOf(day, byDay.get(day) ?? []))
  return { unit: 'day', points }
}

/** First and last day of a series, cut to {@link MOST_DAYS}; a stray day far in the future must not push out the present. */
function spanOf(first: number | null, last: number, today: number): readonly [from: number, to: number] {
  if (first === null) return [0, -1]
  const to = last - first >= MOST_DAYS && first <= today ? Math.min(last, today) : last
  return [Math.max(first, to - MOST_DAYS + 1), to]
}

function hoursOf(day: number, parts: readonly Part[]): Point[] {
  return Array.from({ length: DAY_MS / HOUR_MS }, (_, hour) => ({
    at: startOfDayNumber(day) + hour * HOUR_MS,
    calls: parts.reduce((sum, part) => sum + (part.hours[2 * hour] ?? 0), 0),
    failures: parts.reduce((sum, part) => sum + (part.hours[2 * hour + 1] ?? 0), 0),
  }))
}

function dayOf(day: number, parts: readonly Part[]): Point {
  let calls = 0
  let failures = 0
  for (const { hours } of parts) {
    for (let place = 0; place < hours.length; place += 2) {
      calls += hours[place] ?? 0
      failures += hours[place + 1] ?? 0
    }
  }
  return { at: startOfDayNumber(day), calls, failures }
}
