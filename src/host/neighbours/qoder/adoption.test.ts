import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { settle } from '../../../../tests/support/manual-time.ts'
import { bundleText, CODEC, PROFILE_BUNDLE, put, SECRET, serve, toyAsk, toyEncryptorClass } from '../../../../tests/support/neighbours.ts'
import { post, shimWorld } from '../../../../tests/support/shim-world.ts'
import { ADOPT_TICK_MS, ADOPT_TICKS } from './adoption.ts'
import { HOOK_GLOBAL } from './hook.ts'
import { SLOT_KEY } from './slot.ts'

const world = shimWorld()

describe('looking for the encryptor', () => {
  it('does nothing at all where no neighbour is installed', async () => {
    const shim = world.make()
    await shim.start()
    shim.wake()
    expect(world.time.pending).toBe(0)
    expect(world.globals).toEqual({})
    expect(shim.status()).toMatchObject({ enabled: true, installed: false, effective: false, liveSeen: false, port: 0, targets: [], hookRepair: { state: 'absent', copies: [] }, lastError: null })
    expect(shim.obstacle()).toBe('absent')
  })

  it('does nothing when it is off', async () => {
    world.globals[HOOK_GLOBAL] = toyEncryptorClass()
    put(world.home, PROFILE_BUNDLE, bundleText())
    const shim = world.make({ enabled: false })
    await shim.start()
    shim.wake()
    expect([world.time.pending, Reflect.ownKeys(world.globals)]).toEqual([0, [HOOK_GLOBAL]])
    expect([shim.obstacle(), shim.status().enabled]).toEqual(['off', false])
  })

  it('adopts one that comes late', async () => {
    put(world.home, PROFILE_BUNDLE, bundleText({ hook: `globalThis.${HOOK_GLOBAL} = QoderEncryptedInfer;` }))
    const shim = world.make()
    await shim.start()
    expect(shim.status()).toMatchObject({ effective: false, hookRepair: { state: 'pending-restart', copies: [{ scope: 'profile:web', state: 'ok' }] } })
    expect(shim.obstacle()).toBe('waiting')
    await world.time.run(3 * ADOPT_TICK_MS, ADOPT_TICK_MS)
    world.globals[HOOK_GLOBAL] = toyEncryptorClass()
    expect(shim.status()).toMatchObject({ liveSeen: true, effective: false })
    await world.time.run(ADOPT_TICK_MS, ADOPT_TICK_MS)
    await expect.poll(() => shim.effective()).toBe(true)
    expect(shim.status()).toMatchObject({ adoptTicks: 4, adoptedAt: '2025-03-03T04:00:06.000Z', hookRepair: { state: 'ok' } })
    expect(world.time.pending).toBe(0)
  })

  it('stops looking after ten minutes, but looks when asked', async () => {
    put(world.home, PROFILE_BUNDLE, bundleText())
    const shim = world.make()
    await shim.start()
    await world.time.run(ADOPT_TICKS * ADOPT_TICK_MS, 20 * ADOPT_TICK_MS)
    expect([shim.status().adoptTicks, world.time.pending]).toEqual([ADOPT_TICKS, 0])
    expect([shim.status().hookRepair.state, shim.obstacle()]).toEqual(['skipped', 'hook'])
    world.globals[HOOK_GLOBAL] = toyEncryptorClass()
    shim.wake()
    await expect.poll(() => shim.effective()).toBe(true)
  })

  it('adopts the next one when the plugin that made it is reloaded', async () => {
    const { shim } = await world.live()
    const Next = toyEncryptorClass()
    world.globals[HOOK_GLOBAL] = Next
    expect(shim.effective()).toBe(false)
    shim.wake()
    expect(shim.effective()).toBe(true)
    expect(new Next(world.upstream.url).prepareInfer(toyAsk()).url).toContain('/qoder/')
  })

  it('patches the codec file where nothing else has it, which is then the one in use', async () => {
    put(world.home, CODEC, '')
    const Encryptor = toyEncryptorClass()
    const shim = world.make({ load: async () => ({ QoderEncryptedInfer: Encryptor }) })
    await shim.start()
    expect(shim.status()).toMatchObject({ installed: true, effective: true, targets: [expect.stringMatching(/^wasm:file:.*qoder-wasm\.js$/) as unknown], wasmPath: join(world.home, CODEC) })
  })

  it('does not take a patched codec file for the encryptor in use beside a bundle, until a request proves it', async () => {
    put(world.home, CODEC, '')
    put(world.home, PROFILE_BUNDLE, bundleText())
    const Encryptor = toyEncryptorClass()
    const shim = world.make({ load: async () => ({ default: { QoderEncryptedInfer: Encryptor } }) })
    await shim.start()
    expect(shim.status()).toMatchObject({ installed: true, effective: false })
    new Encryptor(world.upstream.url).prepareInfer(toyAsk())
    expect(shim.effective()).toBe(true)
  })

  it('says what is wrong with a codec file or a hook', async () => {
    put(world.home, CODEC, '')
    const none = world.make({ load: async () => ({ other: 1 }) })
    await none.start()
    expect(none.status()).toMatchObject({ installed: false, lastError: 'qoder-wasm.js exports no class that prepares requests' })
    const broken = world.make({ load: async () => { throw Object.assign(new Error(SECRET), { code: 'ERR_X' }) } })
    await broken.start()
    expect(broken.status().lastError).toBe('qoder-wasm.js cannot be loaded (ERR_X)')
    const lost = world.make({ wasmPath: join(world.home, 'nowhere.js') })
    await lost.start()
    expect(lost.status().lastError).toBe('qoderShimWasmPath names no file')
    world.globals[HOOK_GLOBAL] = class { go() { return 1 } }
    expect(none.status().hookRepair.state).toBe('stale')
    world.globals[HOOK_GLOBAL] = Object.freeze(class { prepareInfer() { return 1 } })
    Object.freeze((world.globals[HOOK_GLOBAL] as { prototype: object }).prototype)
    none.wake()
    expect(none.status()).toMatchObject({ installed: false, lastError: 'the encryptor in use cannot be changed' })
  })

  it('mends a bundle only when allowed, and says that a restart is due', async () => {
    put(world.home, PROFILE_BUNDLE, bundleText())
    const shim = world.make({ repair: true })
    await shim.start()
    expect([shim.status().hookRepair.state, shim.obstacle()]).toEqual(['repaired', 'waiting'])
  })

  it('observes the adapters of the host without changing them', async () => {
    const calls: unknown[] = []
    const adapter = { fetchImpl(...args: unknown[]) { calls.push([this, ...args]); return 7 } }
    const { fetchImpl } = adapter
    const llm = { adapters: new Map([['qoder', { adapter }]]) }
    const { shim } = await world.live({ llm: () => llm })
    shim.wake()
    expect(adapter.fetchImpl('a', 'b')).toBe(7)
    expect(calls).toEqual([[adapter, 'a', 'b']])
    expect(shim.status()).toMatchObject({ portals: 1, seenRequests: 1 })
    shim.stop()
    expect(adapter.fetchImpl).toBe(fetchImpl)
  })
})

