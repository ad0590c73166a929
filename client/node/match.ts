/** Finds the decision behind something that the session's log shows. Pure. */
import type { DecisionRecord } from '../../src/contract/status.ts'
import { sameRoute } from '../words.ts'
import type { MoveData } from './definitions.ts'

/** A decision may wait this long (queue, back-off) before its request is logged. */
const WINDOW_MS = 10 * 60_000
/** Clocks of decision and log are read at slightly different moments. */
const SKEW_MS = 2000

const newest = (decisions: readonly DecisionRecord[]): DecisionRecord | null => decisions.toSorted((a, b) => b.at - a.at)[0] ?? null

/** The newest decision for that target that was made at or before the request, or null. */
export function decisionOfMove(decisions: readonly DecisionRecord[], move: MoveData): DecisionRecord | null {
  return newest(decisions.filter(({ at, from, to }) => sameRoute(to, move.to) && !sameRoute(from, to) && at < move.at + SKEW_MS && at > move.at - WINDOW_MS))
}
