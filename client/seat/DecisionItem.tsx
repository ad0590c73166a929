/** One decision of the timeline: from where to where, why, what it cost, and every candidate on demand. */
import type { VNode } from 'preact'
import type { DecisionRecord } from '../../src/contract/status.ts'
import { clockTime } from '../format.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Countdown } from '../ui/Countdown.tsx'
import { classWord, keyOf, obstacleWord, reasonWord, routeText, sameRoute } from '../words.ts'

export function DecisionItem({ decision }: { readonly decision: DecisionRecord }): VNode {
  const { app } = useShared()
  const models = app.models.data.value
  const { from, to, candidates } = decision
  const stays = from !== null && to !== null && sameRoute(from, to)
  const reason = decision.class === null ? reasonWord(decision.why) : classWord(decision.class)
  return (
    <li class={`mf-decision mf-decision-${to === null ? 'none' : stays ? 'stay' : 'move'}`}>
      <div class="mf-decision-head">
        <span class="mf-muted">{clockTime(decision.at, app.now.value)}</span>
        <span>{t(`decision.${decision.kind}`)}</span>
      </div>
      <p>
        {from && routeText(models, from)} <span aria-label={t('decision.to')}>→</span> {to ? routeText(models, to) : t('decision.nowhere')}
      </p>
      <p class="mf-muted">
        {reason}{decision.code !== null && <> · <code class="mf-code">{decision.code}</code></>}
        {decision.calls > 0 && ` · ${t('decision.cost', { n: decision.calls, ms: Math.round(decision.tookMs) })}`}
        {decision.until !== null && <> · <Countdown until={decision.until} /></>}
      </p>
      {decision.message !== null && <p class="mf-reason">{decision.message}</p>}
      {candidates.length > 0 && (
        <details class="mf-details">
          <summary>{t('decision.candidates', { n: candidates.length })}</summary>
          <ul class="mf-rows">
            {candidates.map((verdict) => <li key={keyOf(verdict.route)} class="mf-candidate"><span class="mf-grow">{routeText(models, verdict.route)}</span><span class="mf-muted">{obstacleWord(verdict)}</span></li>)}
          </ul>
        </details>
      )}
    </li>
  )
}
