/** The line in the conversation that says: from here on another model answers, and why. */
import type { ReadonlySignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import type { DecisionRecord } from '../../src/contract/status.ts'
import { clockTime } from '../format.ts'
import { useShared } from '../model/context.ts'
import type { App } from '../model/app.ts'
import { t } from '../text.ts'
import { Icon } from '../ui/Icon.tsx'
import { classWord, keyOf, moveReason, obstacleWord, reasonWord, routeText } from '../words.ts'
import type { MoveData } from './definitions.ts'
import { decisionOfMove } from './match.ts'

export interface NodeProps<D> { readonly sessionId: string; readonly node: { readonly data: D } }

const FRESH_MS = 10_000

/** What is said of a move; null = say nothing (the user chose it). */
export function moveText(app: App, move: MoveData, decision: DecisionRecord | null): string | null {
  const models = app.models.data.value
  const names = { from: routeText(models, move.from), to: routeText(models, move.to) }
  if (decision === null) return t('node.changed', names)
  if (decision.kind === 'hand-pick') return null
  if (decision.kind === 'return') return t('node.back', names)
  const why = decision.moveKind === null && decision.class === null ? reasonWord(decision.why) : moveReason(decision.moveKind, decision.class)
  return t('node.away', { ...names, why })
}

export function MoveNode({ props }: { readonly props: ReadonlySignal<NodeProps<MoveData>> }): VNode | null {
  const { app, session: find } = useShared()
  const { sessionId, node: { data } } = props.value
  const session = useMemo(() => find(sessionId), [find, sessionId])
  useEffect(() => {
    if (app.clock.now() - data.at < FRESH_MS) session.touch()
    if (!session.decisions.loading.peek() && (session.decisions.data.peek() === null || app.clock.now() - data.at < FRESH_MS)) void session.decisions.refresh()
    if (app.models.data.peek() === null) void app.models.refresh()
  }, [app, session, data.at])
  const decisions = session.decisions.data.value
  if (app.settings.value?.notifyUser === false || (decisions === null && session.decisions.error.value === null)) return null
  const decision = decisionOfMove(decisions ?? [], data)
  const text = moveText(app, data, decision)
  if (text === null) return null
  const tail = decision !== null && decision.until !== null && decision.kind !== 'return' ? t('node.until', { at: clockTime(decision.until, app.now.value) }) : ''
  const passed = decision?.candidates.filter(({ routable }) => !routable) ?? []
  if (passed.length === 0 && !decision?.message) return <div class="mf mf-note" role="status"><Icon name="route" size={14} /><span>{text} {tail}</span></div>
  return (
    <details class="mf mf-note mf-details">
      <summary><Icon name="route" size={14} /><span>{text} {tail}</span></summary>
      <div class="mf-note-more">
        {decision?.message && <p><span>{decision.code ?? classWord(decision.class)}</span> {decision.message}</p>}
        {passed.map((verdict) => <p key={keyOf(verdict.route)}>{routeText(app.models.data.value, verdict.route)}: {obstacleWord(verdict)}</p>)}
      </div>
    </details>
  )
}
