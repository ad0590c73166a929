// What came of a session's turns: how they ended, who spoke, and the turns that follow by themselves.
import { breathe, type StageAgent } from './agent.ts'
import type { Stage, TurnResult } from './index.ts'
import type { StageEvent } from './session.ts'

interface Reason { readonly kind: string; readonly error?: { readonly code: string; readonly message: string } }

const reasonsOf = (events: readonly StageEvent[]): Reason[] => events.filter(({ type }) => type === 'turn/end').map(({ data }) => data['reason'] as Reason)

/** How each turn ended. */
export function ends(turn: Pick<TurnResult, 'events'>): string[] { return reasonsOf(turn.events).map(({ kind }) => kind) }

/** The error the last turn ended with. */
export function errorOf(turn: Pick<TurnResult, 'events'>): NonNullable<Reason['error']> { return reasonsOf(turn.events).at(-1)?.error ?? { code: '', message: '' } }

/** Who wrote each message that is no answer: `user`, `plugin` or `goal`. */
export function said(agent: StageAgent): string[] { return agent.session.ofType('user/message').map(({ data }) => (data['source'] as { readonly kind: string }).kind) }

/** Sends a message and waits for its turn and whatever turns follow by themselves. */
export async function promptToRest(stage: Stage, agent: StageAgent, text: string): Promise<TurnResult> {
  const since = agent.session.events.length
  await stage.prompt(agent, text)
  for (let seen = -1; seen !== agent.session.events.length;) {
    seen = agent.session.events.length
    await agent.whenIdle()
    await breathe(10)
  }
  return stage.since(agent, since)
}
