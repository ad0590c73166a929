/** Candidates with their place in the order and their verdict. */
import type { VNode } from 'preact'
import type { Route } from '../../src/contract/route.ts'
import type { CandidateVerdict } from '../../src/contract/status.ts'
import { VerdictChip } from '../groups/VerdictChip.tsx'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { keyOf, routeText, sameRoute } from '../words.ts'

export function Candidates({ verdicts, current }: { readonly verdicts: readonly CandidateVerdict[]; readonly current?: Route | null }): VNode {
  const { app } = useShared()
  return (
    <ul>
      {verdicts.map((verdict) => (
        <li key={keyOf(verdict.route)} class="mf-row">
          <small>{verdict.priority}</small>
          <span class="mf-grow">{routeText(app.models.data.value, verdict.route)} {sameRoute(verdict.route, current) && <em>{t('why.here')}</em>}</span>
          <VerdictChip verdict={verdict} />
        </li>
      ))}
    </ul>
  )
}
