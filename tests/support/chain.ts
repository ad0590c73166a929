// A world whose new sessions are bound to one group, and short words for what such tests keep asking.
import { expect } from 'vitest'
import type { Turn } from '../../dev/host.mts'
import { makeGroup, openWorld, type World, type WorldOptions } from './world.ts'

export const CHAIN: readonly string[] = ['alpha/a-1', 'alpha/a-2', 'beta/b-1', 'gamma/c-1', 'gamma/c-2']

/** Opens a world and makes `chain` the default group of new sessions; their own model is the first of the catalogue. */
export async function openChain(options: WorldOptions = {}, chain: readonly string[] = CHAIN, mode: 'route' | 'failover' = 'failover'): Promise<World> {
  const world = await openWorld(options)
  const groupId = await makeGroup(world.host, 'Chain', chain)
  expect((await world.host.api('/default-group', { body: { groupId, mode } })).status).toBe(200)
  return world
}

/** The same order for several routes. */
export function order(world: World, routes: readonly string[], fault: Parameters<World['upstream']['set']>[2]): void {
  for (const route of routes) {
    const cut = route.indexOf('/')
    world.upstream.set(route.slice(0, cut), route.slice(cut + 1), fault)
  }
}

export interface Info {
  readonly home: { readonly model: string } | null
  readonly override: { readonly model: string } | null
  readonly mode: string | null
  readonly route: { readonly model: string } | null
}

export async function infoOf(world: World, session: string): Promise<Info> {
  return (await world.host.api(`/session-info?sessionId=${session}`)).body as Info
}

/** The error a turn ended with. */
export function endError(turn: Turn): { readonly code: string; readonly message: string } {
  const reason = turn.events.at(-1)?.data['reason'] as { readonly error?: { readonly code: string; readonly message: string } } | undefined
  if (!reason?.error) throw new Error(`the turn ended without an error: ${turn.end}`)
  return reason.error
}
