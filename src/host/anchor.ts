/**
 * Writing down where a session belongs, so that it is true without us too. A 0.1 host takes the last request header for
 * the user's choice, so for an idle session that is sent home one header with the home route ends its log. Only on the
 * user's order: the log is the user's, and an automatic move has no business in it.
 */
import type { EffortRoute } from '../contract/route.ts'
import type { CallConfig, Log } from '../ports.ts'
import { isRecord, type HostAgent, type HostContext } from './shapes.ts'

interface Header { readonly config: CallConfig; readonly adapterDefaults?: Readonly<Record<string, true>>; readonly [part: string]: unknown }

/** Makes the host load a session that nobody has touched since the start; false = it does not know it, or cannot. */
export async function wake(ctx: HostContext, session: string): Promise<boolean> {
  try {
    const proxy = ctx.get('apiProxy')
    const sessions = isRecord(proxy) ? proxy.sessions : null
    if (!isRecord(sessions) || typeof sessions.models !== 'function') return false
    const models = sessions.models as (request: unknown) => Promise<{ readonly result?: { readonly ok?: boolean } }>
    const reply = await models.call(sessions, { rpcId: `model-failover-${session}`, payload: { sessionId: session } })
    return reply.result?.ok === true
  } catch { return false /* a session that cannot be loaded cannot be sent anywhere */ }
}

/** Ends the log of an idle session with a header on `route`. True if the log names it now. */
export function anchor(agent: HostAgent, route: EffortRoute, log: Log): boolean {
  const last = agent.session.requestHeader?.() as Header | undefined
  if (!last) return true // nothing was sent yet: the host's own choice stands
  if (last.config.provider === route.provider && last.config.model === route.model) return true
  if (agent.status === 'running' || !agent.session.append) return false
  const { reasoningEffort: _, maxTokens, ...config } = last.config
  const { adapterDefaults, ...parts } = last
  const own = maxTokens === undefined || adapterDefaults?.maxTokens === true ? {} : { maxTokens }
  try {
    agent.session.append('request/header', {
      header: { ...parts, config: { ...config, ...own, provider: route.provider, model: route.model, ...(route.effort === undefined ? {} : { reasoningEffort: route.effort }) } },
      reason: 'change',
    })
    return true
  } catch (error) {
    log.warn('the way home of %s could not be written down: %o', agent.id, error)
    return false
  }
}
