import { describe, expect, it } from 'vitest'
import type { Host } from '../../dev/host.mts'
import { change, differences, makeMemory, type Memory } from './memory.ts'

/** A host that shows these groups and marks. */
function hostWith(groups: readonly string[], failed: readonly string[] = [], usageDay = '2025-03-03'): Host {
  const api: Host['api'] = (path) => Promise.resolve({
    status: 200, headers: new Headers(),
    body: path === '/status'
      ? { usageDay, groups: groups.map((id) => ({ id, name: id, enabled: true, models: [] })), bindings: [], failed: failed.map((model) => ({ provider: 'p', model, manual: true })), storeProblems: [] }
      : {},
  })
  return { api } as Partial<Host> as Host
}
const group = (name: string) => ({ name, enabled: true, models: [] })

async function with_(done: boolean): Promise<Memory> {
  const memory = makeMemory()
  await change(memory, 'group a', group('a'), () => Promise.resolve(done))
  return memory
}

describe('the memory of what a host has acknowledged', () => {
  it('misses what was acknowledged and is gone, and what is there unasked', async () => {
    expect(await differences(hostWith(['a']), await with_(true))).toEqual([])
    expect(await differences(hostWith([]), await with_(true))).toEqual([expect.stringContaining('group a is gone')])
    expect(await differences(hostWith(['a', 'b']), await with_(true))).toEqual([expect.stringContaining('nobody asked for it')])
  })

  it('takes either outcome of a request that was never answered, and nothing else', async () => {
    const cut = async (): Promise<Memory> => {
      const memory = await with_(true)
      await change(memory, 'group a', null, () => Promise.reject(new Error('the connection broke'))).catch(() => undefined)
      return memory
    }
    expect(await differences(hostWith(['a']), await cut())).toEqual([])
    expect(await differences(hostWith([]), await cut())).toEqual([])
  })

  it('knows that a refusal changes nothing, and that marks end with their day', async () => {
    expect(await differences(hostWith(['a']), await with_(false))).toEqual([expect.stringContaining('acknowledged was nothing')])
    const memory = makeMemory()
    await differences(hostWith([]), memory)
    await change(memory, 'mark p/m', true, () => Promise.resolve(true))
    expect(await differences(hostWith([], [], '2025-03-04'), memory)).toEqual([])
  })
})
