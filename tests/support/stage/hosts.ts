// How hosts keep the model of a session, by generation. The first is written from a host that was run; the two newer
// ones from what is publicly known of them, and nobody has compared them with a real host of their version.
import type { CallConfig } from '../../../src/ports.ts'
import type { Choice, StageAgent } from './agent.ts'
import type { StageLlm } from './models.ts'

export interface Selection { readonly provider: string; readonly model: string; readonly reasoningEffort?: string }

/** A generation of hosts: the choice its loop asks, the services it offers, and what it tells when an agent is made. */
export interface Generation {
  readonly choice: Choice
  readonly services: Readonly<Record<string, unknown>>
  /** Types its sessions know beside the common ones. */
  readonly events: readonly string[]
  /** `agent/created` is awaited and names its source; there is no `agent/session-start`. */
  readonly createdCarriesSource: boolean
  /** Gives an agent what its generation has. */
  equip(agent: StageAgent): void
  /** The user picks a model in the host's own selector. */
  pick(agent: StageAgent, selection: Selection): Promise<void>
}

type Agents = () => ReadonlyMap<string, StageAgent>

/** The user's pick of this process, what the last header says, and what the agent was made with: in this order. */
class Picks {
  readonly picked = new Map<string, Selection>()
  readonly fixed = new Map<string, Selection | undefined>()
  base(agent: StageAgent): CallConfig {
    const pick = this.fixed.get(agent.id)
    return { ...(pick ?? agent.session.requestHeader()?.config ?? agent.options) }
  }
  readonly choice: Choice = {
    base: (agent) => this.base(agent),
    assembled: (agent) => { this.fixed.set(agent.id, this.picked.get(agent.id)) },
    check: () => {},
    logged: () => {},
  }
}

/** 0.1.0-rc.8 … 0.1.1-rc.2. */
export function apiProxyHost(agents: Agents, llm: StageLlm): Generation & { readonly savedDefaults: Selection[] } {
  const picks = new Picks()
  const savedDefaults: Selection[] = []
  class DefaultModel { saveSelection(selection: Selection): Promise<void> { savedDefaults.push(selection); return Promise.resolve() } }
  const agentDefaultModel = new DefaultModel()
  class Sessions {
    async selectModel({ rpcId, payload }: { rpcId: string; payload: Selection & { sessionId: string } }): Promise<unknown> {
      const { sessionId, ...selection } = payload
      const agent = agents().get(sessionId)
      if (!agent || agent.session.header.origin === 'subagent') return { rpcId, result: { ok: false, error: { code: 'agent-busy', message: 'not here' } } }
      try { llm.find(selection) } catch { return { rpcId, result: { ok: false, error: { code: 'model-unavailable', message: 'unknown' } } } }
      picks.picked.set(sessionId, selection)
      await agentDefaultModel.saveSelection(selection)
      return { rpcId, result: { ok: true, value: { selected: selection } } }
    }
  }
  const apiProxy = { sessions: new Sessions() }
  return {
    choice: picks.choice, services: { apiProxy, agentDefaultModel }, events: [], createdCarriesSource: false, savedDefaults,
    equip: () => {},
    pick: async (agent, selection) => { await apiProxy.sessions.selectModel({ rpcId: 'page', payload: { sessionId: agent.id, ...selection } }) },
  }
}

/** 0.1.2 … 0.2.1-alpha.2: a durable event per pick, the pick is over once a header says the same. */
export function controllerHost(llm: StageLlm): Generation & { readonly selected: string[] } {
  const picks = new Picks()
  const selected: string[] = []
  const selectForNextRequest = (agent: StageAgent, selection: Selection): void => {
    selected.push(`${agent.id} ${selection.provider}/${selection.model}`)
    agent.session.append('model/selection', { ...selection })
    picks.picked.set(agent.id, selection)
  }
  const choice: Choice = {
    ...picks.choice,
    logged(agent, config) {
      const pick = picks.picked.get(agent.id)
      if (pick && pick.provider === config.provider && pick.model === config.model) { picks.picked.delete(agent.id); picks.fixed.delete(agent.id) }
    },
  }
  const sessionController = {
    agents: { selectForNextRequest },
    selectModel: (): Promise<never> => Promise.reject(new Error('an automatic move must not rewrite the default model')),
  }
  return {
    choice, services: { sessionController }, events: ['model/selection'], createdCarriesSource: true, selected,
    equip: () => {},
    pick: async (agent, selection) => { llm.find(selection); selectForNextRequest(agent, selection); await Promise.resolve() },
  }
}

/** Later ones: the agent owns its model, a step's model is fixed before it begins, and no listener may change it. */
export function modelSelectHost(llm: StageLlm, fixedAt: 'assembly' | 'start' = 'assembly'): Generation & { readonly selected: string[]; refuse: boolean } {
  const picks = new Picks()
  const selected: string[] = []
  const choice: Choice = {
    ...picks.choice,
    assembled: (agent) => { if (fixedAt === 'assembly') picks.choice.assembled(agent) },
    check(base, proposed) {
      if (base !== proposed) throw new Error('agent/request is deprecated: the model of a step cannot be changed there')
    },
  }
  const select = async (agent: StageAgent, selection: Selection): Promise<void> => {
    llm.find(selection)
    agent.session.append('model/selection', { ...selection })
    picks.picked.set(agent.id, selection)
    await Promise.resolve()
  }
  const generation = {
    choice, services: {}, events: ['model/selection'], createdCarriesSource: true, selected, refuse: false,
    fix: (agent: StageAgent) => picks.choice.assembled(agent),
    equip(agent: StageAgent): void {
      agent.model = {
        select(selection: Selection): Promise<void> {
          selected.push(`${agent.id} ${selection.provider}/${selection.model}`)
          return generation.refuse ? Promise.reject(new Error('not now')) : select(agent, selection)
        },
      }
    },
    pick: (agent: StageAgent, selection: Selection) => select(agent, selection),
  }
  return generation
}
