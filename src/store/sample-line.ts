/** One sample as one line of JSON, and back. Reading checks every field, fast, because a day can have a million lines. */
import { failureClassSchema } from '../contract/failure.ts'
import { purposeSchema, type Sample } from '../contract/metrics.ts'

/** First line of a day file. */
export const LINES_VERSION = 1
export const HEADER_LINE = `${JSON.stringify({ version: LINES_VERSION })}\n`

const OUTCOMES: ReadonlySet<unknown> = new Set<unknown>(['ok', ...failureClassSchema.options])
const PURPOSES: ReadonlySet<unknown> = new Set<unknown>(purposeSchema.options)

export function writeLine(sample: Sample): string {
  return `${JSON.stringify(sample)}\n`
}

/** What a line says: a sample, the header of the file with its version, or nothing we understand. */
export type Line = { readonly kind: 'sample'; readonly sample: Sample } | { readonly kind: 'header'; readonly version: number } | { readonly kind: 'broken' }

const BROKEN: Line = { kind: 'broken' }

export function readLine(text: string): Line {
  let raw: unknown
  try { raw = JSON.parse(text) } catch { return BROKEN /* torn or damaged: the caller counts it */ }
  if (typeof raw !== 'object' || raw === null) return BROKEN
  const line = raw as Record<string, unknown>
  if (isSample(line)) return { kind: 'sample', sample: line }
  return typeof line['version'] === 'number' ? { kind: 'header', version: line['version'] } : BROKEN
}

/** Fields that are missing or of another type make a line broken; more fields than we know do not. */
function isSample(line: Record<string, unknown>): line is Sample & Record<string, unknown> {
  return isAmount(line['at']) && isText(line['provider']) && isText(line['model']) && typeof line['endpoint'] === 'string'
    && OUTCOMES.has(line['outcome']) && PURPOSES.has(line['purpose'])
    && isTextOrNull(line['code']) && isTextOrNull(line['message'])
    && isAmount(line['wait']) && isAmountOrNull(line['ttft']) && isAmountOrNull(line['speed'])
    && isAmountOrNull(line['in']) && isAmountOrNull(line['out']) && isAmountOrNull(line['cacheRead']) && isAmountOrNull(line['cacheWrite'])
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string'
const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY
const isAmountOrNull = (value: unknown): boolean => value === null || isAmount(value)
