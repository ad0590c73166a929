/**
 * A day's figures as bytes, for the disk and for memory: one block for the whole day, then one per hour that has samples.
 * Only the first block is kept in memory; a few bytes a sample, and nothing has to be decoded at start-up.
 *
 * The text begins with one line of JSON (a {@link SealHeader}), padded with blanks to a multiple of 8 bytes. A block is
 * two 32-bit numbers (models, bytes of sketches), then 16 64-bit floats per model, 48 for the hours, then per model its
 * route, code and message (32-bit indices into the header's lists; code and message + 1, 0 = none), the ends of its three
 * sketches (32-bit), and the sketches. Numbers are little-endian; a block is padded to a multiple of 8 bytes.
 */
import { addFigures, FIGURES, MEASURES, type LastError, type Part, type Tally } from './tally.ts'
import { addEncoded, encoded, type Encoded, type Sketch } from './sketch.ts'

export const SEAL_VERSION = 1

export interface SealHeader {
  readonly version: number
  readonly day: string
  /** Bytes of the day's lines that these figures cover. */
  readonly covers: number
  readonly samples: number
  readonly routes: readonly string[]
  readonly texts: readonly string[]
  /** Hour (null = the whole day) and length in bytes of each block, in order. */
  readonly blocks: readonly { readonly hour: number | null; readonly bytes: number }[]
  /** Checksum of the first block. */
  readonly check: number
}

/** Why bytes are no sealed day of ours: from a newer version of the plugin, or damaged. */
export type SealFault = { readonly kind: 'newer'; readonly version: number } | { readonly kind: 'broken'; readonly why: string }

const KEEP = 48
const ENDS = MEASURES.length

/** Seals a day: `whole` are its figures, `hours` those of each hour that has samples. */
export function seal(day: string, covers: number, whole: Tally, hours: ReadonlyMap<number, Tally>): Uint8Array {
  const routes = new Names()
  const texts = new Names()
  const first = block(whole, routes, texts)
  const others = [...hours].map(([hour, tally]) => ({ hour, bytes: block(tally, routes, texts) }))
  const header: SealHeader = {
    version: SEAL_VERSION, day, covers, samples: whole.taken, routes: routes.list, texts: texts.list,
    blocks: [{ hour: null, bytes: first.length }, ...others.map(({ hour, bytes }) => ({ hour, bytes: bytes.length }))],
    check: checksum(first),
  }
  const line = new TextEncoder().encode(JSON.stringify(header))
  const head = new Uint8Array(aligned(line.length + 1)).fill(32)
  head.set(line)
  head[head.length - 1] = 10
  return join([head, first, ...others.map(({ bytes }) => bytes)])
}

/** Length of the header with its padding, or null while `bytes` does not hold all of it. */
export function headerLength(bytes: Uint8Array): number | null {
  const end = bytes.indexOf(10)
  return end < 0 ? null : end + 1
}

/** Reads the header line. */
export function readHeader(line: Uint8Array): SealHeader | SealFault {
  let header: unknown
  try { header = JSON.parse(new TextDecoder().decode(line)) } catch { return { kind: 'broken', why: 'its first line is no JSON' } }
  if (typeof header !== 'object' || header === null) return { kind: 'broken', why: 'its first line is no header' }
  const { version, covers, samples, routes, texts, blocks, check, day } = header as Partial<SealHeader>
  if (typeof version === 'number' && version > SEAL_VERSION) return { kind: 'newer', version }
  const whole = version === SEAL_VERSION && typeof day === 'string' && typeof covers === 'number' && typeof samples === 'number' && typeof check === 'number'
    && isTexts(routes) && isTexts(texts) && Array.isArray(blocks) && typeof blocks[0]?.bytes === 'number'
  return whole ? header as SealHeader : { kind: 'broken', why: 'its header lacks a field' }
}

/** A sealed block read back; `bytes` must start at a multiple of 8 of their buffer and is kept, not copied. */
export class SealedPart implements Part {
  readonly routes: readonly string[]
  readonly hours: Float64Array
  readonly samples: number
  readonly #figures: Float64Array
  readonly #codes: Uint32Array
  readonly #messages: Uint32Array
  readonly #ends: Uint32Array
  readonly #sketches: Encoded
  readonly #texts: readonly string[]

