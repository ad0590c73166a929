/** Tokens of the range, each kind on a line of its own; the lifetime total and the coverage on hover. */
import type { VNode } from 'preact'
import type { MetricRow } from '../../src/contract/metrics.ts'
import { NONE, count } from '../format.ts'
import { tokenSum } from '../model/table.ts'
import { t } from '../text.ts'

export function TokenCell({ row }: { readonly row: MetricRow }): VNode {
  const sum = tokenSum(row)
  const lifetime = tokenSum({ inTokens: row.lifetimeInTokens, outTokens: row.lifetimeOutTokens, cacheReadTokens: row.lifetimeCacheReadTokens, cacheWriteTokens: row.lifetimeCacheWriteTokens })
  const tip = t('tokens.tip', { all: lifetime === null ? NONE : lifetime.toLocaleString('en'), with: row.lifetimeTokenSamples, of: row.lifetimeSamples })
  if (sum === null) return <td class="mf-num" data-mf-tip={tip}>{NONE}</td>
  const lines = [['tokens.in', row.inTokens], ['tokens.read', row.cacheReadTokens], ['tokens.write', row.cacheWriteTokens], ['tokens.out', row.outTokens]] as const
  return (
    <td class="mf-num" data-mf-tip={tip}>
      <span class="mf-big">{count(sum)}</span>
      {lines.map(([key, value]) => <span key={key} class="mf-sub">{t(key)} {count(value)}</span>)}
    </td>
  )
}
