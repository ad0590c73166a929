/** Whether a candidate would be taken now; if not, why and how long. */
import type { VNode } from 'preact'
import type { CandidateVerdict } from '../../src/contract/status.ts'
import { clockTime } from '../format.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Chip } from '../ui/Chip.tsx'
import { Countdown } from '../ui/Countdown.tsx'
import { obstacleWord } from '../words.ts'

export function VerdictChip({ verdict }: { readonly verdict: CandidateVerdict | null }): VNode {
  const { app } = useShared()
  if (verdict === null) return <span class="mf-verdict" />
  const text = obstacleWord(verdict)
  const until = verdict.until === null || verdict.until >= Number.MAX_SAFE_INTEGER ? null : verdict.until
  const tip = until === null ? text : t('verdict.tip', { why: text, at: clockTime(until, app.now.value) })
  return (
    <span class="mf-verdict">
      <Chip tone={verdict.routable ? verdict.why === null ? 'good' : 'warn' : 'bad'} tip={tip}>{text}</Chip>
      {until !== null && <span class="mf-verdict-left"><Countdown until={until} /></span>}
    </span>
  )
}
