/** Live sessions and their agents as the host has them now; every read is fresh and none throws. */
import type { EffortRoute } from '../contract/route.ts'
import type { CallConfig, LiveSession } from '../ports.ts'
import { isRecord, service, type HostAgent, type HostAgents, type HostContext, type HostMessage, type HostSession } from './shapes.ts'

export interface SessionReader {
  agent(id: string): HostAgent | null
  session(id: string): LiveSession | null
  sessions(): readonly LiveSession[]
  usedTokens(id: string): number | null
  hasImages(id: string): boolean
  language(id: string): 'zh' | 'en'
}

export function createSessionReader(ctx: HostContext): SessionReader {
  const agent = (id: string): HostAgent | null => {
    try { return service<HostAgents>(ctx, 'agents', 'get')?.get?.(id) ?? null } catch { return null /* to us the session is not there then */ }
  }
  const messages = (id: string): readonly HostMessage[] => {
    const session = agent(id)?.session
    try { return session?.deriveMessages?.() ?? [] } catch { return [] /* a session being torn down */ }
  }
  return {
    agent,
    session(id) {
      const found = agent(id)
      return found ? describe(found) : null
    },
    sessions() {
      try { return (service<HostAgents>(ctx, 'agents', 'list')?.list?.() ?? []).map(describe) } catch { return [] /* as if none were live */ }
    },
    usedTokens(id) {
      const meter = service<{ measure(session: HostSession): { readonly totalTokens?: number } }>(ctx, 'tokenMeter', 'measure')
      const session = agent(id)?.session
      if (!meter || !session) return null
      try { return meter.measure(session).totalTokens ?? null } catch { return null /* an estimate is a help, never a condition */ }
    },
    hasImages: (id) => messages(id).some((message) => holdsImage(message.content, 0)),
    language(id) {
      const spoken = messages(id).filter((message) => message.role === 'user' && message.source?.kind === 'user').slice(-3)
      return spoken.some((message) => /[\u4e00-\u9fff]/.test(plainText(message.content))) ? 'zh' : 'en'
    },
  }
}

function describe(agent: HostAgent): LiveSession {
  const header = agent.session.header
  const { provider, model } = agent.options ?? {}
  return {
    id: agent.id,
    parent: header?.parentSession ?? null,
    subagent: header?.origin === 'subagent',
    running: agent.status === 'running',
    lastRoute: routeOf(lastConfig(agent.session)),
    createdWith: provider && model ? { provider, model } : null,
    inheritedMaxTokens: inheritedMaxTokens(agent.session),
  }
}

/** The config of the last request header; null before the first request. */
export function lastConfig(session: HostSession): CallConfig | null {
  try { return session.requestHeader?.()?.config ?? null } catch { return null /* a session being torn down */ }
}

/** The route of the last request header, without an effort that was only its adapter's default. */
export function chosenRoute(session: HostSession): EffortRoute | null {
  try {
    const header = session.requestHeader?.()
    if (!header) return null
    const { provider, model } = header.config
    return header.adapterDefaults?.reasoningEffort === true ? { provider, model } : routeOf(header.config)
  } catch { return null /* a session being torn down */ }
}

function inheritedMaxTokens(session: HostSession): number | null {
  try {
    const header = session.requestHeader?.()
    return header?.adapterDefaults?.maxTokens === true ? (header.config.maxTokens ?? null) : null
  } catch { return null /* a session being torn down */ }
}

/** Provider, model and effort of a config, without absent keys. */
export function routeOf(config: CallConfig | null | undefined): EffortRoute | null {
  if (!config) return null
  return { provider: config.provider, model: config.model, ...(config.reasoningEffort === undefined ? {} : { effort: config.reasoningEffort }) }
}

function holdsImage(content: unknown, depth: number): boolean {
  if (!Array.isArray(content) || depth > 4) return false
  return content.some((block: unknown) => isRecord(block) && (block.type === 'image' || holdsImage(block.content, depth + 1)))
}

function plainText(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content.map((block: unknown) => (isRecord(block) && typeof block.text === 'string' ? block.text : '')).join(' ').slice(0, 2000)
}
