/** The dashboard's figures: parts of days added up per model, and calls and failures over time. */
import { DAY_MS, HOUR_MS, startOfDayNumber } from './beijing.ts'
import { createSketch, quantile, type Sketch } from './sketch.ts'
import { addFigures, FIGURE, FIGURES, MEASURES, type LastError, type Part } from './tally.ts'

/** A day as its number and its parts (see tally.ts). */
export interface DayParts { readonly day: number; readonly parts: readonly Part[] }

/** One model over a range of days. */
export interface Totals {
  readonly figures: Float64Array
  /** One sketch per measure, in the order of {@link MEASURES}. */
  readonly sketches: readonly Sketch[]
  error: LastError | null
}

/** Adds up all parts, per route key. */
export function addUp(days: readonly DayParts[]): Map<string, Totals> {
  const rows = new Map<string, Totals>()
  for (const { parts } of days) {
    for (const part of parts) {
      for (let model = 0; model < part.routes.length; model++) {
        const key = part.routes[model] ?? ''
        let row = rows.get(key)
        if (!row) {
          row = { figures: new Float64Array(FIGURES), sketches: MEASURES.map(() => createSketch()), error: null }
          rows.set(key, row)
        }
        const into = row
        addFigures(into.figures, part.figures(model), () => { into.error = part.lastError(model) })
        for (let measure = 0; measure < MEASURES.length; measure++) part.addSketch(model, measure, into.sketches[measure] as Sketch)
      }
    }
  }
  return rows
}

/** The same without quantiles: cheap enough for the whole history. */
export function addUpFigures(parts: Iterable<Part>, into = new Map<string, Float64Array>()): Map<string, Float64Array> {
  for (const part of parts) {
    for (let model = 0; model < part.routes.length; model++) {
      const key = part.routes[model] ?? ''
      let row = into.get(key)
      if (!row) {
        row = new Float64Array(FIGURES)
        into.set(key, row)
      }
      addFigures(row, part.figures(model), () => {})
    }
  }
  return into
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

/** Points of one day by hour, of more by day; gaps between the first and the last day are zeros. */
export interface Series { readonly unit: 'day' | 'hour'; readonly points: readonly Point[] }

/**
 * The series of a range of day numbers (null = open). A day without samples counts; a range that is open, or longer
 * than the samples reach, begins with the first day that has some and ends with the last one or `today`.
 */
export function seriesOf(days: readonly DayParts[], since: number | null, until: number | null, today: number): Series {
  if (since !== null && since === until) return { unit: 'hour', points: hoursOf(since, days.find(({ day }) => day === since)?.parts ?? []) }
  const first = days[0]?.day
  const last = days.at(-1)?.day
  if (first === undefined || last === undefined) return { unit: 'day', points: [] }
  const from = Math.max(since ?? first, first)
  const to = Math.min(until ?? Number.POSITIVE_INFINITY, Math.max(last, today))
  const byDay = new Map(days.map(({ day, parts }) => [day, parts]))
  const points: Point[] = []
  for (let day = from; day <= to; day++) {
    const hours = hoursOf(day, byDay.get(day) ?? [])
    points.push({ at: startOfDayNumber(day), calls: hours.reduce((sum, one) => sum + one.calls, 0), failures: hours.reduce((sum, one) => sum + one.failures, 0) })
  }
  return { unit: 'day', points }
}

function hoursOf(day: number, parts: readonly Part[]): Point[] {
  return Array.from({ length: DAY_MS / HOUR_MS }, (_, hour) => ({
    at: startOfDayNumber(day) + hour * HOUR_MS,
    calls: parts.reduce((sum, part) => sum + (part.hours[2 * hour] ?? 0), 0),
    failures: parts.reduce((sum, part) => sum + (part.hours[2 * hour + 1] ?? 0), 0),
  }))
}
