/** One decision of the timeline: from where to where, why, what it cost, and every candidate on demand. */
import type { VNode } from 'preact'
import type { DecisionRecord } from '../../src/contract/status.ts'
import { clockTime } from '../format.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { Candidates } from '../ui/Candidates.tsx'
import { Countdown } from '../ui/Countdown.tsx'
import { classWord, reasonWord, routeText, sameRoute, sentence } from '../words.ts'

export function DecisionItem({ decision }: { readonly decision: DecisionRecord }): VNode {
  const { app } = useShared()
  const models = app.models.data.value
  const { at, kind, from, to, why, code, message, until, candidates, calls, tookMs } = decision
  return (
    <li class="mf-decision">
      <i class={`mf-light mf-is-${!to ? 'failed' : sameRoute(from, to) ? 'none' : 'moved'}`} />
      <p><small>{clockTime(at, app.now.value)} {reasonWord(kind)}</small></p>
      <p>{from && routeText(models, from)} → {to ? routeText(models, to) : t('why.nowhere')}</p>
      <p class="mf-muted">
        {decision.class ? classWord(decision.class) : reasonWord(why)} <code>{code}</code>{calls > 0 && ` · ${t('why.cost', { n: calls, ms: Math.round(tookMs) })}`}{until && <> · <Countdown until={until} /></>}
      </p>
      {message && <p class="mf-reason">{sentence(message)}</p>}
      {candidates.length > 0 && <details><summary>{t('why.candidates')} ({candidates.length})</summary><Candidates verdicts={candidates} /></details>}
    </li>
  )
}
