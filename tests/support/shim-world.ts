/** A shim with toys around it, on real loopback ports, cleaned up after each test; no credential may show anywhere. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { HOOK_GLOBAL } from '../../src/host/neighbours/qoder/hook.ts'
import { createQoderShim, type QoderShim, type QoderShimOptions } from '../../src/host/neighbours/qoder/index.ts'
import { peekSlot, retire, type Globals } from '../../src/host/neighbours/qoder/slot.ts'
import { ManualTime } from './manual-time.ts'
import { keptLog, SECRET, toyEncryptorClass, toyUpstream, unscramble, type ToyRequest, type ToyServer } from './neighbours.ts'

export interface ShimWorld {
  readonly home: string
  readonly upstream: ToyServer
  readonly globals: Globals
  readonly time: ManualTime
  readonly log: ReturnType<typeof keptLog>
  /** What the shim is told about a compactor. */
  compactor: boolean
  make(change?: Partial<QoderShimOptions>): QoderShim
  /** A started shim with an encryptor that its hook handed out before. */
  live(change?: Partial<QoderShimOptions>): Promise<{ shim: QoderShim; encryptor: { prepareInfer(ask: unknown): ToyRequest }; Encryptor: ReturnType<typeof toyEncryptorClass> }>
  /** The ask that reached the upstream, decrypted. */
  asked(index?: number): { readonly history: readonly { readonly content: string }[]; readonly systemText: string; readonly userText: string }
}

/** Registers the hooks of a test file; the world is made anew before each test. */
export function shimWorld(): ShimWorld {
  const shims: QoderShim[] = []
  const world = {
    compactor: true,
    make(change: Partial<QoderShimOptions> = {}) {
      const shim = createQoderShim({
        enabled: true, port: 0, repair: false, wasmPath: null, home: world.home, time: world.time, log: world.log,
        compactor: () => world.compactor, llm: () => null, globals: world.globals, load: async () => ({}), ...change,
      })
      shims.push(shim)
      return shim
    },
    async live(change: Partial<QoderShimOptions> = {}) {
      const Encryptor = toyEncryptorClass()
      world.globals[HOOK_GLOBAL] = Encryptor
      const shim = world.make(change)
      await shim.start()
      return { shim, encryptor: new Encryptor(world.upstream.url), Encryptor }
    },
    asked: (index = 0) => JSON.parse(unscramble(world.upstream.seen[index]?.body ?? '')) as ReturnType<ShimWorld['asked']>,
  } as { -readonly [K in keyof ShimWorld]: ShimWorld[K] }

  beforeEach(async () => {
    world.home = mkdtempSync(join(tmpdir(), 'shim-'))
    world.upstream = await toyUpstream()
    world.globals = {}
    world.time = new ManualTime()
    world.log = keptLog()
    world.compactor = true
  })
  afterEach(async () => {
    for (const shim of shims.splice(0)) {
      expect(JSON.stringify(shim.status())).not.toContain(SECRET)
      shim.stop()
    }
    expect(world.log.text()).not.toContain(SECRET)
    const slot = peekSlot(world.globals)
    if (slot) retire(slot, world.globals)
    await world.upstream.close()
    rmSync(world.home, { recursive: true, force: true })
  })
  return world
}

/** Sends a prepared request as an adapter would. */
export function post({ url, headers, body }: ToyRequest, relay?: (input: string, init: { body: string; headers?: Record<string, string> }) => Promise<Response>): Promise<Response> {
  return relay ? relay(url, { headers, body }) : fetch(url, { method: 'POST', headers, body })
}
