/**
 * The states of all routes and providers, and the one way each may be replaced: with its event, its log line and a note
 * of what has to be written. Decides nothing; see health-outcomes.ts.
 */
import type { Hold } from '../contract/health.ts'
import type { Route } from '../contract/route.ts'
import type { InstantRange } from '../domain/beijing.ts'
import { CLOSED, type Breaker } from '../domain/breaker.ts'
import { endpointState, HEALTHY, type Endpoint } from '../domain/endpoint.ts'
import { anyOpen, freshProvider, freshRoute, openCauses, type ProviderState, type RouteState } from '../domain/health.ts'
import { opensProvider } from '../domain/breaker-provider.ts'
import { addHold, endHolds, reclamped } from '../domain/holds.ts'
import { broughtBack, type Marked, type Moment } from '../domain/ledger.ts'
import { extendRest } from '../domain/rest.ts'
import type { Config } from '../contract/config.ts'
import type { Log } from '../ports.ts'

/** The part of the row config that health reads. */
export type HealthConfig = Pick<Config,
  | 'enabled' | 'endpointHealth' | 'enableProbe' | 'failResetHour' | 'tripCodes' | 'modelCircuitThreshold' | 'modelCooldownMs'
  | 'platformCircuitThreshold' | 'platformCooldownMs' | 'burstWindowMs' | 'probeMaxTokens' | 'endpoint_suspect_threshold'
  | 'endpoint_quarantine_threshold' | 'endpoint_probe_interval_ms' | 'ledgerRecovery' | 'ledgerEvidenceGapMs' | 'capacityCooldownMs'>

type EndpointWord = 'healthy' | 'suspect' | 'quarantined'

/** Events on the host's context, without their prefix. */
export interface HealthEvents {
  'circuit-opened': { readonly provider: string; readonly model: string; readonly level: 'model' | 'platform' }
  'circuit-closed': { readonly provider: string; readonly model: string; readonly level: 'model' | 'platform' }
  'endpoint-changed': { readonly provider: string; readonly endpoint: string; readonly model?: string; readonly from: EndpointWord; readonly to: EndpointWord }
  probe: { readonly provider: string; readonly model: string; readonly ok: boolean; readonly message?: string }
}
export type EmitHealth = <K extends keyof HealthEvents>(event: K, data: HealthEvents[K]) => void

export interface BoardParts {
  readonly config: () => HealthConfig
  readonly endpointOf: (provider: string) => string
  readonly log: Log
  readonly emit: EmitHealth
  /** Some answer has changed; `write` names the document that has to follow. */
  readonly changed: (write: 'failed' | 'health' | null) => void
}

export class Board {
  readonly providers = new Map<string, ProviderState>()
  readonly #parts: BoardParts

  constructor(parts: BoardParts) {
    this.#parts = parts
  }

  find(route: Route): RouteState | undefined {
    return this.providers.get(route.provider)?.routes.get(route.model)
  }