describe('a reload', () => {
  it('takes over port, patches and requests under way without cutting a connection', async () => {
    let finish: () => void = () => undefined
    const slow = await serve((_seen, res) => { res.writeHead(200); res.write('data: begun\n\n'); finish = () => { res.end('data: done\n\n') } })
    const { shim, Encryptor } = await world.live()
    const { port } = shim.status()
    const running = await post(new Encryptor(slow.url).prepareInfer(toyAsk()))
    const waiting = new Encryptor(world.upstream.url).prepareInfer(toyAsk())
    shim.stop()
    expect(new Encryptor(world.upstream.url).prepareInfer(toyAsk()).url).toContain('/algo/')
    expect((await post(waiting)).status).toBe(200)
    const next = world.make({ port })
    await next.start()
    expect(next.status()).toMatchObject({ port, effective: true, intercepted: 2 })
    expect((await post(waiting)).status).toBe(200)
    finish()
    expect(await running.text()).toBe('data: begun\n\ndata: done\n\n')
    await slow.close()
  })

  it('that never comes undoes everything', async () => {
    const { shim, Encryptor } = await world.live()
    const { port } = shim.status()
    const original = toyEncryptorClass().prototype.prepareInfer.toString()
    shim.stop()
    await expect.poll(() => SLOT_KEY in world.globals, { timeout: 3000 }).toBe(false)
    expect(Encryptor.prototype.prepareInfer.toString()).toBe(original)
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
    await settle()
  })
})

