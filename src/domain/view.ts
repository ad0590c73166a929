/** The words health and routing share: outcomes that go in, holds and tiers that come out. Types only. */
import type { FailureClass, Scope } from '../contract/failure.ts'
import type { Purpose } from '../contract/metrics.ts'
import type { Route } from '../contract/route.ts'
import type { ObstacleKind } from '../contract/status.ts'

/** 0 healthy · 1 suspect · 2 half-open · 3 capacity rest · 4 breaker or provider open. Lower is tried first. */
export type Tier = 0 | 1 | 2 | 3 | 4

/** A hard hold: the route is never picked while it stands. `until` epoch ms, null = not ended by time. */
export interface HardHold { readonly why: ObstacleKind; readonly class: FailureClass | null; readonly until: number | null }

/**
 * A soft state: where the route stands, and when that changes by time alone (epoch ms; null = not by time). A route of
 * tier 2 or 4 may only be used under a permit. `why`: `suspect`, `resting`, `open` (half-open too, told by the tier), or
 * `trial` = somebody else holds the permit until then, so the route is skipped, never waited for.
 */
export interface SoftState { readonly tier: Tier; readonly why: ObstacleKind | null; readonly until: number | null }

/**
 * What routing may ask of health at one instant. `version` grows with every change of any answer that is not caused by
 * time alone, so a plan computed for (version, instant) stays right until the smallest `until` it met.
 */
export interface HealthView {
  readonly version: number
  /** Day ledger (unless `ledger` is false), stated holds (route, provider), quarantine (route, endpoint). */
  hard(route: Route, now: number, ledger?: boolean): HardHold | null
  soft(route: Route, now: number): SoftState
}

/** What a failed request is classified as (see classify.ts), as far as health and routing need it. */
export interface Judgement {
  readonly class: FailureClass
  readonly scope: Scope
  readonly reset: number | null
  readonly rule: string
  readonly endOfLife: boolean
}

/** How one model call ended, as health hears it. Instants are epoch ms (`startedAt`/`endedAt`) beside the monotonic ones. */
export interface Outcome {
  readonly route: Route
  readonly startedAt: number
  readonly startedMono: number
  readonly endedAt: number
  readonly endedMono: number
  /** null = success. The message is stored and shown, so it must have passed the redactor. */
  readonly failure: (Judgement & { readonly code: string | null; readonly message: string | null }) | null
  /** The failure had used up host retries of this turn, step, provider and model: it weighs more. */
  readonly escaped: boolean
  /** No retry will follow inside the turn (the failure reached the end of all retries), so a day mark may be set. */
  readonly final: boolean
  readonly purpose: Purpose
  /** The permit this call was sent under (half-open or open trial), if any. */
  readonly permit: Permit | null
}

/** Leave to send one trial request on a route whose breaker is open or half-open. */
export interface Permit { readonly id: number; readonly route: Route; readonly expiresMono: number }
