/** The weather of a soak: which routes fail how and when, changing by chance, never more than a turn can survive at once. */
import type { DemoModel, DemoProvider } from '../../dev/upstream/catalogue.ts'
import type { Upstream } from '../../dev/upstream/index.ts'
import { FAULTS, type FaultId } from '../../src/contract/faults.ts'
import type { Route } from '../../src/contract/route.ts'
import type { Chance } from './random.ts'

const SERVICES = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta']
/** Larger from route to route: after an overflow a session goes on to a larger window, so there has to be one. */
const windowOf = (rank: number): number => 200_000 + 50_000 * rank
const model = (service: number, sibling: number): DemoModel => {
  const id = `${SERVICES[service]}-${sibling + 1}`
  return { id, name: id, contextWindow: windowOf(sibling * SERVICES.length + service), maxTokens: 4096 }
}

/** Six services of two models each: one that refuses its key or drops its connections takes two routes away, not the world. */
export const SOAK_PROVIDERS: readonly DemoProvider[] = SERVICES.map((id, service) => ({ id, name: id, models: [model(service, 0), model(service, 1)] }))

/** Best first, siblings far apart. */
export const SOAK_ROUTES: readonly Route[] = [0, 1].flatMap((sibling) => SOAK_PROVIDERS.map(({ id, models }) => ({ provider: id, model: models[sibling]?.id ?? '' })))

/** Place of a route in the order, which is also the order of its window. */
export const rankOf = (name: string): number => SOAK_ROUTES.findIndex((route) => nameOf(route) === name)

export const nameOf = ({ provider, model: id }: Route): string => `${provider}/${id}`

/** A turn may call four routes, so with three failing ones there is always a good one among the first four. */
const MOST_FAILING = 3
/** Holds of hours or minutes would use the routes up, so these come seldom; milliseconds between two of a kind. */
const SELDOM: Readonly<Partial<Record<FaultId, number>>> = { 403: Infinity, 'quota-reset': Infinity, 401: 400_000, '429-retry-after': 30_000 }
/** Not failures, or a kind that no router can tell from an answer without a history of its route. */
const NO_WEATHER = new Set<FaultId>(['ok', 'slow', 'tool-call', 'error-as-text'])
const STORMS: readonly FaultId[] = FAULTS.map(({ id }) => id).filter((id) => !NO_WEATHER.has(id))
const FAIR: readonly FaultId[] = ['ok', 'ok', 'ok', 'tool-call', 'tool-call', 'slow']

interface Sky { readonly route: Route; fault: FaultId; failing: boolean; since: number }

export interface Weather {
  /** Changes the state of one route. */
  change(now: number): void
  /** The route answered during the whole span, as far as the weather goes. */
  fairThroughout(name: string, from: number, to: number): boolean
  /** Routes that are fine again since at least `ms`. */
  clearedFor(ms: number, now: number): readonly Route[]
  clear(): void
  readonly changes: number
  /** How often each fault was played. */
  readonly played: ReadonlyMap<FaultId, number>
}

export function makeWeather(upstream: Pick<Upstream, 'set'>, chance: Chance): Weather {
  const skies: readonly Sky[] = SOAK_ROUTES.map((route) => ({ route, fault: 'ok', failing: false, since: 0 }))
  const failures = new Map<string, { from: number; to: number }[]>(SOAK_ROUTES.map((route) => [nameOf(route), []]))
  const lastUse = new Map<FaultId, number>()
  const played = new Map<FaultId, number>()
  let changes = 0

  const put = (sky: Sky, fault: FaultId, now: number): void => {
    const failing = STORMS.includes(fault)
    const log = failures.get(nameOf(sky.route)) ?? []
    const last = log.at(-1)
    if (sky.failing && last) last.to = now
    if (failing) log.push({ from: now, to: Infinity })
    Object.assign(sky, { fault, failing, since: now })
    upstream.set(sky.route.provider, sky.route.model, fault)
    changes += 1
  }

  const storm = (sky: Sky, now: number): void => {
    const able = STORMS.filter((id) => now - (lastUse.get(id) ?? -Infinity) >= (SELDOM[id] ?? 0))
    const fault = chance.pick(able)
    lastUse.set(fault, now)
    played.set(fault, (played.get(fault) ?? 0) + 1)
    put(sky, fault, now)
  }

  return {
    get changes() { return changes },
    played,
    change(now) {
      const failing = skies.filter((sky) => sky.failing)
      if (failing.length >= MOST_FAILING || (failing.length > 0 && chance.luck(0.4))) put(chance.pick(failing), chance.pick(FAIR), now)
      else if (chance.luck(0.8)) storm(chance.pick(skies.filter((sky) => !sky.failing).slice(0, 8)), now)
      else put(chance.pick(skies.filter((sky) => !sky.failing)), chance.pick(FAIR), now)
    },
    fairThroughout: (name, from, to) => !(failures.get(name) ?? []).some((storm_) => storm_.from <= to && storm_.to >= from),
    clearedFor: (ms, now) => skies.filter((sky) => !sky.failing && now - sky.since >= ms).map(({ route }) => route),
    clear() {
      for (const sky of skies) if (sky.failing) put(sky, 'ok', Date.now())
    },
  }
}
