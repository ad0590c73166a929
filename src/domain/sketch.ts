/**
 * Quantiles of a stream of non-negative numbers from logarithmic buckets: every estimate is within 1 % of the true value,
 * sketches of parts merge into the sketch of the whole without further error, and count, sum, least and greatest are exact.
 * After Masson, Rim, Lee: "DDSketch: A Fast and Fully-Mergeable Quantile Sketch with Relative-Error Guarantees" (VLDB 2019).
 */

/** Relative error of a bucket's midpoint; a little under 1 % so that rounding cannot exceed it. */
const ALPHA = 0.0099
const GAMMA = (1 + ALPHA) / (1 - ALPHA)
const LOG_GAMMA = Math.log(GAMMA)
/** Smaller values count as zero (milliseconds, tokens per second: nothing real is that small). */
const LEAST = 1e-6

/** `bins[i]` counts values in bucket `base + i`; bucket k holds (γ^(k−1), γ^k]. `zeros` is part of `count`. */
export interface Sketch {
  count: number
  zeros: number
  sum: number
  min: number
  max: number
  base: number
  bins: Float64Array
}

/** Buckets of room beyond what is asked for. */
const SPARE = 24
const NO_BINS = new Float64Array(0)

export function createSketch(): Sketch {
  return { count: 0, zeros: 0, sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY, base: 0, bins: NO_BINS }
}

/** Empties a sketch but keeps its room, for use over and over. */
export function clear(sketch: Sketch): void {
  sketch.count = 0
  sketch.zeros = 0
  sketch.sum = 0
  sketch.min = Number.POSITIVE_INFINITY
  sketch.max = Number.NEGATIVE_INFINITY
  sketch.bins.fill(0)
}

/** Takes one value in. A negative one counts as 0; one that is no finite number is not taken. */
export function add(sketch: Sketch, value: number): void {
  if (!Number.isFinite(value)) return
  const clean = value < 0 ? 0 : value
  sketch.count++
  sketch.sum += clean
  if (clean < sketch.min) sketch.min = clean
  if (clean > sketch.max) sketch.max = clean
  if (clean < LEAST) {
    sketch.zeros++
    return
  }
  const bucket = Math.ceil(Math.log(clean) / LOG_GAMMA)
  reach(sketch, bucket, bucket)
  const place = bucket - sketch.base
  sketch.bins[place] = (sketch.bins[place] ?? 0) + 1
}

/** Adds all of `other` to `into`; `other` stays as it is. */
export function merge(into: Sketch, other: Sketch): void {
  if (other.count === 0) return
  totals(into, other.count, other.zeros, other.sum, other.min, other.max)
  const { bins, base } = other
  let first = 0
  let last = bins.length - 1
  while (first <= last && bins[first] === 0) first++
  while (last >= first && bins[last] === 0) last--
  if (first > last) return
  reach(into, base + first, base + last)
  const shift = base - into.base
  for (let place = first; place <= last; place++) into.bins[place + shift] = (into.bins[place + shift] ?? 0) + (bins[place] ?? 0)
}

/** The value of nearest rank ⌈q·count⌉ (q in 0…1), within 1 %; null when there are no values. */
export function quantile(sketch: Sketch, q: number): number | null {
  if (sketch.count === 0) return null
  const rank = Math.min(sketch.count, Math.max(1, Math.ceil(q * sketch.count)))
  let seen = sketch.zeros
  if (rank <= seen) return 0
  for (let place = 0; place < sketch.bins.length; place++) {
    seen += sketch.bins[place] ?? 0
    if (seen >= rank) return Math.min(sketch.max, Math.max(sketch.min, midpoint(sketch.base + place)))
  }
  return sketch.max
}

/** The value with the same relative distance to both ends of its bucket. */
function midpoint(bucket: number): number {
  return (2 * GAMMA ** bucket) / (GAMMA + 1)
}

function totals(into: Sketch, count: number, zeros: number, sum: number, min: number, max: number): void {
  into.count += count
  into.zeros += zeros
  into.sum += sum
  if (min < into.min) into.min = min
  if (max > into.max) into.max = max
}

