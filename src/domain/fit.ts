/**
 * Whether a model can take this session's request at all, and what exactly is sent to it. Facts the host does not tell
 * are no obstacle; facts it does tell are believed.
 */
import type { Rejection } from '../contract/group.ts'
import { sameRoute, type EffortRoute, type Entry, type Route } from '../contract/route.ts'
import type { HardHold } from './view.ts'

/** What the host knows of a model: context window in tokens, accepted inputs, offered efforts. */
export interface Facts {
  readonly contextWindow: number | null
  readonly inputs: readonly string[] | null
  readonly efforts: readonly string[]
}

/** Facts of a route; null = the host does not know the model, undefined = nobody asked yet (no obstacle). */
export type FactsOf = (route: Route) => Facts | null | undefined

/**
 * What the next request of a session asks of a model. `usedTokens` = size of the history now, null = unknown.
 * `overflowed` = the history was too long for a route: that route's window (null = unknown); null = no such failure.
 */
export interface Need {
  readonly usedTokens: number | null
  readonly images: boolean
  readonly overflowed: { readonly window: number | null } | null
}

export const NO_NEED: Need = { usedTokens: null, images: false, overflowed: null }

const byFact = (why: HardHold['why']): HardHold => ({ why, class: null, until: null })

/**
 * Why a model cannot take the request, or null. The history must fit the window without any margin, because the count
 * is an estimate that tends to lie above the provider's own. After an overflow a window must exceed the one that was
 * too small, since the estimate was then too low.
 */
export function unfit(facts: Facts | null | undefined, need: Need): HardHold | null {
  if (facts === undefined) return null
  if (facts === null) return byFact('unknown-model')
  const window = facts.contextWindow
  if (window !== null) {
    if (need.usedTokens !== null && window < need.usedTokens) return byFact('too-small')
    if (need.overflowed && need.overflowed.window !== null && window <= need.overflowed.window) return byFact('too-small')
  }
  if (facts.inputs !== null && !facts.inputs.includes('image') && need.images) return byFact('no-images')
  return null
}

/**
 * The refusal of this very history by a route, or null. A refusal stands while the history is not smaller than it was;
 * with a size unknown on either side it stands until the user picks the route by hand (which drops the record).
 */
export function refusal(rejections: readonly Rejection[], route: Route, need: Pick<Need, 'usedTokens'>): HardHold | null {
  for (const rejection of rejections) {
    if (!sameRoute(rejection, route)) continue
    const shrunk = rejection.tokens !== null && need.usedTokens !== null && need.usedTokens < rejection.tokens
    if (!shrunk) return { why: 'rejected', class: rejection.class, until: null }
  }
  return null
}

/**
 * The effort to send: the entry's own, else the session's if it is to be carried over, but none that the target is known
 * not to offer, since the host refuses a request with such a one before it is sent.
 */
export function effortFor(entry: Pick<Entry, 'effort'>, facts: Facts | null | undefined, carry: { readonly effort: string | undefined; readonly strip: boolean }): string | undefined {
  if (entry.effort && (!facts || facts.efforts.includes(entry.effort))) return entry.effort
  if (carry.strip || !carry.effort) return undefined
  return facts?.efforts.includes(carry.effort) ? carry.effort : undefined
}

/** The route as it goes out; a missing effort is a missing key. */
export function outgoing(route: Route, effort: string | undefined): EffortRoute {
  return effort === undefined ? { provider: route.provider, model: route.model } : { provider: route.provider, model: route.model, effort }
}
