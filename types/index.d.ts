// What a program that imports the plugin's main entry sees, and the events it may listen to on the host's context.

/** The name of the plugin's row. */
export declare const name: 'model-failover'

/** Services the host half waits for. */
export declare const inject: readonly string[]

/** Mounts the plugin on a host context; `row` is the row's config. Never throws. */
export declare function apply(ctx: unknown, row?: unknown): void | Promise<void>

/** One model of one provider. */
export interface Route {
  readonly provider: string
  readonly model: string
}

/** A circuit breaker opened or closed. At level `platform` the whole provider is meant, and `model` is the one that decided it ('' = only time did). */
export interface CircuitEvent extends Route {
  readonly level: 'model' | 'platform'
}

/** A request of a session went out on another route than the one before, away from home or back to it. `from` is null when no route was known. */
export interface FailoverEvent {
  readonly from: Route | null
  readonly to: Route
  /** Id of the agent, which is the id of its session. */
  readonly agentId: string
}

/** A background probe ended. `message` is the upstream's, when it failed. */
export interface ProbeEvent extends Route {
  readonly ok: boolean
  readonly message?: string
}

export type EndpointState = 'healthy' | 'suspect' | 'quarantined'

/** The health of a route (with `model`) or of a whole endpoint changed. `endpoint` is a hash of the base URL, '' where the host does not tell it. */
export interface EndpointEvent {
  readonly provider: string
  readonly endpoint: string
  readonly model?: string
  readonly from: EndpointState
  readonly to: EndpointState
}

/** Every event of the plugin, by its name on the context. */
export interface ModelFailoverEvents {
  'model-failover/circuit-opened'(event: CircuitEvent): void
  'model-failover/circuit-closed'(event: CircuitEvent): void
  'model-failover/failover'(event: FailoverEvent): void
  'model-failover/probe'(event: ProbeEvent): void
  'model-failover/endpoint-changed'(event: EndpointEvent): void
}

// Outside of a host there is no such module; a declaration file may extend one that cannot be found.
declare module '@deepseek-ai/cordis' {
  interface Events extends ModelFailoverEvents {}
}