/** Makes room for the buckets from `first` to `last`. */
function reach(sketch: Sketch, first: number, last: number): void {
  const { base, bins } = sketch
  if (bins.length > 0 && first >= base && last < base + bins.length) return
  const empty = bins.length === 0
  const low = empty ? first : Math.min(first, base)
  const high = empty ? last : Math.max(last, base + bins.length - 1)
  // Room to grow on the side that had to give way, so that a stream of values does not copy each time.
  const spare = Math.max(SPARE, bins.length >> 2)
  const from = empty || first < base ? low - spare : low
  const to = empty || last >= base + bins.length ? high + spare : high
  const wider = new Float64Array(to - from + 1)
  wider.set(bins, empty ? 0 : base - from)
  sketch.base = from
  sketch.bins = wider
}

/* ---- as bytes ---- */

/*
 * count, and when that is not 0: zeros, number of filled buckets, first and last bucket (zigzag), then per filled bucket
 * its distance to the one before and its count (all variable-length integers, 7 bits a byte, low first); then sum, min
 * and max as 64-bit floats, little-endian.
 */
const scratch = new DataView(new ArrayBuffer(8))

/** The sketch as bytes; {@link addEncoded} restores it exactly. */
export function encode(sketch: Sketch): Uint8Array {
  const bytes: number[] = []
  writeVar(bytes, sketch.count)
  if (sketch.count === 0) return Uint8Array.from(bytes)
  const filled: number[] = []
  for (let place = 0; place < sketch.bins.length; place++) if (sketch.bins[place] !== 0) filled.push(place)
  writeVar(bytes, sketch.zeros)
  writeVar(bytes, filled.length)
  if (filled.length > 0) {
    writeVar(bytes, zigzag(sketch.base + (filled[0] ?? 0)))
    writeVar(bytes, zigzag(sketch.base + (filled.at(-1) ?? 0)))
  }
  let before = filled[0] ?? 0
  for (const place of filled) {
    writeVar(bytes, place - before)
    writeVar(bytes, sketch.bins[place] ?? 0)
    before = place
  }
  for (const value of [sketch.sum, sketch.min, sketch.max]) {
    scratch.setFloat64(0, value, true)
    for (let place = 0; place < 8; place++) bytes.push(scratch.getUint8(place))
  }
  return Uint8Array.from(bytes)
}

/** Bytes of sketches, ready to be read. */
export interface Encoded { readonly bytes: Uint8Array; readonly view: DataView }

export function encoded(bytes: Uint8Array): Encoded {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
}

/** Adds the sketch that begins at `at`; returns where it ends. The bytes must come from {@link encode}. */
export function addEncoded(into: Sketch, { bytes, view }: Encoded, at: number): number {
  cursor = at
  const count = readVar(bytes)
  if (count === 0) return cursor
  const zeros = readVar(bytes)
  const filled = readVar(bytes)
  if (filled > 0) {
    const first = unzigzag(readVar(bytes))
    reach(into, first, unzigzag(readVar(bytes)))
    addBins(into.bins, bytes, filled, first - into.base)
  }
  totals(into, count, zeros, view.getFloat64(cursor, true), view.getFloat64(cursor + 8, true), view.getFloat64(cursor + 16, true))
  return cursor + 24
}

/** Where the reading of bytes stands; one reader at a time, because nothing here waits. */
let cursor = 0

function addBins(bins: Float64Array, bytes: Uint8Array, filled: number, start: number): void {
  let place = start
  let at = cursor
  for (let left = filled; left > 0; left--) {
    // Nearly every number fits one byte: those are taken here, the others by the general reader.
    const gap = bytes[at] as number
    if (gap < 128) at++
    else { cursor = at; place += readVar(bytes) - gap; at = cursor }
    place += gap
    const count = bytes[at] as number
    if (count < 128) {
      at++
      bins[place] = (bins[place] as number) + count
    } else {
      cursor = at
      bins[place] = (bins[place] as number) + readVar(bytes)
      at = cursor
    }
  }
  cursor = at
}

function writeVar(bytes: number[], value: number): void {
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}

function readVar(bytes: Uint8Array): number {
  let value = 0
  let unit = 1
  for (;;) {
    const byte = bytes[cursor++]
    if (byte === undefined) throw new RangeError('a quantile sketch ends in the middle of a number')
    value += (byte & 127) * unit
    if (byte < 128) return value
    unit *= 128
  }
}

function zigzag(value: number): number { return value < 0 ? -2 * value - 1 : 2 * value }

function unzigzag(value: number): number { return value % 2 === 1 ? -(value + 1) / 2 : value / 2 }
