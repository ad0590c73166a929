/**
 * Finds the encryptors, replaces their method and opens the port; goes on looking for a late one for about ten minutes,
 * and afterwards only when asked. All that it found can be read, nothing of it is changed from outside.
 */
import type { Dispose, Log, Time } from '../../../ports.ts'
import { checkBundle, findBundles, findCodecs, type Checked } from './copies.ts'
import { listen } from './listen.ts'
import { claim, isEncryptor, openSlot, patch, peekSlot, release, type Globals, type Implementation, type Slot } from './slot.ts'
import { exportedEncryptor, liveEncryptor, moduleUrls } from './targets.ts'
import { codeOf } from './upstream.ts'

/** Distance of two looks for a late encryptor, in ms, and how many there are (about ten minutes). */
export const ADOPT_TICK_MS = 1500
export const ADOPT_TICKS = 400
/** Least distance of two tries to listen, in ms. */
const LISTEN_RETRY_MS = 60_000

export interface AdoptionParts {
  readonly port: number
  readonly repair: boolean
  readonly wasmPath: string | null
  readonly home: string
  readonly time: Time
  readonly log: Log
  readonly globals: Globals
  load(url: string): Promise<unknown>
  /** Made once, when the first target is found. */
  implementation(slot: Slot): Implementation
  /** Called at each look once something is patched. */
  patched(): void
}

export class Adoption {
  readonly #parts: AdoptionParts
  readonly #owner = Symbol('qoder shim')
  #slot: Slot | null = null
  #copies: readonly Checked[] = []
  #codecs: readonly string[] = []
  #ticks = 0
  #cancelTick: Dispose | null = null
  #stopped = false
  #listening: Promise<void> | null = null
  #triedAt = Number.NEGATIVE_INFINITY
  #portProblem: string | null = null
  #problem: string | null = null

  constructor(parts: AdoptionParts) { this.#parts = parts }

  get slot(): Slot | null { return this.#slot }
  get copies(): readonly Checked[] { return this.#copies }
  get codecs(): readonly string[] { return this.#codecs }
  get ticks(): number { return this.#ticks }
  get portProblem(): string | null { return this.#portProblem }
  get problem(): string | null { return this.#problem }
  get live(): unknown { return liveEncryptor(this.#parts.globals) }

  /** True when the encryptor that runs now is one of ours and the port is open. */
  get inUse(): boolean {
    const slot = this.#slot
    if (!slot || this.#stopped || slot.port === null || slot.owner !== this.#owner) return false
    const { live } = this
    if (live !== undefined && slot.adopted === live) return true
    // Without a bundle the codec file is the encryptor; a request that came through one is proof in any case.
    return slot.patches.size > 0 && (slot.counters.intercepted > 0 || (this.#copies.length === 0 && live === undefined))
  }

  /** The first look: files, then what is loaded. Never rejects. */
  async start(): Promise<void> {
    const { home, wasmPath, repair, log } = this.#parts
    // A former load's slot is taken at once; the search below may take longer than its grace period.
    if (peekSlot(this.#parts.globals)) this.#take()
    try {
      const [bundles, codecs] = await Promise.all([findBundles(home), findCodecs(home, wasmPath)])
      if (wasmPath !== null && codecs.length === 0) this.#problem = 'qoderShimWasmPath names no file'
      const checked: Checked[] = []
      for (const copy of bundles) checked.push(await checkBundle(copy, repair))
      this.#copies = checked
      this.#codecs = codecs
      for (const { scope, state, detail } of checked) if (state !== 'ok') log.warn('qoder shim: the bundle of %s is %s: %s', scope, state, detail)
      await this.#loadCodecs()
      this.look()
      await this.#listening
    } catch (error) { this.#problem = `the search for encryptors failed (${codeOf(error)})` }
  }

  /** Looks now and, while one may still come, again later. */
  look(): void {
    if (this.#stopped) return
    this.#adopt()
    if (this.#slot && this.#slot.patches.size > 0) {
      this.#parts.patched()
      this.#open(this.#slot)
    }
    if (this.#cancelTick || this.#ticks >= ADOPT_TICKS || this.#slot?.adopted || this.#copies.length + this.#codecs.length === 0) return
    this.#cancelTick = this.#parts.time.after(ADOPT_TICK_MS, () => {
      this.#cancelTick = null
      this.#ticks++
      this.look()
    })
  }

  stop(): void {
    this.#stopped = true
    this.#cancelTick?.()
    this.#cancelTick = null
    if (this.#slot) release(this.#slot, this.#owner, this.#parts.globals)
  }

  #take(): Slot {
    if (this.#slot) return this.#slot
    const slot = openSlot(this.#parts.globals)
    this.#slot = slot
    claim(slot, this.#owner, this.#parts.implementation(slot))
    return slot
  }

  #adopt(): void {
    const { live } = this
    if (live === undefined || !isEncryptor(live) || this.#slot?.adopted === live) return
    const slot = this.#take()
    if (slot.adopted === live) return
    if (!patch(slot, 'pack:__mfQoderEncryptor', live)) { this.#problem = 'the encryptor in use cannot be changed'; return }
    slot.adopted = live
    slot.adoptedAt = this.#parts.time.now()
    this.#parts.log.info('qoder shim: adopted the encryptor in use after %d looks', this.#ticks)
  }

  async #loadCodecs(): Promise<void> {
    for (const url of this.#codecs.flatMap(moduleUrls)) {
      try {
        const encryptor = exportedEncryptor(await this.#parts.load(url))
        if (this.#stopped) return
        if (!isEncryptor(encryptor)) this.#problem = 'qoder-wasm.js exports no class that prepares requests'
        else if (!patch(this.#take(), `wasm:${url}`, encryptor)) this.#problem = 'the class of qoder-wasm.js cannot be changed'
      } catch (error) { this.#problem = `qoder-wasm.js cannot be loaded (${codeOf(error)})` }
    }
  }

  #open(slot: Slot): void {
    const { port, time, log } = this.#parts
    if (this.#listening || (slot.server?.listening && (port === 0 || slot.port === port))) return
    if (time.mono() - this.#triedAt < LISTEN_RETRY_MS) return
    this.#triedAt = time.mono()
    this.#listening = listen(slot, port).then((failed) => {
      this.#portProblem = failed
      if (failed !== null) log.warn('qoder shim: %s', failed)
      if (this.#stopped && slot.owner === null && !slot.grace) slot.server?.close()
    }).finally(() => { this.#listening = null })
  }
}
