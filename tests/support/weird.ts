/** Weird input by chance: values of every kind, legal values with something wrong inside, and bytes. `MODEL_FAILOVER_FUZZ` says how much of it. */
import fc from 'fast-check'

/** Inputs for each surface; the short default keeps the suite quick. */
export const RUNS = Math.max(1, Number(process.env['MODEL_FAILOVER_FUZZ'] ?? 60))

/** Milliseconds a surface may take for its runs, each of which costs up to `each`. */
export const timeFor = (each: number, surfaces = 1): number => 30_000 + RUNS * each * surfaces

/** Names that mean something to JavaScript, files, addresses, shells or people. */
const NASTY = [
  '', ' ', '\0', '\n', '\u2028', '\ufeff', '\ud800', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '../../etc/passwd', 'C:\\x', 'a/b', '%2e%2e%2f', '%00',
  '<script>', '${x}', '"', '\\', 'null', 'NaN', '-0', '1e999', '9007199254740993', '0x10', '𝒳', '模型', 'é', 'e\u0301', '‮', 'a'.repeat(200), 'a'.repeat(201), 'x'.repeat(5000), '2025-02-30', '2024-02-29', '0000-00-00', '9999-12-31',
]
const NUMBERS = [0, -0, -1, 1, 0.5, 23, 24, 999, 1000, 1001, 2 ** 31, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 1e308, 5e-324, 1_741_000_000_000]

export const nastyText = fc.oneof(fc.constantFrom(...NASTY), fc.string(), fc.string({ unit: 'binary', maxLength: 40 }))

/** Any value JSON can hold. */
export const json = fc.oneof(
  { weight: 3, arbitrary: nastyText },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { a: { b: {} } }) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)

type Path = readonly (string | number)[]

function paths(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([key, inner]) => paths(inner, [...at, Array.isArray(value) ? Number(key) : key]))]
}

/** A copy of `root` in which the value at `path` is changed; undefined as the change takes it out. */
function changed(root: unknown, [first, ...rest]: Path, change: (old: unknown) => unknown): unknown {
  if (first === undefined) return change(root)
  const copy: Record<string | number, unknown> = Array.isArray(root) ? [...root as unknown[]] as never : { ...root as object }
  const next = changed(copy[first], rest, change)
  if (next !== undefined) Object.defineProperty(copy, first, { value: next, enumerable: true, configurable: true, writable: true })
  else if (Array.isArray(copy)) copy.splice(Number(first), 1)
  else Reflect.deleteProperty(copy, first)
  return copy
}

interface Wound { readonly where: number; readonly how: number; readonly with: unknown; readonly name: string }

/** One small wrong at one place: another value, a missing one, one too many, twice the same, a text instead of a number. */
function wounded(value: unknown, { where, how, with: other, name }: Wound): unknown {
  const all = paths(value)
  const path = all[where % all.length] ?? []
  return changed(value, path, (old) => {
    switch (how % 6) {
      case 0: return other
      case 1: return path.length === 0 ? other : undefined
      case 2: return typeof old === 'object' && old !== null && !Array.isArray(old) ? Object.fromEntries([...Object.entries(old), [name, other]]) : other
      case 3: return Array.isArray(old) ? [...old as unknown[], ...old as unknown[]] : [old, old]
      case 4: return typeof old === 'number' ? String(old) : typeof old === 'string' ? [old] : JSON.stringify(old)
      default: return typeof old === 'string' ? old + name : typeof old === 'number' ? -old * 1.5 : null
    }
  })
}

const wound: fc.Arbitrary<Wound> = fc.record({ where: fc.nat(10_000), how: fc.nat(5), with: json, name: nastyText })

/** Values near legal ones: up to three things wrong in one of `examples`, or none. */
export const near = (examples: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.tuple(fc.constantFrom(...examples), fc.array(wound, { maxLength: 3 })).map(([example, wounds]) => wounds.reduce(wounded, example))

/** Bytes near the text of a legal file: cut, with bytes changed, repeated, or nothing of the kind. */
export const bytesNear = (examples: readonly unknown[]): fc.Arbitrary<Uint8Array> => fc.oneof(
  { weight: 4, arbitrary: near(examples).map((value) => Buffer.from(JSON.stringify(value) ?? '')) },
  { weight: 2, arbitrary: fc.tuple(near(examples), fc.nat(5000)).map(([value, end]) => { const text = JSON.stringify(value) ?? ''; return Buffer.from(text.slice(0, end % (text.length + 1))) }) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...examples), fc.array(fc.tuple(fc.nat(5000), fc.nat(255)), { maxLength: 4 })).map(([value, hits]) => {
    const bytes = Buffer.from(JSON.stringify(value))
    for (const [at, byte] of hits) bytes[at % bytes.length] = byte
    return bytes
  }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 1, arbitrary: json.map((value) => Buffer.from(`\ufeff${JSON.stringify(value)}`)) },
)
