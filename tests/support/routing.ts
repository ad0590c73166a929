/** Groups, health and sessions for routing tests, built from what a test is about and nothing more. */
import type { Group, SessionRecord } from '../../src/contract/group.ts'
import { routeKey, type Entry, type Route } from '../../src/contract/route.ts'
import { UNBOUND, type EffectiveBinding } from '../../src/domain/binding.ts'
import { Plans } from '../../src/domain/plans.ts'
import type { Scene } from '../../src/domain/scene.ts'
import type { HardHold, HealthView, Permit, SoftState } from '../../src/domain/view.ts'

/** 2025-03-03 12:00 Beijing. */
export const NOON = Date.UTC(2025, 2, 3, 4)
export const HOUR = 3_600_000

/** `p/a` or `a` (provider `p`). */
export function at(text: string): Route {
  const [provider, model] = text.includes('/') ? text.split('/') : ['p', text]
  return { provider: provider!, model: model! }
}

export function entry(text: string, priority = 1, more: Partial<Entry> = {}): Entry {
  return { ...at(text), priority, ...more }
}

export function group(id: string, models: readonly Entry[], more: Partial<Group> = {}): Group {
  return { id, rev: 1, name: id, enabled: true, models, ...more }
}

export function record(more: Partial<SessionRecord> = {}): SessionRecord {
  return { groupId: null, mode: 'failover', pin: false, home: null, override: null, rejections: [], consents: [], seenAt: 0, ...more }
}

let made = 0

/** Health under the hand of a test. States end by the clock where they name an end. No two have versions in common. */
export class FakeHealth implements HealthView {
  version = ++made * 1_000_000
  readonly #marks = new Map<string, HardHold>()
  readonly #holds = new Map<string, HardHold>()
  readonly #soft = new Map<string, SoftState>()
  readonly #leased = new Set<string>()
  asked = 0

  bar(text: string, why: HardHold['why'] = 'failed', until: number | null = null): this {
    const holds = why === 'failed' ? this.#marks : this.#holds
    holds.set(routeKey(at(text)), { why, class: 'quota', until })
    return this.#changed()
  }

  put(text: string, tier: SoftState['tier'], until: number | null = null): this {
    const why = ([null, 'suspect', 'open', 'resting', 'open'] as const)[tier]
    this.#soft.set(routeKey(at(text)), { tier, why, until })
    return this.#changed()
  }

  heal(text: string): this {
    this.#marks.delete(routeKey(at(text)))
    this.#holds.delete(routeKey(at(text)))
    this.#soft.delete(routeKey(at(text)))
    this.#leased.delete(routeKey(at(text)))
    return this.#changed()
  }

  lease = (route: Route): Permit | null => {
    const key = routeKey(route)
    if (this.#leased.has(key)) return null
    this.#leased.add(key)
    this.#changed()
    return { id: this.#leased.size, route, expiresMono: 0 }
  }

  get leases(): number { return this.#leased.size }

  hard(route: Route, now: number, ledger = true): HardHold | null {
    this.asked++
    const key = routeKey(route)
    const all = [ledger ? this.#marks.get(key) : undefined, this.#holds.get(key)]
    return all.find((hold) => hold !== undefined && (hold.until === null || now < hold.until)) ?? null
  }

  soft(route: Route, now: number): SoftState {
    const key = routeKey(route)
    const state = this.#soft.get(key)
    if (!state || (state.until !== null && now >= state.until)) return { tier: 0, why: null, until: null }
    return this.#leased.has(key) ? { ...state, why: 'trial' } : state
  }

  #changed(): this {
    this.version++
    return this
  }
}

export function bound(groupId: string, more: Partial<EffectiveBinding> = {}): EffectiveBinding {
  return { ...UNBOUND, groupId, ...more }
}

/** A scene at noon in which all is well; `groups` and `fallbacks` make its plans. */
export function scene(more: Partial<Scene> & { readonly groups?: readonly Group[]; readonly fallbacks?: readonly Route[] } = {}): Scene {
  const { groups = [], fallbacks = [], ...rest } = more
  return {
    plans: new Plans(groups, fallbacks),
    health: new FakeHealth(),
    now: NOON,
    record: null,
    binding: UNBOUND,
    facts: () => undefined,
    usedTokens: null,
    images: false,
    rules: { probesOn: true, stripReasoningEffort: true, capacitySwitchRevertMs: 30_000 },
    ...rest,
  }
}
