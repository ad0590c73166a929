/** The acts of a chaos run: each changes one thing over the interface and knows what the host has then promised. */
import type { Host } from '../../dev/host.mts'
import type { Upstream } from '../../dev/upstream/index.ts'
import type { Chance } from '../soak/random.ts'
import { nameOf, SOAK_ROUTES } from '../soak/weather.ts'
import { change, thingsOf, type Memory } from './memory.ts'

export interface Stage {
  readonly host: Host
  readonly upstream: Upstream
  readonly memory: Memory
  readonly chance: Chance
}

const TURN_MS = 4000
const MOST_GROUPS = 30
let names = 0

const api = async (host: Host, path: string, body: unknown, method = 'POST'): Promise<{ readonly ok: boolean; readonly body: unknown }> => {
  const reply = await host.api(path, { method, ...(method === 'DELETE' ? {} : { body }) })
  if (reply.status >= 500 && reply.status !== 503) throw new Error(`${method} ${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`)
  return { ok: reply.status === 200, body: reply.body }
}

const modelsBy = (chance: Chance): readonly unknown[] => SOAK_ROUTES.slice(0, chance.between(1, SOAK_ROUTES.length)).map((route, index) => ({ ...route, priority: index + 1 }))

async function makeGroup({ host, memory, chance }: Stage): Promise<boolean> {
  const group = { name: `Group ${++names}`, enabled: true, models: modelsBy(chance) }
  memory.unborn.add(group.name)
  const { ok, body } = await api(host, '/groups', group)
  memory.unborn.delete(group.name)
  if (ok) memory.things.set(`group ${(body as { readonly group: { readonly id: string } }).group.id}`, { sure: JSON.stringify(group), maybe: [], busy: false })
  return ok
}

/** The groups sessions are bound to stay: what a deletion does to bindings is another story. */
const spare = (memory: Memory): string[] => thingsOf(memory, 'group').slice(1)

async function editGroup({ host, memory, chance }: Stage): Promise<boolean> {
  const keys = thingsOf(memory, 'group')
  if (keys.length === 0) return false
  const key = chance.pick(keys)
  const id = key.slice('group '.length)
  const now = ((await host.api('/groups')).body as { readonly groups: readonly { readonly id: string; readonly rev: number }[] }).groups.find((group) => group.id === id)
  if (!now) return false
  const next = { name: `Group ${++names}`, enabled: chance.luck(0.8), models: modelsBy(chance) }
  return change(memory, key, next, async () => (await api(host, '/groups', { id, rev: now.rev, ...next }, 'PUT')).ok)
}

async function deleteGroup({ host, memory, chance }: Stage): Promise<boolean> {
  const keys = spare(memory)
  if (keys.length < 3) return false
  const key = chance.pick(keys)
  if (memory.things.get('default -')?.sure?.includes(key.slice(6)) === true) return false
  return change(memory, key, null, async () => (await api(host, `/groups/${key.slice('group '.length)}`, null, 'DELETE')).ok)
}

/** Until its own binding is acknowledged a new session may have the default one, of whatever mode that had at its start. */
function expectDefault(memory: Memory, sessionId: string): void {
  const fallback = memory.things.get('default -')
  const maybe = [fallback?.sure ?? null, ...(fallback?.maybe ?? [])].flatMap((text) => {
    const groupId = text === null ? null : (JSON.parse(text) as { readonly groupId: string }).groupId
    return groupId === null ? [] : ['route', 'failover'].map((mode) => JSON.stringify({ groupId, mode, pin: false }))
  })
  memory.things.set(`binding ${sessionId}`, { sure: null, maybe, busy: false })
}

async function bind({ host, memory, chance }: Stage): Promise<boolean> {
  const key = thingsOf(memory, 'group')[0]
  if (key === undefined) return false
  const sessionId = await host.createSession()
  const binding = { groupId: key.slice('group '.length), mode: chance.pick(['route', 'failover']), pin: chance.luck(0.3) }
  expectDefault(memory, sessionId)
  return change(memory, `binding ${sessionId}`, binding, async () => (await api(host, '/session-group', { sessionId, ...binding, asDefault: false })).ok)
}

async function mark({ host, memory, chance }: Stage): Promise<boolean> {
  const route = chance.pick(SOAK_ROUTES)
  const on = chance.luck(0.7)
  return change(memory, `mark ${nameOf(route)}`, on ? true : null, async () => (await api(host, on ? '/failed/mark' : '/failed/reset', route)).ok)
}

async function limit({ host, memory, chance }: Stage): Promise<boolean> {
  const route = chance.pick(SOAK_ROUTES)
  const most = chance.between(0, 9)
  return change(memory, `limit ${nameOf(route)}`, most === 0 ? null : most, async () => (await api(host, '/model-concurrency', { ...route, concurrency: most })).ok)
}

async function setting({ host, memory, chance }: Stage): Promise<boolean> {
  const notifyUser = chance.luck(0.5)
  return change(memory, 'setting notifyUser', notifyUser, async () => (await api(host, '/settings', { notifyUser })).ok)
}

async function defaultGroup({ host, memory, chance }: Stage): Promise<boolean> {
  const key = thingsOf(memory, 'group')[0]
  if (key === undefined) return false
  const binding = { groupId: key.slice('group '.length), mode: chance.pick(['route', 'failover'] as const) }
  return change(memory, 'default -', binding, async () => (await api(host, '/default-group', binding)).ok)
}

/** A turn while models fail: it makes marks, moves and records of its own beside the acts of the others. */
async function ask({ host, upstream, chance }: Stage): Promise<boolean> {
  const { provider, model } = chance.pick(SOAK_ROUTES.slice(0, 4))
  upstream.set(provider, model, chance.pick(['500', '404', 'quota', 'reset-mid', 'ok']))
  try {
    await host.turn(await host.createSession(), 'hello', TURN_MS)
    return true
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('no end of the turn')) return false
    throw error
  }
}

/** One act by chance. Resolves with whether the host acknowledged one; rejects when the connection breaks. */
export function actOnce(stage: Stage): Promise<boolean> {
  const { memory, chance } = stage
  const groups = thingsOf(memory, 'group').length
  if (groups < 3) return makeGroup(stage)
  const acts = [editGroup, editGroup, bind, mark, mark, limit, setting, defaultGroup, ask, ...(groups < MOST_GROUPS ? [makeGroup] : []), deleteGroup]
  return chance.pick(acts)(stage)
}
