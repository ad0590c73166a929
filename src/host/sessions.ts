/** Live sessions and their agents as the host has them now, and others as their logs leave them; no read throws. */
import type { EffortRoute } from '../contract/route.ts'
import type { CallConfig, LiveSession } from '../ports.ts'
import { isRecord, service, type HostAgent, type HostAgents, type HostContext, type HostEvent, type HostMessage, type HostSession } from './shapes.ts'

export interface SessionReader {
  agent(id: string): HostAgent | null
  session(id: string): LiveSession | null
  recall(id: string): LiveSession | null
  lookUp(id: string): Promise<LiveSession | null>
  /** The session was live until now, so what its log said before is out of date. */
  forget(id: string): void
  sessions(): readonly LiveSession[]
  usedTokens(id: string): number | null
  hasImages(id: string): boolean
  language(id: string): 'zh' | 'en'
}

/** Sessions that are not live, kept so that a page which asks every few seconds does not read their logs each time. */
const STORED_MAX = 200

interface Persistence { inspect(id: string): Promise<{ readonly meta?: HostSession['header']; readonly events?: readonly HostEvent[] }> }

export function createSessionReader(ctx: HostContext): SessionReader {
  const stored = new Map<string, LiveSession>()
  const agent = (id: string): HostAgent | null => {
    try { return service<HostAgents>(ctx, 'agents', 'get')?.get?.(id) ?? null } catch { return null /* to us the session is not there then */ }
  }
  const messages = (id: string): readonly HostMessage[] => {
    const session = agent(id)?.session
    try { return session?.deriveMessages?.() ?? [] } catch { return [] /* a session being torn down */ }
  }
  const live = (id: string): LiveSession | null => {
    const found = agent(id)
    return found ? describe(found) : null
  }
  const recall = (id: string): LiveSession | null => live(id) ?? stored.get(id) ?? null
  return {
    agent,
    session: live,
    recall,
    async lookUp(id) {
      const known = recall(id)
      if (known) return known
      try {
        const inspected = await service<Persistence>(ctx, 'sessionPersistence', 'inspect')?.inspect(id)
        if (!inspected?.meta) return null
        const session = asStored(id, inspected.meta, inspected.events ?? [])
        stored.set(id, session)
        const [oldest] = stored.keys()
        if (stored.size > STORED_MAX && oldest !== undefined) stored.delete(oldest)
        return session
      } catch { return null /* no such session, or a log that cannot be read */ }
    },
    forget: (id) => { stored.delete(id) },
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

function asStored(id: string, header: NonNullable<HostSession['header']>, events: readonly HostEvent[]): LiveSession {
  const last = events.findLast(({ type }) => type === 'request/header')?.data.header
  return {
    id,
    parent: header.parentSession ?? null,
    subagent: header.origin === 'subagent',
    running: false,
    lastRoute: isRecord(last) ? toRoute(last.config) : null,
    createdWith: null,
    inheritedMaxTokens: null,
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

/** A selection, options or an event's data as a route; null when it names none. */
export function toRoute(value: unknown): EffortRoute | null {
  if (!isRecord(value) || typeof value.provider !== 'string' || typeof value.model !== 'string' || value.provider === '' || value.model === '') return null
  return { provider: value.provider, model: value.model, ...(typeof value.reasoningEffort === 'string' ? { effort: value.reasoningEffort } : {}) }
}

function holdsImage(content: unknown, depth: number): boolean {
  if (!Array.isArray(content) || depth > 4) return false
  return content.some((block: unknown) => isRecord(block) && (block.type === 'image' || holdsImage(block.content, depth + 1)))
}

function plainText(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content.map((block: unknown) => (isRecord(block) && typeof block.text === 'string' ? block.text : '')).join(' ').slice(0, 2000)
}
