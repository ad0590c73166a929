// Goals for stories: revisions, arming, the error that disarms, and the next round when an armed session is idle.
import type { StageAgent } from './agent.ts'

interface Goal { readonly id: string; revision: number; phase: 'active' | 'paused'; activation: 'armed' | 'disarmed'; rounds: number }
interface Ref { readonly id: string; readonly revision: number }

export class StageGoals {
  readonly rounds: number
  readonly #goals = new Map<string, Goal>()
  /** @param rounds how many rounds a goal may have. */
  constructor(rounds = 3) { this.rounds = rounds }

  create(agent: StageAgent): Goal {
    const goal: Goal = { id: `goal-${agent.id}`, revision: 1, phase: 'active', activation: 'armed', rounds: 0 }
    this.#goals.set(agent.id, goal)
    this.drive(agent)
    return goal
  }

  get(agent: StageAgent): Readonly<Goal> | undefined {
    const goal = this.#goals.get(agent.id)
    return goal ? { ...goal } : undefined
  }

  pause(agent: StageAgent): void {
    const goal = this.#goals.get(agent.id)
    if (goal) Object.assign(goal, { phase: 'paused', activation: 'disarmed', revision: goal.revision + 1 })
  }

  resume(agent: StageAgent, ref: Ref): void {
    const goal = this.#goals.get(agent.id)
    if (!goal || goal.id !== ref.id || goal.revision !== ref.revision) throw new Error('the goal is at another revision')
    if (goal.phase === 'active' && goal.activation === 'armed') throw new Error('the goal is active and armed already')
    if (goal.rounds >= this.rounds) throw new Error('no rounds left')
    Object.assign(goal, { phase: 'active', activation: 'armed', revision: goal.revision + 1 })
    this.drive(agent)
  }

  /** The host's reaction to every error of a turn. */
  disarm(agent: StageAgent): void {
    const goal = this.#goals.get(agent.id)
    if (goal) goal.activation = 'disarmed'
  }

  drive(agent: StageAgent): void {
    const goal = this.#goals.get(agent.id)
    if (!goal || goal.phase !== 'active' || goal.activation !== 'armed' || agent.status !== 'idle' || goal.rounds >= this.rounds) return
    goal.rounds++
    agent.followup({ role: 'user', content: [{ type: 'text', text: `round ${goal.rounds}` }], source: { kind: 'goal', goalId: goal.id, round: goal.rounds } })
  }
}
