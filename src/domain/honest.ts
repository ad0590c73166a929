/** The words added to an upstream error when nothing is left to try: what was tried, when something returns, what helps. */
import type { FailureClass } from '../contract/failure.ts'
import type { Route } from '../contract/route.ts'
import { beijingDay, beijingHour } from './beijing.ts'

/** Looks up a text of the locale by key and fills `{name}` places. */
export type Say = (key: string, facts?: Readonly<Record<string, string | number>>) => string

export interface HonestFacts {
  readonly tried: readonly { readonly route: Route; readonly class: FailureClass }[]
  /** The first candidate to come back, epoch ms; null = none by time alone. */
  readonly earliest: { readonly route: Route; readonly until: number } | null
  /** `ask` entries that the user could admit now. */
  readonly offers: readonly Route[]
  /** A bound other than "no candidate": hop, time or move limit. */
  readonly limit: 'hops' | 'time' | 'moves' | 'pinned' | null
  /** Every endpoint fails at once: the machine's own network, so that no model is to blame and none would help. */
  readonly outage: boolean
  readonly now: number
}

/** One paragraph for people; the upstream's own words stay in front of it. */
export function honestError(upstream: string, facts: HonestFacts, say: Say): string {
  const name = (route: Route): string => `${route.provider}/${route.model}`
  const tried = facts.tried.map((each) => `${name(each.route)} (${say(`class.${each.class}`)})`).join(' → ')
  const parts = [tried === '' ? '' : say('honest.tried', { routes: tried }), ...(facts.outage ? [say('honest.outage')] : whatHelps(facts, name, say))]
  return `${upstream}\n[Model Failover] ${parts.filter((part) => part !== '').join(' ')}`
}

function whatHelps(facts: HonestFacts, name: (route: Route) => string, say: Say): string[] {
  const parts: string[] = []
  if (facts.limit) parts.push(say(`honest.limit.${facts.limit}`))
  if (facts.earliest) {
    parts.push(say('honest.earliest', { route: name(facts.earliest.route), at: beijingClock(facts.earliest.until), in: duration(facts.earliest.until - facts.now, say) }))
  } else if (!facts.limit) parts.push(say('honest.noReturn'))
  parts.push(facts.offers.length > 0 ? say('honest.offer', { routes: facts.offers.map(name).join(', ') }) : say('honest.act'))
  return parts
}

/** Month, day, hour and minute of Beijing time. */
export function beijingClock(at: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${beijingDay(at).slice(5)} ${two(beijingHour(at))}:${two(Math.floor(at / 60_000) % 60)} (UTC+8)`
}

/** A duration in its two largest units, never less than a second. */
export function duration(ms: number, say: Say): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  const units = [['day', 86_400], ['hour', 3600], ['minute', 60], ['second', 1]] as const
  const parts: string[] = []
  let rest = seconds
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(say(`unit.${unit}`, { n: count }))
    if (parts.length === 2 || (parts.length === 1 && count === 0)) break
  }
  return parts.join(' ')
}
