/** Tokens of the range, each kind on a line of its own; the lifetime total and the coverage on hover. */
import type { VNode } from 'preact'
import type { MetricRow } from '../../src/contract/metrics.ts'
import { count } from '../format.ts'
import { tokenSum } from '../model/table.ts'
import { t } from '../text.ts'

export function TokenCell({ row }: { readonly row: MetricRow }): VNode {
  const sum = tokenSum(row)
  const lifetime = tokenSum({ inTokens: row.lifetimeInTokens, outTokens: row.lifetimeOutTokens, cacheReadTokens: row.lifetimeCacheReadTokens, cacheWriteTokens: row.lifetimeCacheWriteTokens })
  return (
    <td data-mf-tip={t('tokens.tip', { all: count(lifetime), some: row.lifetimeTokenSamples, of: row.lifetimeSamples })}>
      {count(sum)}
      {sum !== null && <small>{t('tokens.in')} {count(row.inTokens)}<br />{t('tokens.read')} {count(row.cacheReadTokens)}<br />{t('tokens.write')} {count(row.cacheWriteTokens)}<br />{t('tokens.out')} {count(row.outTokens)}</small>}
    </td>
  )
}