  /** The state of a provider, made when it is first needed. */
  provider(name: string): ProviderState {
    let provider = this.providers.get(name)
    if (!provider) {
      provider = freshProvider(name, this.#parts.endpointOf(name))
      this.providers.set(name, provider)
    }
    return provider
  }

  route(route: Route): RouteState {
    const { routes } = this.provider(route.provider)
    let state = routes.get(route.model)
    if (!state) {
      state = freshRoute(route)
      routes.set(route.model, state)
    }
    return state
  }

  /**
   * Takes over the base URL a provider has now. Another one than before makes other routes and another endpoint of its
   * models, so their breakers and endpoint states end. An unknown one ('') changes nothing.
   */
  refreshEndpoint(provider: ProviderState): void {
    const id = this.#parts.endpointOf(provider.provider)
    if (id === '' || id === provider.endpointId) return
    const moved = provider.endpointId !== ''
    provider.endpointId = id
    if (!moved) return
    provider.endpoint = HEALTHY
    provider.open = null
    for (const state of provider.routes.values()) [state.breaker, state.endpoint, state.lease] = [CLOSED, HEALTHY, null]
    this.#parts.changed('health')
  }

  setBreaker(state: RouteState, next: Breaker, mono: number): void {
    if (next === state.breaker) return
    const [from, to] = [state.breaker.at, next.at]
    state.breaker = next
    if (from === 'closed' && to === 'closed') return
    const { provider, model } = state.route
    if (to === 'open') {
      this.#parts.log.warn('circuit of %s/%s open for %d s', provider, model, Math.round(((next.at === 'open' ? next.until : mono) - mono) / 1000))
      if (from === 'closed') this.#parts.emit('circuit-opened', { provider, model, level: 'model' })
    } else {
      this.#parts.log.info('circuit of %s/%s closed', provider, model)
      this.#parts.emit('circuit-closed', { provider, model, level: 'model' })
    }
    this.#parts.changed(null)
  }

  /** Opens the provider when enough of its models are open; `by` = the failure that opened the last one. */
  judgeProvider(provider: ProviderState, opener: { readonly model: string; readonly by: number }, mono: number): void {
    const { platformCircuitThreshold, platformCooldownMs } = this.#parts.config()
    if (provider.open && mono < provider.open.until) return
    if (!opensProvider(openCauses(provider, mono), platformCircuitThreshold)) return
    provider.open = { since: mono, until: mono + platformCooldownMs, by: opener.by }
    this.#parts.log.warn('circuit of provider %s open for %d s', provider.provider, Math.round(platformCooldownMs / 1000))
    this.#parts.emit('circuit-opened', { provider: provider.provider, model: opener.model, level: 'platform' })
    this.#parts.changed(null)
  }

  /** Ends a provider's opening that ran out, or that no open model supports any more, or that is taken back. */
  settleProvider(provider: ProviderState, model: string, ended: boolean): void {
    if (!provider.open || !(ended || !anyOpen(provider))) return
    provider.open = null
    this.#parts.emit('circuit-closed', { provider: provider.provider, model, level: 'platform' })
    this.#parts.changed(null)
  }

  /** Replaces the health of an endpoint (`state` null) or of a route. */
  setEndpoint(provider: ProviderState, state: RouteState | null, next: Endpoint, mono: number): void {
    const held = state ?? provider
    const old = held.endpoint
    if (next === old) return
    held.endpoint = next
    const [from, to] = [endpointState(old, mono), endpointState(next, mono)]
    if (from !== to) {
      const where = { provider: provider.provider, endpoint: provider.endpointId, ...(state ? { model: state.route.model } : {}) }
      this.#parts.log.warn('%s is %s (was %s)', state ? `${provider.provider}/${state.route.model}` : `endpoint of ${provider.provider}`, to, from)
      this.#parts.emit('endpoint-changed', { ...where, from, to })
    }
    if (old.at !== 'healthy' || next.at !== 'healthy') this.#parts.changed('health')
  }

  hold(hold: Hold, moment: Moment): void {
    const held = hold.model === null ? this.provider(hold.provider) : this.route({ provider: hold.provider, model: hold.model })
    const next = addHold(held.holds, hold, moment.now)
    if (next === held.holds) return
    held.holds = next
    this.#parts.log.warn('%s is held for %d s (%s)', hold.model === null ? hold.provider : `${hold.provider}/${hold.model}`, Math.round((hold.until - moment.now) / 1000), hold.class)
    this.#parts.changed('health')
  }

  /** Ends all holds of a class, of one provider or of all of them. */
  endHolds(ended: Hold['class'], provider: string | null): void {
    let any = false
    for (const one of this.providers.values()) {
      if (provider !== null && one.provider !== provider) continue
      for (const held of [one, ...one.routes.values()]) {
        const next = endHolds(held.holds, ended)
        any ||= next !== held.holds
        held.holds = next
      }
    }
    if (any) this.#parts.changed('health')
  }

  /** After the wall clock was set: no hold lasts longer than it could have, no mark belongs to a day to come. */
  reclamp(now: number, today: InstantRange): void {
    for (const one of this.providers.values()) {
      for (const held of [one, ...one.routes.values()]) held.holds = held.holds.flatMap((hold) => reclamped(hold, now) ?? [])
      for (const state of one.routes.values()) if (state.marked) state.marked = broughtBack(state.marked, now, today)
    }
  }

  rest(state: RouteState, until: number): void {
    const next = extendRest(state.restUntil, until)
    if (next === state.restUntil) return
    state.restUntil = next
    this.#parts.changed(null)
  }

  setMark(state: RouteState, marked: Marked | null, mono: number): void {
    if (marked === state.marked) return
    state.marked = marked
    if (marked === null) state.ledgerSince = mono
    this.#parts.changed('failed')
  }

  /** Drops what time alone has ended and announces it. Nothing here changes an answer. */
  sweep(mono: number): void {
    for (const provider of this.providers.values()) {
      if (provider.open && mono >= provider.open.until) this.settleProvider(provider, '', true)
      for (const state of provider.routes.values()) {
        if (state.lease && mono >= state.lease.until) state.lease = null
      }
    }
  }
}
