/** Whether a candidate would be taken now; if not, why and how long. */
import type { VNode } from 'preact'
import type { CandidateVerdict } from '../../src/contract/status.ts'
import { clockTime } from '../format.ts'
import { useShared } from '../model/context.ts'
import { Chip } from '../ui/Chip.tsx'
import { Countdown } from '../ui/Countdown.tsx'
import { obstacleWord } from '../words.ts'

export function VerdictChip({ verdict, tabIndex }: { readonly verdict: CandidateVerdict | null; readonly tabIndex?: number }): VNode {
  const { app } = useShared()
  if (!verdict) return <span class="mf-verdict" />
  const { routable, why, until } = verdict
  const text = obstacleWord(verdict)
  return (
    <span class="mf-verdict">
      <Chip tabIndex={tabIndex} tone={routable ? (why ? 'resting' : 'normal') : verdict.class || why === 'failed' ? 'failed' : 'none'} tip={until === null ? text : `${text} → ${clockTime(until, app.now.value)}`}>{text}</Chip>
      {until !== null && <small><Countdown until={until} /></small>}
    </span>
  )
}
