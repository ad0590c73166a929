/** The line in the conversation that says: from here on another model answers, and why. */
import type { ReadonlySignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { DecisionRecord } from '../../src/contract/status.ts'
import { clockTime } from '../format.ts'
import type { App } from '../model/app.ts'
import { t } from '../text.ts'
import { Icon } from '../ui/Icon.tsx'
import { keyOf, moveReason, obstacleWord, reasonWord, routeText } from '../words.ts'
import type { MoveData } from './definitions.ts'
import { decisionOfMove } from './match.ts'
import { useNode } from './useNode.ts'
import type { NodeProps } from './useNode.ts'

const FRESH_MS = 10_000

/** What is said of a move; null = say nothing (the user chose it). */
export function moveText(app: App, move: MoveData, decision: DecisionRecord | null): string | null {
  const models = app.models.data.value
  const from = move.from ?? decision?.from
  if (!from) return null
  const names = { from: routeText(models, from), to: routeText(models, move.to) }
  if (!decision) return t('node.changed', names)
  const { kind, moveKind, until } = decision
  if (kind === 'hand-pick') return null
  if (kind === 'return') return t('node.back', names)
  const why = moveKind || decision.class ? moveReason(moveKind, decision.class) : reasonWord(decision.why)
  return `${t('node.away', { ...names, why })}${until === null ? '' : t('node.until', { at: clockTime(until, app.now.value) })}`
}

export function MoveNode({ props }: { readonly props: ReadonlySignal<NodeProps<MoveData>> }): VNode | null {
  const { app, node: { decisions }, data } = useNode(props, FRESH_MS)
  const known = decisions.data.value
  const decision = decisionOfMove(known ?? [], data)
  const text = moveText(app, data, decision)
  if (!text || app.settings.value?.notifyUser === false || (!known && !decisions.error.value)) return null
  return (
    <details class="mf mf-note">
      <summary><Icon name="route" size={14} /> {text}</summary>
      <div class="mf-muted">
        {decision?.message && <p class="mf-reason">{decision.message}</p>}
        {decision?.candidates.map((verdict) => <p key={keyOf(verdict.route)}>{routeText(app.models.data.value, verdict.route)}: {obstacleWord(verdict)}</p>)}
      </div>
    </details>
  )
}
