/** Finds the decision behind something that the session's log shows. Pure. */
import type { DecisionRecord } from '../../src/contract/status.ts'
import { sameRoute } from '../words.ts'
import type { EndData, MoveData } from './definitions.ts'

/** A decision may wait this long (queue, back-off) before its request is logged. */
const WINDOW_MS = 10 * 60_000
/** Clocks of decision and log are read at slightly different moments. */
const SKEW_MS = 2000

/** The newest decision for that target that was made at or before the request, or null. */
export function decisionOfMove(decisions: readonly DecisionRecord[], move: MoveData): DecisionRecord | null {
  let best: DecisionRecord | null = null
  for (const decision of decisions) {
    if (!sameRoute(decision.to, move.to) || sameRoute(decision.from, decision.to)) continue
    const early = move.at - decision.at
    if (early < -SKEW_MS || early > WINDOW_MS) continue
    if (best === null || decision.at > best.at) best = decision
  }
  return best
}

/** The decision that found no way on for the turn that ended, or null. */
export function decisionOfEnd(decisions: readonly DecisionRecord[], end: EndData): DecisionRecord | null {
  const fitting = decisions.filter(({ kind, to, turn, at }) => kind === 'failure' && to === null && Math.abs(end.at - at) < WINDOW_MS && (turn === null || turn === end.turn))
  return fitting.toSorted((a, b) => b.at - a.at)[0] ?? null
}
