/** What the host has acknowledged, thing by thing, and what it may have done without saying so: a killed host cannot answer. */
import type { Host } from '../../dev/host.mts'

/** A thing as its JSON text; null = it is not there. */
type Value = string | null

interface Thing {
  /** The last state that was acknowledged. */
  sure: Value
  /** States that were asked for and never answered. */
  maybe: Value[]
  /** Somebody is changing it. */
  busy: boolean
}

export interface Memory {
  readonly things: Map<string, Thing>
  /** Names of groups whose making was never answered: they may be there under an id nobody knows. */
  readonly unborn: Set<string>
  /** Marks end with the usage day. */
  day: string | null
}

export const makeMemory = (): Memory => ({ things: new Map(), unborn: new Set(), day: null })

export const thingsOf = (memory: Memory, kind: string): string[] => [...memory.things].filter(([key, { sure }]) => key.startsWith(`${kind} `) && sure !== null).map(([key]) => key)

/** Asks for a change of one thing, unless somebody else does. Resolves with whether it was acknowledged; `ask` says so. */
export async function change(memory: Memory, key: string, to: unknown, ask: () => Promise<boolean>): Promise<boolean> {
  const thing = memory.things.get(key) ?? { sure: null, maybe: [], busy: false }
  if (thing.busy) return false
  memory.things.set(key, thing)
  const value = to === null ? null : JSON.stringify(to)
  thing.busy = true
  thing.maybe.push(value)
  const done = await ask()
  // Only an answer settles it; a request that broke off stays open until the next start tells.
  thing.maybe = thing.maybe.filter((one) => one !== value)
  if (done) Object.assign(thing, { sure: value, maybe: [] })
  thing.busy = false
  return done
}

interface Found {
  readonly usageDay: string
  readonly groups: readonly { readonly id: string; readonly name: string; readonly enabled: boolean; readonly models: unknown }[]
  readonly bindings: readonly { readonly sessionId: string; readonly groupId: string | null; readonly mode: string; readonly pin: boolean }[]
  readonly failed: readonly { readonly provider: string; readonly model: string; readonly manual: boolean }[]
  readonly storeProblems: readonly unknown[]
}

/** Everything that is really there, under the same keys. */
async function present(host: Host): Promise<{ readonly found: Map<string, string>; readonly status: Found }> {
  const status = (await host.api('/status')).body as Found
  const { limits, defaultBinding, settings } = (await host.api('/config/export')).body as { readonly limits?: Readonly<Record<string, number>>; readonly defaultBinding?: unknown; readonly settings?: { readonly notifyUser?: boolean } }
  const found = new Map<string, string>([
    ...status.groups.map(({ id, name, enabled, models }) => [`group ${id}`, JSON.stringify({ name, enabled, models })] as const),
    ...status.bindings.map(({ sessionId, groupId, mode, pin }) => [`binding ${sessionId}`, JSON.stringify({ groupId, mode, pin })] as const),
    ...status.failed.filter(({ manual }) => manual).map(({ provider, model }) => [`mark ${provider}/${model}`, 'true'] as const),
    ...Object.entries(limits ?? {}).map(([name, limit]) => [`limit ${name}`, String(limit)] as const),
  ])
  if (defaultBinding) found.set('default -', JSON.stringify(defaultBinding))
  if (settings?.notifyUser !== undefined) found.set('setting notifyUser', String(settings.notifyUser))
  return { found, status }
}

/** What differs from what was acknowledged; afterwards the memory holds what is there. */
export async function differences(host: Host, memory: Memory): Promise<string[]> {
  const { found, status } = await present(host)
  const lost: string[] = status.storeProblems.map((problem) => `a file: ${JSON.stringify(problem)}`)
  if (memory.day !== null && memory.day !== status.usageDay) for (const key of thingsOf(memory, 'mark')) memory.things.delete(key)
  memory.day = status.usageDay
  for (const [key, thing] of memory.things) {
    const now = found.get(key) ?? null
    if (now !== thing.sure && !thing.maybe.includes(now)) lost.push(`${key} is ${now ?? 'gone'}, acknowledged was ${thing.sure ?? 'nothing'}${thing.maybe.length > 0 ? `, asked for ${thing.maybe.join(' and ')}` : ''}`)
  }
  for (const [key, value] of found) {
    const name = (JSON.parse(value) as { readonly name?: string } | null)?.name
    const known = memory.things.has(key) || (key.startsWith('group ') && name !== undefined && memory.unborn.has(name)) || key.startsWith('binding ')
    if (!known) lost.push(`${key} is ${value}, and nobody asked for it`)
    memory.things.set(key, { sure: value, maybe: [], busy: false })
  }
  for (const [key, thing] of memory.things) if (!found.has(key)) Object.assign(thing, { sure: null, maybe: [], busy: false })
  memory.unborn.clear()
  return lost
}
