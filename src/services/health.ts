/**
 * The one owner of what is known about routes: day ledger, breakers, endpoint states, stated holds, rests, local outage.
 * Calls report how they ended, routing reads a view, and everything that must survive is written behind.
 */
import type { FailedDocument, HealthDocument, HealthStatus, Mark } from '../contract/health.ts'
import type { FailureClass } from '../contract/failure.ts'
import type { Route } from '../contract/route.ts'
import type { ObstacleKind } from '../contract/status.ts'
import type { ProbeNeed } from '../domain/probe-plan.ts'
import type { HealthView, Outcome, Permit } from '../domain/view.ts'
import type { Dispose, Document, Log, Random, Time } from '../ports.ts'
import type { EmitHealth, HealthConfig } from './health-board.ts'
import { HealthService } from './health-service.ts'
import type { ProbeReport } from './health-status.ts'

export interface HealthDependencies {
  readonly time: Time
  readonly random: Random
  readonly log: Log
  /** Read at each use, so that a changed setting counts at once. */
  readonly config: () => HealthConfig
  /** ENDPOINT_HEALTH_DISABLED=1 in the environment. */
  readonly endpointHealthDisabled?: boolean
  readonly documents: { readonly failed: Document<FailedDocument>; readonly health: Document<HealthDocument> }
  /** Hash of the base URL of a provider, '' when unknown. */
  readonly endpointOf: (provider: string) => string
  /** Tells the host's context; its errors are caught and logged. */
  readonly emit: EmitHealth
}

/** A mark as the page shows it: what ends it, and when it ends at the latest (epoch ms). */
export type FailedMark = Mark & { readonly clears: 'day' | 'evidence'; readonly until: number }

/** The first of some routes to become usable by time alone. */
export interface EarliestReturn { readonly route: Route; readonly until: number; readonly why: ObstacleKind; readonly class: FailureClass | null }

export interface Health {
  /** Looks at the clocks and gives the view for one decision. The object is always the same. */
  view(): HealthView
  /** A live model call ended: the only way in for anything that is no probe. Never throws. */
  observe(outcome: Outcome): void
  /** A probe ended; `purpose` of the outcome is `probe`. */
  observeProbe(outcome: Outcome): void
  /** The permit for one trial call, null while somebody else holds it. Tiers 2 and 4 need one, other routes get one too. */
  lease(route: Route): Permit | null
  /** Gives a permit back whose call never went out or said nothing. One that is over is ignored. */
  release(permit: Permit): void
  /** Whether a call of this route must be sent under a permit now. */
  needsPermit(route: Route): boolean
  /** Marks a route failed by hand. Rejects, and changes nothing, when the ledger cannot be written. */
  markManual(route: Route): Promise<void>
  /** Clears the mark of one route, or (null) all marks, whatever set them. Rejects as above. */
  restore(route: Route | null): Promise<void>
  failed(): readonly FailedMark[]
  /** A turn succeeded whose last call of this route began at `startedAt` (epoch ms). */
  turnSucceeded(route: Route, startedAt: number): void
  /** The credentials of a provider changed: its auth hold and auth marks end. */
  credentialChanged(provider: string): void
  /** Adapters or base URLs changed: holds of class local end, states of a former base URL too. */
  registryChanged(): void
  /** A route is full: rests until that instant (epoch ms), by default for `capacityCooldownMs`. Never shortens a rest. */
  rest(route: Route, until?: number): void
  usageDay(): { readonly day: string; readonly endsAt: number }
  /** Earliest instant at which time alone lets one of these routes in; routes that are not barred do not count. */
  earliestReturn(routes: readonly Route[]): EarliestReturn | null
  status(probes?: ProbeReport): HealthStatus
  /** What the probe scheduler works on: routes that probes may help, and the routes to ask during a local outage. */
  probeNeeds(): readonly ProbeNeed[]
  outage(): { readonly since: number; readonly routes: readonly Route[] } | null
  /** Runs after each change of an answer that time alone does not explain. */
  subscribe(listener: () => void): Dispose
  /** Ends the heartbeat and writes what is pending. */
  close(): Promise<void>
}


/** Reads what the documents remember and starts the heartbeat that notices sleep. The owner calls `close` in the end. */
export function createHealth(parts: HealthDependencies): Health {
  return new HealthService(parts)
}
