/** The judgement of one pasted error. */
import type { VNode } from 'preact'
import type { ExplainReply } from '../../src/contract/status.ts'
import { clockTime } from '../format.ts'
import { VerdictChip } from '../groups/VerdictChip.tsx'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { classWord, keyOf, routeText } from '../words.ts'

export function Explained({ reply }: { readonly reply: ExplainReply }): VNode {
  const { app } = useShared()
  const models = app.models.data.value
  const at = (instant: number): string => clockTime(instant, app.now.value)
  const facts: readonly (readonly [string, string])[] = [
    [t('explain.class'), classWord(reply.class)],
    [t('explain.scope'), t(`scope.${reply.scope}`)],
    [t('explain.takeOver'), t(`takeOver.${reply.takeOver}`)],
    [t('explain.mark'), t(reply.mark ? 'yes' : 'no')],
    [t('explain.hold'), reply.hold ? t('explain.held', { scope: t(`scope.${reply.hold.scope}`), at: at(reply.hold.until) }) : t('no')],
    [t('explain.rule'), reply.rule],
    ...(reply.move ? [[t('explain.move'), reply.move.to ? routeText(models, reply.move.to) : t('decision.nowhere')] as const] : []),
  ]
  return (
    <div class="mf-card" role="status">
      <dl class="mf-facts">
        {facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
      </dl>
      {reply.move && reply.move.verdicts.length > 0 && (
        <ul class="mf-rows">
          {reply.move.verdicts.map((verdict) => <li key={keyOf(verdict.route)} class="mf-candidate"><span class="mf-rank">{verdict.priority}</span><span class="mf-grow">{routeText(models, verdict.route)}</span><VerdictChip verdict={verdict} /></li>)}
        </ul>
      )}
    </div>
  )
}
