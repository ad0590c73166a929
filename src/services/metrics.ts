/** The samples of all model calls: booking them, the dashboard's reply over any range of days, and their export. */
import type { FailureClass } from '../contract/failure.ts'
import type { Group } from '../contract/group.ts'
import type { Hold, Mark } from '../contract/health.ts'
import type { MetricRow, MetricsReply, Purpose, Sample } from '../contract/metrics.ts'
import { parseRouteKey, routeKey, type Route } from '../contract/route.ts'
import { dayNumber, parseDay } from '../domain/beijing.ts'
import { standingHold } from '../domain/holds.ts'
import { errorInDisguise } from '../domain/in-band.ts'
import { rowStateOf } from '../domain/row-state.ts'
import { sampleOf, USAGE_HABIT, usageRun } from '../domain/speed.ts'
import { addUpFigures, quantiles, reported, seriesOf, Sum, type Totals } from '../domain/summary.ts'
import { addFigures, FIGURE, readable, Tally } from '../domain/tally.ts'
import type { HostFailure, SampleStore, Time } from '../ports.ts'
import type { CallEnd } from './call-end.ts'
import type { Concurrency, LiveCount } from './concurrency.ts'

/** One ended call with the class its failure was given (null = success or cancelled). */
export interface EndedCall {
  readonly route: Route
  readonly endpoint: string
  readonly purpose: Purpose
  readonly end: CallEnd
  readonly verdict: { readonly class: FailureClass } | null
}

export interface MetricsDeps {
  readonly time: Time
  readonly samples: SampleStore
  readonly groups: () => readonly Group[]
  readonly concurrency: Pick<Concurrency, 'count' | 'live'>
  /** Day marks that stand now; `until` epoch ms. */
  readonly marks: () => readonly (Mark & { readonly until: number })[]
  /** Stated holds of routes and providers. */
  readonly holds: () => readonly Hold[]
  /** Capacity rests that run now; `until` epoch ms. */
  readonly rests: () => readonly (Route & { readonly until: number })[]
  /** End of the quarantine of a route or its endpoint, epoch ms; null = none. */
  readonly quarantined: (route: Route, now: number) => number | null
}

/** Beijing days, YYYY-MM-DD, both included; null, and anything that is no real date, = no bound. */
export interface DayRange { readonly since: string | null; readonly until: string | null }

export interface Metrics {
  /** Books one call; returns its sample. Never throws. */
  record(call: EndedCall): Sample
  /** The rule by which a short answer of this route may be an error; null while the route is not known to report usage always. */
  inBandRule(route: Route): ((text: string) => HostFailure | null) | null
  /** Epoch ms of the last success of any call of a provider since the start; null = none. */
  lastSuccess(provider: string): number | null
  /** Waits for the disk to have been read, then answers. */
  query(range: DayRange): Promise<MetricsReply>
  /** The answer with what is in memory now. */
  reply(range: DayRange): MetricsReply
  exportLines(range: DayRange): AsyncIterable<string>
}

export function createMetrics(deps: MetricsDeps): Metrics {
  return new MetricsService(deps)
}

class MetricsService implements Metrics {
  readonly #deps: MetricsDeps
  readonly #usageRuns = new Map<string, number>()
  readonly #lastSuccess = new Map<string, number>()
  readonly #sum = new Sum()
  #sealedLifetime = new Map<string, Float64Array>()
  #sealedEpoch = -1