  constructor(header: SealHeader, bytes: Uint8Array, layout: Layout) {
    const { models } = layout
    const at = bytes.byteOffset
    const ints = new Uint32Array(bytes.buffer, at + layout.ints, models * (3 + ENDS))
    this.routes = Array.from(ints.subarray(0, models), (index) => header.routes[index] ?? '')
    this.samples = header.samples
    this.#figures = new Float64Array(bytes.buffer, at + 8, models * FIGURES)
    this.hours = new Float64Array(bytes.buffer, at + 8 + models * FIGURES * 8, KEEP)
    this.#codes = ints.subarray(models, 2 * models)
    this.#messages = ints.subarray(2 * models, 3 * models)
    this.#ends = ints.subarray(3 * models)
    this.#sketches = encoded(bytes.subarray(layout.sketches, layout.end))
    this.#texts = header.texts
  }

  figures(model: number): Float64Array { return this.#figures.subarray(model * FIGURES, (model + 1) * FIGURES) }

  addFigures(model: number, into: Float64Array): boolean { return addFigures(into, this.#figures, model * FIGURES) }

  lastError(model: number): LastError | null {
    const code = this.#codes[model] ?? 0
    const message = this.#messages[model] ?? 0
    const failed = (this.#figures[model * FIGURES + FIGURES - 1] ?? 0) > 0
    return failed ? { code: this.#texts[code - 1] ?? null, message: this.#texts[message - 1] ?? null } : null
  }

  addSketch(model: number, measure: number, into: Sketch): void {
    const index = model * ENDS + measure
    addEncoded(into, this.#sketches, index === 0 ? 0 : this.#ends[index - 1] ?? 0)
  }
}

interface Layout { readonly models: number; readonly ints: number; readonly sketches: number; readonly end: number }

/** The whole day of a sealed file, given its header and its first block; a block that is not what it says is a fault. */
export function openSealed(header: SealHeader, bytes: Uint8Array): SealedPart | SealFault {
  const size = header.blocks[0]?.bytes ?? 0
  if (bytes.length < size || size < 8) return { kind: 'broken', why: 'it is shorter than its header says' }
  const aligned8 = bytes.byteOffset % 8 === 0 ? bytes.subarray(0, size) : bytes.slice(0, size)
  if (checksum(aligned8) !== header.check) return { kind: 'broken', why: 'its checksum is wrong' }
  const layout = layoutOf(aligned8)
  return layout.end <= size ? new SealedPart(header, aligned8, layout) : { kind: 'broken', why: 'its block is shorter than it says' }
}

function layoutOf(bytes: Uint8Array): Layout {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const models = view.getUint32(0, true)
  const ints = 8 + (models * FIGURES + KEEP) * 8
  const sketches = ints + models * (3 + ENDS) * 4
  return { models, ints, sketches, end: sketches + view.getUint32(4, true) }
}

function block(tally: Tally, routes: Names, texts: Names): Uint8Array {
  const models = tally.routes.length
  const sketches = tally.routes.flatMap((_, model) => MEASURES.map((__, measure) => tally.encoded(model, measure)))
  const size = sketches.reduce((sum, one) => sum + one.length, 0)
  const ints = 8 + (models * FIGURES + KEEP) * 8
  const start = ints + models * (3 + ENDS) * 4
  const bytes = new Uint8Array(aligned(start + size))
  const view = new DataView(bytes.buffer)
  view.setUint32(0, models, true)
  view.setUint32(4, size, true)
  const floats = [...tally.routes.flatMap((_, model) => [...tally.figures(model)]), ...tally.hours]
  floats.forEach((value, place) => view.setFloat64(8 + place * 8, value, true))
  const errors = tally.routes.map((_, model) => tally.lastError(model))
  const indices = [...tally.routes.map((route) => routes.index(route)), ...errors.map((error) => texts.optional(error?.code)), ...errors.map((error) => texts.optional(error?.message))]
  let end = 0
  for (const one of sketches) {
    bytes.set(one, start + end)
    end += one.length
    indices.push(end)
  }
  indices.forEach((value, place) => view.setUint32(ints + place * 4, value, true))
  return bytes
}

/** Texts by number, each once. */
class Names {
  readonly list: string[] = []
  readonly #places = new Map<string, number>()

  index(text: string): number {
    const known = this.#places.get(text)
    if (known !== undefined) return known
    const place = this.list.push(text) - 1
    this.#places.set(text, place)
    return place
  }

  /** Number + 1; 0 for none. */
  optional(text: string | null | undefined): number { return text == null ? 0 : this.index(text) + 1 }
}

const aligned = (length: number): number => Math.ceil(length / 8) * 8
const isTexts = (list: unknown): boolean => Array.isArray(list) && list.every((one) => typeof one === 'string')

/** FNV-1a over 32-bit words: finds torn and overwritten files, and costs next to nothing at start-up. */
function checksum(bytes: Uint8Array): number {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
  let hash = 0x811c9dc5
  for (const word of words) hash = Math.imul(hash ^ word, 0x01000193)
  return hash >>> 0
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
