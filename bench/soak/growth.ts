/** Whether a process keeps growing after it has warmed up, from readings over time. */

export interface Sample { readonly minute: number; readonly rssMb: number | null; readonly heapMb: number | null; readonly handles: number | null; readonly sockets: number | null; readonly turns: number }

export interface Growth {
  /** Per minute and per completed turn, from a straight line through what came after the warm-up; null = too few readings. */
  readonly figures: { readonly heapMbPerMinute: number | null; readonly heapKbPerTurn: number | null; readonly handlesPerMinute: number | null }
  readonly problems: readonly string[]
}

const WARM_UP = 0.3
/** The bare host keeps some 20 KB of every turn in memory by itself, and more of a turn with retries and several requests. */
const MOST_KB_PER_TURN = 60
const MOST_HANDLES_PER_MINUTE = 1
const LEAST_READINGS = 4

/** Slope of the least-squares line. */
function slope(points: readonly (readonly [x: number, y: number])[]): number | null {
  if (points.length < LEAST_READINGS) return null
  const mean = (index: 0 | 1): number => points.reduce((sum, point) => sum + point[index], 0) / points.length
  const [x0, y0] = [mean(0), mean(1)]
  const spread = points.reduce((sum, [x]) => sum + (x - x0) ** 2, 0)
  return spread === 0 ? null : points.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0) / spread
}

const round = (value: number | null, factor = 1): number | null => (value === null ? null : Math.round(value * factor * 100) / 100)

export function growth(samples: readonly Sample[]): Growth {
  const last = samples.at(-1)?.minute ?? 0
  const warm = samples.filter(({ minute }) => minute >= last * WARM_UP)
  const line = (x: (sample: Sample) => number, y: (sample: Sample) => number | null): number | null =>
    slope(warm.flatMap((sample) => { const value = y(sample); return value === null ? [] : [[x(sample), value] as const] }))
  const handles = line(({ minute }) => minute, (sample) => sample.handles)
  const figures = {
    heapMbPerMinute: round(line(({ minute }) => minute, ({ heapMb }) => heapMb)),
    heapKbPerTurn: round(line(({ turns }) => turns, ({ heapMb }) => heapMb), 1024),
    handlesPerMinute: round(handles),
  }
  const problems = [
    ...(figures.heapKbPerTurn !== null && figures.heapKbPerTurn > MOST_KB_PER_TURN ? [`the heap grows by ${figures.heapKbPerTurn} KB a turn`] : []),
    ...(figures.handlesPerMinute !== null && figures.handlesPerMinute > MOST_HANDLES_PER_MINUTE ? [`${figures.handlesPerMinute} handles more every minute`] : []),
  ]
  return { figures, problems }
}
