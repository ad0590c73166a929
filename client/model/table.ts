/** The dashboard's lines: one per model and group, and the order they stand in. Pure. */
import type { MetricRow } from '../../src/contract/metrics.ts'
import type { ModelsReply } from '../../src/contract/models.ts'
import type { Route } from '../../src/contract/route.ts'
import type { MetricsSort } from '../../src/contract/settings.ts'
import { keyOf, routeName } from '../words.ts'

export type Column = MetricsSort['column']
export const COLUMNS: readonly Column[] = ['model', 'state', 'ttft', 'speed', 'success', 'tokens', 'concurrency', 'lastUsed']

/** A row of the metrics under one of its groups; `group` null = the model is in none. */
export interface Line {
  readonly key: string
  readonly row: MetricRow
  readonly group: MetricRow['groups'][number] | null
}

/** Lines in the default order: groups as they come, then priority; models without a group at the end. */
export function toLines(rows: readonly MetricRow[]): Line[] {
  const order = new Map<string, number>()
  const lines: Line[] = []
  for (const row of rows) {
    for (const group of row.groups) {
      if (!order.has(group.id)) order.set(group.id, order.size)
      lines.push({ key: `${group.id}\n${keyOf(row)}`, row, group })
    }
    if (row.groups.length === 0) lines.push({ key: `\n${keyOf(row)}`, row, group: null })
  }
  const rank = (line: Line): number => (line.group === null ? Number.MAX_SAFE_INTEGER : order.get(line.group.id) ?? 0)
  return lines.sort((a, b) => rank(a) - rank(b) || (a.group?.priority ?? 0) - (b.group?.priority ?? 0))
}

/** The sum of the four token counts of the range; null when none was ever reported. */
export function tokenSum(row: Pick<MetricRow, 'inTokens' | 'outTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>): number | null {
  const parts = [row.inTokens, row.outTokens, row.cacheReadTokens, row.cacheWriteTokens].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0)
}

/** Successes among the samples that count; null without one. */
export function successShare(row: Pick<MetricRow, 'rated' | 'successes'>): number | null {
  return row.rated === 0 ? null : row.successes / row.rated
}

/** Below five samples nothing is judged; from there on less than 90 % is a warning. */
export function warns(row: Pick<MetricRow, 'rated' | 'successes'>): boolean {
  const share = successShare(row)
  return row.rated >= 5 && share !== null && share < 0.9
}

const STATES: readonly MetricRow['state'][] = ['failed', 'disabled', 'held', 'resting', 'quarantined', 'normal']

/** What a column sorts by; null = no data, which stands last in either direction. */
export function sortValue(line: Line, column: Column, models: ModelsReply | null): number | string | null {
  const { row } = line
  switch (column) {
    case 'model': {
      const name = routeName(models, row)
      return `${name.model}\n${name.provider}`.toLowerCase()
    }
    case 'state': return STATES.indexOf(row.state)
    case 'ttft': return row.ttft.p50
    case 'speed': return row.speed.p50
    case 'success': return successShare(row)
    case 'tokens': return tokenSum(row)
    case 'concurrency': return row.running || row.effectiveLimit || null
    case 'lastUsed': return row.lastUsedAt
  }
}

/** Lines in the chosen order; equal ones keep the default order. */
export function sorted(lines: readonly Line[], sort: MetricsSort | null, models: ModelsReply | null): readonly Line[] {
  if (sort === null) return lines
  const sign = sort.direction === 'asc' ? 1 : -1
  const keyed = lines.map((line, index) => ({ line, index, value: sortValue(line, sort.column, models) }))
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null) || a.index - b.index
    const order = typeof a.value === 'string' ? a.value.localeCompare(String(b.value)) : a.value - Number(b.value)
    return sign * order || a.index - b.index
  })
  return keyed.map(({ line }) => line)
}

/** Routes that "number by the current order" touches: those of the group that have samples, as they stand. */
export function rankable(lines: readonly Line[], groupId: string): readonly Route[] {
  return lines
    .filter(({ row, group }) => group?.id === groupId && row.samples > 0)
    .map(({ row }) => ({ provider: row.provider, model: row.model }))
}
