/** The probe scheduler over a health world; each probe answers at once what the test put down for its route. */
import type { FailureClass } from '../../src/contract/failure.ts'
import { routeKey } from '../../src/contract/route.ts'
import { createProbes, type Probes } from '../../src/services/probe.ts'
import type { ProbeCall, ProbeReply } from '../../src/services/probe-call.ts'
import { HealthWorld, quiet, type WorldOptions } from './health.ts'

export interface Asked { readonly at: number; readonly key: string; readonly maxTokens: number }

export function reply(failure: FailureClass | null, more: Partial<ProbeReply> & { readonly reset?: number } = {}): ProbeReply {
  const { reset, ...rest } = more
  return {
    ok: failure === null, conclusive: true, tokens: failure === null ? 20 : 0,
    failure: failure === null ? null : { class: failure, scope: 'route', reset: reset ?? null, rule: 'test', endOfLife: false, code: null, message: failure },
    ...rest,
  }
}

export class ProbeWorld {
  readonly asked: Asked[] = []
  readonly answers = new Map<string, ProbeReply | Promise<ProbeReply>>()
  /** What every route answers for which nothing was put down. */
  usual: ProbeReply = reply('server')
  wanted: (key: string) => boolean = () => true
  readonly probes: Probes

  constructor(world: HealthWorld, call?: ProbeCall) {
    this.probes = createProbes({
      time: world.time, random: () => world.u(), log: quiet, config: () => world.config, health: world.health, emit: world.emit,
      wanted: (route) => this.wanted(routeKey(route)),
      call: async (route, maxTokens, signal) => {
        const key = routeKey(route)
        this.asked.push({ at: world.time.mono(), key, maxTokens })
        return call ? call(route, maxTokens, signal) : (this.answers.get(key) ?? this.usual)
      },
    })
  }

  /** Gaps between the probes of a route, in minutes, counted from `since` (steady clock). */
  gaps(key: string, since: number): number[] {
    const times = this.asked.filter((one) => one.key === key).map(({ at }) => at)
    return times.map((at, n) => Math.round((at - (times[n - 1] ?? since)) / 6000) / 10)
  }

  /** Route and second of each probe, counted from `since` (steady clock). */
  seconds(since: number): string[] {
    return this.asked.map(({ at, key }) => `${key} ${Math.round((at - since) / 1000)}`)
  }
}

/** Worlds with a scheduler that are closed together after a test. */
export class ProbeWorlds {
  readonly #open: ProbeWorld[] = []

  begin(options: WorldOptions = {}, call?: ProbeCall): { world: HealthWorld; probing: ProbeWorld } {
    const world = new HealthWorld(options)
    return { world, probing: this.over(world, call) }
  }

  /** A scheduler of its own over a world that has been there before, after a restart say. */
  over(world: HealthWorld, call?: ProbeCall): ProbeWorld {
    const probing = new ProbeWorld(world, call)
    this.#open.push(probing)
    return probing
  }

  async close(): Promise<void> {
    for (const probing of this.#open.splice(0)) await probing.probes.close()
  }
}

/** A call that never answers by itself, and tells how many of its kind are under way. */
export function hanging(): { call: ProbeCall; running: () => number; most: () => number; finish: (one?: ProbeReply) => void } {
  const waiting: ((one: ProbeReply) => void)[] = []
  let most = 0
  return {
    call: () => new Promise((resolve) => { waiting.push(resolve); most = Math.max(most, waiting.length) }),
    running: () => waiting.length, most: () => most,
    finish: (one = reply(null)) => waiting.shift()?.(one),
  }
}