  constructor(deps: MetricsDeps) { this.#deps = deps }

  record({ route, endpoint, purpose, end, verdict }: EndedCall): Sample {
    const sample = sampleOf({
      route, endpoint, purpose, at: end.endedAt, cancelled: end.cancelled,
      failure: end.failure ? { class: verdict?.class ?? 'unknown', code: end.failure.code, message: end.failure.message } : null,
      usage: end.usage, waitMs: end.waitMs, ttftMs: end.ttftMs, outputMs: end.outputMs,
    })
    const key = routeKey(route)
    this.#usageRuns.set(key, usageRun(this.#usageRuns.get(key) ?? 0, sample))
    if (sample.outcome === 'ok') this.#lastSuccess.set(route.provider, sample.at)
    this.#deps.samples.add(sample)
    return sample
  }

  inBandRule(route: Route): ((text: string) => HostFailure | null) | null {
    return (this.#usageRuns.get(routeKey(route)) ?? 0) >= USAGE_HABIT ? errorInDisguise : null
  }

  lastSuccess(provider: string): number | null { return this.#lastSuccess.get(provider) ?? null }

  async query(range: DayRange): Promise<MetricsReply> {
    await this.#deps.samples.ready
    return this.reply(range)
  }

  reply(range: DayRange): MetricsReply {
    const { samples, time } = this.#deps
    const { since, until } = bounds(range)
    const now = time.now()
    const all = samples.days()
    const days = all.filter(({ day }) => (since === null || day >= since) && (until === null || day <= until))
    const { unit, points } = seriesOf(days, since, until, dayNumber(now))
    return {
      since: since === null ? null : range.since, until: until === null ? null : range.until,
      rows: this.#rows(this.#sum.of(days), now), series: [...points], unit,
    }
  }

  exportLines(range: DayRange): AsyncIterable<string> {
    const { since, until } = bounds(range)
    return this.#deps.samples.lines(since, until)
  }

  #rows(totals: ReadonlyMap<string, Totals>, now: number): MetricRow[] {
    const { groups, marks, rests, holds } = this.#deps
    const places = placesOf(groups())
    const lifetime = this.#lifetime()
    const failed = new Map(marks().map((mark) => [routeKey(mark), mark]))
    const resting = new Map(rests().filter(({ until }) => until > now).map((rest) => [routeKey(rest), rest.until]))
    const heldBy = new Map<string, Hold[]>()
    for (const hold of holds()) heldBy.set(hold.provider, [...(heldBy.get(hold.provider) ?? []), hold])
    return inOrder(places, totals, this.#deps.concurrency.live()).flatMap((key) => {
      const route = parseRouteKey(key)
      if (!route) return []
      const live = this.#deps.concurrency.count(route)
      return [this.#row(route, totals.get(key), now, {
        groups: places.get(key) ?? [], lifetime: lifetime(key), mark: failed.get(key) ?? null, live,
        hold: standingHold((heldBy.get(route.provider) ?? []).filter(({ model }) => model === null || model === route.model), now),
        restUntil: resting.get(key) ?? null, quarantinedUntil: this.#deps.quarantined(route, now),
      })]
    })
  }

  #row(route: Route, totals: Totals | undefined, now: number, facts: RowFacts): MetricRow {
    const { figures } = totals ?? {}
    const { lifetime, live, mark, hold, restUntil } = facts
    const disabled = facts.groups.length > 0 && facts.groups.every((place) => place.disabled)
    // A hold of the whole provider also bars models none of whose own calls failed: its reason is all there is to tell then.
    const error = mark ? { code: mark.code, message: readable(mark.reason) } : totals?.error ?? (hold && { code: null, message: readable(hold.reason) })
    return {
      provider: route.provider, model: route.model, groups: [...facts.groups],
      samples: figures?.[FIGURE.samples] ?? 0, rated: figures?.[FIGURE.rated] ?? 0, successes: figures?.[FIGURE.successes] ?? 0,
      ttft: quantiles(totals, 'ttft'), speed: quantiles(totals, 'speed'), wait: quantiles(totals, 'wait'),
      inTokens: reported(figures, 'in'), outTokens: reported(figures, 'out'), cacheReadTokens: reported(figures, 'cacheRead'), cacheWriteTokens: reported(figures, 'cacheWrite'),
      tokenSamples: figures?.[FIGURE.tokenSamples] ?? 0,
      lifetimeInTokens: reported(lifetime, 'in'), lifetimeOutTokens: reported(lifetime, 'out'),
      lifetimeCacheReadTokens: reported(lifetime, 'cacheRead'), lifetimeCacheWriteTokens: reported(lifetime, 'cacheWrite'),
      lifetimeTokenSamples: lifetime?.[FIGURE.tokenSamples] ?? 0, lifetimeSamples: lifetime?.[FIGURE.samples] ?? 0,
      probeTokens: figures?.[FIGURE.probeTokens] ?? 0,
      lastErrorCode: error?.code ?? null, lastErrorMessage: error?.message ?? null, lastUsedAt: instant(figures?.[FIGURE.lastUsedAt]),
      limit: live.limit, effectiveLimit: live.effectiveLimit, running: live.running, queued: live.queued,
      restMs: restUntil === null ? 0 : restUntil - now, ...rowStateOf({ ...facts, disabled }),
    }
  }

  /** Figures over all days: the sealed parts are added up once, those still growing each time. */
  #lifetime(): (key: string) => Float64Array | undefined {
    const { samples } = this.#deps
    const parts = samples.days().flatMap((day) => day.parts)
    if (this.#sealedEpoch !== samples.epoch) {
      this.#sealedLifetime = addUpFigures(parts.filter((part) => !(part instanceof Tally)))
      this.#sealedEpoch = samples.epoch
    }
    const growing = addUpFigures(parts.filter((part): part is Tally => part instanceof Tally))
    return (key) => {
      const [sealed, grown] = [this.#sealedLifetime.get(key), growing.get(key)]
      if (!sealed || !grown) return sealed ?? grown
      const both = Float64Array.from(sealed)
      addFigures(both, grown, 0)
      return both
    }
  }
}

interface RowFacts {
  readonly groups: readonly Place[]
  readonly lifetime: Float64Array | undefined
  readonly mark: (Mark & { readonly until: number }) | null
  readonly hold: Hold | null
  readonly live: LiveCount
  readonly restUntil: number | null
  readonly quarantinedUntil: number | null
}

interface Place { readonly id: string; readonly name: string; readonly priority: number; readonly disabled: boolean }

/** Where each model stands in the groups, keys in the default order: groups as they are, then priority. */
function placesOf(groups: readonly Group[]): Map<string, Place[]> {
  const places = new Map<string, Place[]>()
  for (const group of groups) {
    for (const entry of [...group.models].sort((a, b) => a.priority - b.priority)) {
      const place = { id: group.id, name: group.name, priority: entry.priority, disabled: entry.disabled === true }
      const key = routeKey(entry)
      const known = places.get(key)
      if (known) known.push(place)
      else places.set(key, [place])
    }
  }
  return places
}

/** Models of the groups first, then others that have samples in the range or calls now, by name. */
function inOrder(places: ReadonlyMap<string, unknown>, totals: ReadonlyMap<string, unknown>, live: readonly LiveCount[]): string[] {
  const active = live.filter(({ running, queued }) => running > 0 || queued > 0).map(routeKey)
  const others = [...new Set([...totals.keys(), ...active])].filter((key) => !places.has(key)).sort((a, b) => (a < b ? -1 : 1))
  return [...places.keys(), ...others]
}

function bounds(range: DayRange): { readonly since: number | null; readonly until: number | null } {
  return { since: range.since === null ? null : parseDay(range.since), until: range.until === null ? null : parseDay(range.until) }
}

const instant = (at: number | undefined): number | null => (at === undefined || at === 0 ? null : at)
