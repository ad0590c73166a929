/** A health service under the hand of a test: manual time, documents in memory, calls that end as the test says. */
import { configSchema, type Config } from '../../src/contract/config.ts'
import type { FailureClass, Scope } from '../../src/contract/failure.ts'
import type { FailedDocument, HealthDocument } from '../../src/contract/health.ts'
import type { Purpose } from '../../src/contract/metrics.ts'
import type { Entry, Route } from '../../src/contract/route.ts'
import { pick, type Asker } from '../../src/domain/pick.ts'
import { Plans } from '../../src/domain/plans.ts'
import type { HardHold, Outcome, Permit, SoftState } from '../../src/domain/view.ts'
import type { Document, Log } from '../../src/ports.ts'
import type { EmitHealth } from '../../src/services/health-board.ts'
import { createHealth, type Health } from '../../src/services/health.ts'
import { ManualTime } from './manual-time.ts'

export const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** A document in memory; `fail` makes the next `replace` reject. */
export class MemoryDocument<T> implements Document<T> {
  value: T
  readonly readOnly = false
  writes = 0
  fail = false

  constructor(value: T) { this.value = value }

  async replace(next: T): Promise<void> {
    await Promise.resolve()
    if (this.fail) throw new Error('the disk is full')
    this.set(next)
  }

  set(next: T): void {
    this.value = next
    this.writes += 1
  }

  async flush(): Promise<void> {}
}

/** `provider/model` as a route; without a slash the provider is `p`. */
export function route(text: string): Route {
  const slash = text.indexOf('/')
  return slash < 0 ? { provider: 'p', model: text } : { provider: text.slice(0, slash), model: text.slice(slash + 1) }
}

/** How a call ends. `took` = its length in ms, `ago` = how long before now it ended. */
export interface Ending {
  readonly escaped?: boolean
  readonly final?: boolean
  readonly reset?: number | null
  readonly scope?: Scope
  readonly endOfLife?: boolean
  readonly code?: string | null
  readonly message?: string | null
  readonly purpose?: Purpose
  readonly permit?: Permit | null
  readonly took?: number
}

export interface WorldOptions {
  readonly config?: Partial<Config>
  readonly start?: number
  readonly u?: () => number
  readonly endpoints?: Record<string, string>
  readonly endpointHealthDisabled?: boolean
}

export class HealthWorld {
  readonly time: ManualTime
  readonly failed = new MemoryDocument<FailedDocument>({ version: 1, day: '1970-01-01', marks: [] })
  readonly stored = new MemoryDocument<HealthDocument>({ version: 1, holds: [], endpoints: [] })
  readonly events: string[] = []
  readonly endpoints: Record<string, string>
  config: Config
  u: () => number
  health: Health
  readonly #disabled: boolean

  constructor(options: WorldOptions = {}) {
    this.time = new ManualTime(options.start)
    this.config = { ...configSchema.parse({}), ...options.config }
    this.u = options.u ?? (() => 0)
    this.endpoints = options.endpoints ?? {}
    this.#disabled = options.endpointHealthDisabled ?? false
    this.health = this.#boot()
  }

  readonly emit: EmitHealth = (event, data) => { this.events.push(`${event} ${Object.values(data).join(' ')}`) }

  #boot(): Health {
    return createHealth({
      time: this.time, random: () => this.u(), log: quiet, config: () => this.config, endpointHealthDisabled: this.#disabled,
      documents: { failed: this.failed, health: this.stored }, endpointOf: (provider) => this.endpoints[provider] ?? '', emit: this.emit,
    })
  }

  /** The host stops and starts again; what was not written is gone. `down` ms pass in between. */
  async restart(down = 0): Promise<void> {
    await this.health.close()
    this.time.advance(down)
    this.health = this.#boot()
  }

  outcome(text: string, failure: Outcome['failure'], ending: Ending): Outcome {
    const took = ending.took ?? 0
    return {
      route: route(text), failure, startedAt: this.time.now() - took, endedAt: this.time.now(),
      startedMono: this.time.mono() - took, endedMono: this.time.mono(),
      escaped: ending.escaped ?? false, final: ending.final ?? true, purpose: ending.purpose ?? 'chat', permit: ending.permit ?? null,
    }
  }

  fail(text: string, failure: FailureClass, ending: Ending = {}): void {
    const judged = {
      class: failure, scope: ending.scope ?? 'route', reset: ending.reset ?? null, rule: 'test', endOfLife: ending.endOfLife ?? false,
      code: ending.code ?? null, message: ending.message ?? null,
    }
    const outcome = this.outcome(text, judged, ending)
    if (outcome.purpose === 'probe') this.health.observeProbe(outcome)
    else this.health.observe(outcome)
  }

  ok(text: string, ending: Ending = {}): void {
    const outcome = this.outcome(text, null, ending)
    if (outcome.purpose === 'probe') this.health.observeProbe(outcome)
    else this.health.observe(outcome)
  }

  hard(text: string): HardHold | null {
    return this.health.view().hard(route(text), this.time.now())
  }

  soft(text: string): SoftState {
    return this.health.view().soft(route(text), this.time.now())
  }

  /** Milliseconds until the clock alone changes the soft state, null when it does not. */
  softLeft(text: string): number | null {
    const { until } = this.soft(text)
    return until === null ? null : Math.round(until - this.time.now())
  }

  /** `healthy`, or what `/status` says of the endpoint record of a route (with model) or an endpoint. */
  endpoint(provider: string, model: string | null): string {
    const record = this.health.status().endpoints.find((one) => one.provider === provider && one.model === model)
    return record?.state ?? 'healthy'
  }

  breaker(text: string): { readonly state: string; readonly opens: number; readonly until: number | null } | null {
    const { provider, model } = route(text)
    return this.health.status().breakers.find((one) => one.level === 'model' && one.provider === provider && one.model === model) ?? null
  }

  marks(): string[] {
    return this.health.failed().map((mark) => `${mark.provider}/${mark.model}`)
  }
}

/** What one asker gets of a group with these routes in this order of priority. */
export function picker(world: HealthWorld, ...routes: readonly string[]) {
  const models: Entry[] = routes.map((text, index) => ({ ...route(text), priority: index + 1 }))
  const plan = new Plans([{ id: 'g', rev: 1, name: 'g', enabled: true, models }]).group('g')!
  return (visited: readonly string[] = [], asker: Partial<Asker> = {}) => {
    const choice = pick(plan, world.health.view(), world.time.now(), {
      automatic: true, probesOn: true, lease: (one) => world.health.lease(one),
      exclude: ({ entry }) => (visited.includes(entry.model) ? { why: 'visited', class: null, until: null } : null), ...asker,
    })
    return choice && { model: choice.option.entry.model, tier: choice.tier, permit: choice.permit }
  }
}

/** Opens the breaker of a route by two failures that had used up their retries. Leaves no day mark. */
export function openBreaker(world: HealthWorld, text: string, failure: FailureClass = 'server'): void {
  for (let n = 0; n < 2; n++) world.fail(text, failure, { escaped: true, final: false })
}
