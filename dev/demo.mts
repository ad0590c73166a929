// The demo's cast: which models fail how, and the routing group that saves the day.
import type { Host } from './host.mts'
import type { Upstream } from './upstream/index.ts'
import type { FaultId } from '../src/contract/faults.ts'

/** Models that fail on purpose; all others answer. */
export const DEMO_FAULTS: readonly { readonly provider: string; readonly model: string; readonly fault: FaultId; readonly why: string }[] = [
  { provider: 'alpha', model: 'a-1', fault: 'quota', why: 'its quota is used up' },
  { provider: 'alpha', model: 'a-2', fault: '500', why: 'its server is broken' },
  { provider: 'beta', model: 'b-2', fault: 'slow', why: 'it answers slowly' },
]

/** The demo group, best model first. */
export const DEMO_GROUP = {
  name: 'Demo',
  models: [
    { provider: 'alpha', model: 'a-1', priority: 1 },
    { provider: 'alpha', model: 'a-2', priority: 2 },
    { provider: 'beta', model: 'b-1', priority: 3 },
    { provider: 'gamma', model: 'c-1', priority: 4 },
  ],
}

/** Where the demo group ends up: the first model of it that answers. */
export const DEMO_SURVIVOR = 'beta/b-1'

/** Makes the demo's models fail. */
export function playDemo(upstream: Upstream): void {
  for (const { provider, model, fault } of DEMO_FAULTS) upstream.set(provider, model, fault)
}

/** Makes the demo group through the plugin's interface, as the default of new sessions. Answers what went wrong, or null. */
export async function setUpGroup(host: Host): Promise<string | null> {
  const made = await host.api('/groups', { body: DEMO_GROUP })
  const id = (made.body as { readonly group?: { readonly id?: string } } | null)?.group?.id
  if (made.status !== 200 || id === undefined) return `POST /groups answered ${made.status}: ${JSON.stringify(made.body).slice(0, 300)}`
  const bound = await host.api('/default-group', { body: { groupId: id, mode: 'failover' } })
  return bound.status === 200 ? null : `POST /default-group answered ${bound.status}: ${JSON.stringify(bound.body).slice(0, 300)}`
}
