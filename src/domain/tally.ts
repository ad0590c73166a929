/**
 * What the samples of one Beijing day add up to, per model: counts, token sums, three quantile sketches, the last error.
 * Samples are taken in one by one here; `sealed.ts` keeps the same figures as bytes. Both are read as a {@link Part}.
 */
import type { Sample } from '../contract/metrics.ts'
import { routeKey } from '../contract/route.ts'
import { beijingHour } from './beijing.ts'
import { add, createSketch, encode, merge, type Sketch } from './sketch.ts'

/** Places of the exact figures in a model's row. `…N` = samples that reported that figure (absent is not 0). */
export const FIGURE = {
  samples: 0, rated: 1, successes: 2, tokenSamples: 3,
  in: 4, inN: 5, out: 6, outN: 7, cacheRead: 8, cacheReadN: 9, cacheWrite: 10, cacheWriteN: 11,
  probes: 12, probeTokens: 13, lastUsedAt: 14, lastFailedAt: 15,
} as const
export const FIGURES = 16
/** The measures that have a sketch, in this order. */
export const MEASURES = ['ttft', 'speed', 'wait'] as const

/** An error as code and message of one failed sample; the message is null when it was no text for people. */
export interface LastError { readonly code: string | null; readonly message: string | null }

/** Figures of some models over some samples; the models are numbered from 0 in `routes` (route keys). */
export interface Part {
  readonly routes: readonly string[]
  /** Row of {@link FIGURES} numbers of model `model`: read only. */
  figures(model: number): Float64Array
  /** Adds that row to another (see {@link addFigures}); true when this part has the later failure. */
  addFigures(model: number, into: Float64Array): boolean
  lastError(model: number): LastError | null
  /** Adds the sketch of measure `measure` (index in {@link MEASURES}) to `into`. */
  addSketch(model: number, measure: number, into: Sketch): void
  /** 24 pairs of calls and failures by hour of the Beijing day. */
  readonly hours: Float64Array
}

/** One model of a {@link Tally}. */
class Row {
  readonly figures = new Float64Array(FIGURES)
  readonly sketches: readonly Sketch[] = MEASURES.map(() => createSketch())
  error: LastError | null = null
}

/** A part that samples are added to. */
export class Tally implements Part {
  readonly routes: string[] = []
  readonly hours = new Float64Array(48)
  /** Samples taken in, probes included. */
  taken = 0
  readonly #rows: Row[] = []
  readonly #places = new Map<string, number>()

  /** Takes one sample in. Its day is the caller's business. */
  add(sample: Sample): void {
    this.taken++
    const { figures, sketches } = this.#row(routeKey(sample))
    if (sample.purpose === 'probe') {
      bump(figures, FIGURE.probes, 1)
      bump(figures, FIGURE.probeTokens, (sample.in ?? 0) + (sample.out ?? 0) + (sample.cacheRead ?? 0) + (sample.cacheWrite ?? 0))
      return
    }
    const ok = sample.outcome === 'ok'
    const rated = isRated(sample)
    bump(figures, FIGURE.samples, 1)
    if (rated) bump(figures, FIGURE.rated, 1)
    if (ok) bump(figures, FIGURE.successes, 1)
    addTokens(figures, sample)
    figures[FIGURE.lastUsedAt] = Math.max(figures[FIGURE.lastUsedAt] ?? 0, sample.at)
    if (!ok && sample.outcome !== 'cancelled') this.#failed(sample)
    if (sample.ttft !== null) add(sketches[0] as Sketch, sample.ttft)
    if (sample.speed !== null) add(sketches[1] as Sketch, sample.speed)
    add(sketches[2] as Sketch, sample.wait)
    const hour = 2 * beijingHour(sample.at)
    bump(this.hours, hour, 1)
    if (rated && !ok) bump(this.hours, hour + 1, 1)
  }

  figures(model: number): Float64Array { return this.#rows[model]?.figures ?? new Float64Array(FIGURES) }

  addFigures(model: number, into: Float64Array): boolean { return addFigures(into, this.figures(model), 0) }

  lastError(model: number): LastError | null { return this.#rows[model]?.error ?? null }

  addSketch(model: number, measure: number, into: Sketch): void {
    const sketch = this.#rows[model]?.sketches[measure]
    if (sketch) merge(into, sketch)
  }

  /** The sketch of one measure as bytes. */
  encoded(model: number, measure: number): Uint8Array { return encode(this.#rows[model]?.sketches[measure] ?? createSketch()) }

  /** Adds everything of another part. */
  addPart(part: Part): void {
    part.routes.forEach((route, model) => {
      const row = this.#row(route)
      if (part.addFigures(model, row.figures)) row.error = part.lastError(model)
      row.sketches.forEach((sketch, measure) => part.addSketch(model, measure, sketch))
    })
    for (let place = 0; place < 48; place++) bump(this.hours, place, part.hours[place] ?? 0)
  }

  #failed(sample: Sample): void {
    const row = this.#row(routeKey(sample))
    if (sample.at < (row.figures[FIGURE.lastFailedAt] ?? 0)) return
    row.figures[FIGURE.lastFailedAt] = sample.at
    row.error = { code: sample.code, message: readable(sample.message) }
  }

  #row(key: string): Row {
    const place = this.#places.get(key)
    const known = place === undefined ? undefined : this.#rows[place]
    if (known) return known
    const row = new Row()
    this.#places.set(key, this.#rows.push(row) - 1)
    this.routes.push(key)
    return row
  }
}

/** Adds the row of figures that begins at `at` of `from`; true when it has the later failure, so that its error counts. */
export function addFigures(into: Float64Array, from: Float64Array, at: number): boolean {
  for (let place = 0; place < FIGURE.lastUsedAt; place++) into[place] = (into[place] as number) + (from[at + place] as number)
  const used = from[at + FIGURE.lastUsedAt] as number
  if (used > (into[FIGURE.lastUsedAt] as number)) into[FIGURE.lastUsedAt] = used
  const failed = from[at + FIGURE.lastFailedAt] as number
  if (failed === 0 || failed < (into[FIGURE.lastFailedAt] as number)) return false
  into[FIGURE.lastFailedAt] = failed
  return true
}

function bump(row: Float64Array, place: number, by: number): void { row[place] = (row[place] ?? 0) + by }

/** True when a sample counts for the success rate: no probe, not cancelled, and a request was really sent. */
export function isRated(sample: Sample): boolean {
  return sample.purpose !== 'probe' && sample.outcome !== 'cancelled' && sample.code !== 'CAPACITY_TIMEOUT'
}

/** A message that is text for people, cut of blanks; null for an empty one and for an object that was never made text. */
export function readable(message: string | null): string | null {
  const text = message?.trim() ?? ''
  return text === '' || /^(?:Error:\s*)?\[object \w+\]$/.test(text) ? null : text
}

function addTokens(figures: Float64Array, sample: Sample): void {
  const { in: input, out, cacheRead, cacheWrite } = sample
  if (input !== null) { bump(figures, FIGURE.in, input); bump(figures, FIGURE.inN, 1) }
  if (out !== null) { bump(figures, FIGURE.out, out); bump(figures, FIGURE.outN, 1) }
  if (cacheRead !== null) { bump(figures, FIGURE.cacheRead, cacheRead); bump(figures, FIGURE.cacheReadN, 1) }
  if (cacheWrite !== null) { bump(figures, FIGURE.cacheWrite, cacheWrite); bump(figures, FIGURE.cacheWriteN, 1) }
  if (input !== null || out !== null || cacheRead !== null || cacheWrite !== null) bump(figures, FIGURE.tokenSamples, 1)
}
