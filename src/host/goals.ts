/** Goals of the host, if it has them: which one is armed now, and rearming exactly that one later. */
import type { GoalTicket } from '../ports.ts'
import { service, type HostAgent, type HostContext } from './shapes.ts'

interface GoalView { readonly id: string; readonly revision: number; readonly phase: string; readonly activation: string }
interface Goals { get(agent: HostAgent): GoalView | undefined; resume(agent: HostAgent, ref: { id: string; revision: number }): unknown }

/** The active and armed goal of an agent, or null. */
export function armedGoal(ctx: HostContext, agent: HostAgent | null): GoalTicket | null {
  const goals = service<Goals>(ctx, 'goals', 'resume')
  if (!goals || !agent) return null
  try {
    const goal = goals.get(agent)
    return goal && goal.phase === 'active' && goal.activation === 'armed' ? { id: goal.id, revision: goal.revision } : null
  } catch { return null /* the agent left the registry */ }
}

/** Rearms the goal if it is still active, still disarmed and still at the ticket's revision. */
export function reviveGoal(ctx: HostContext, agent: HostAgent | null, ticket: GoalTicket): boolean {
  const goals = service<Goals>(ctx, 'goals', 'resume')
  if (!goals || !agent) return false
  try {
    const goal = goals.get(agent)
    if (!goal || goal.id !== ticket.id || goal.revision !== ticket.revision || goal.phase !== 'active') return false
    if (goal.activation === 'armed') return true
    goals.resume(agent, { id: ticket.id, revision: ticket.revision })
    return true
  } catch { return false /* changed in between, or its rounds are used up: the caller sends a message instead */ }
}
