/** Row 3: one pick among 50 groups of 200 models with hours, last days, day marks and breakers. */
import type { Group } from '../src/contract/group.ts'
import { routeKey, type Entry, type Route } from '../src/contract/route.ts'
import { pick, type Asker } from '../src/domain/pick.ts'
import { Plans } from '../src/domain/plans.ts'
import type { HardHold, HealthView, SoftState } from '../src/domain/view.ts'
import { interleave, type BenchRow } from './row.ts'

const GROUPS = 50
const MODELS = 200
const START = Date.UTC(2025, 2, 3, 4)
const HOUR = 3_600_000
const ROUNDS = 9

function entryOf(group: number, n: number): Entry {
  return {
    provider: `provider-${group % 10}`, model: `model-${group}-${n}`, priority: 1 + (n >> 1),
    ...(n % 4 === 1 ? { windows: [{ from: 9, to: 17 }, { from: 22, to: 6 }] } : {}),
    ...(n % 5 === 2 ? { until: '2025-12-31' } : {}),
    ...(n % 50 === 49 ? { disabled: true } : {}),
  }
}

const groups: readonly Group[] = Array.from({ length: GROUPS }, (_, group) => ({
  id: `g${group}`, rev: 1, name: `g${group}`, enabled: true, models: Array.from({ length: MODELS }, (_, n) => entryOf(group, n)),
}))

/** A day ledger and breakers by route key; of every three failed routes two are marked and one is open. */
class Health implements HealthView {
  version = 1
  readonly marks = new Map<string, HardHold>()
  readonly breakers = new Map<string, SoftState>()

  constructor(share: number) {
    for (const { models } of groups) {
      for (const [n, model] of models.entries()) {
        if (n >= Math.round(models.length * share)) continue
        if (n % 3 === 2) this.breakers.set(routeKey(model), { tier: 4, why: 'open', until: START + (1 + n) * HOUR })
        else this.marks.set(routeKey(model), { why: 'failed', class: 'server', until: START + 20 * HOUR })
      }
    }
  }

  hard(route: Route): HardHold | null { return this.marks.get(routeKey(route)) ?? null }
  soft(route: Route): SoftState { return this.breakers.get(routeKey(route)) ?? { tier: 0, why: null, until: null } }
}

const asker: Asker = { automatic: true, probesOn: true, own: null, exclude: () => null, lease: (route) => ({ id: 1, route, expiresMono: 0 }) }

let sink = 0

/** µs per pick over all groups in turn, the clock moving on by a millisecond each time. */
function measured(picks: number, one: (group: number, now: number) => number): number {
  const start = performance.now()
  for (let n = 0; n < picks; n++) sink += one(n % GROUPS, START + n)
  return ((performance.now() - start) * 1000) / picks
}

function ours(plans: Plans, health: Health): (group: number, now: number) => number {
  const ids = groups.map(({ id }) => id)
  return (group, now) => {
    const plan = plans.group(ids[group] ?? null)
    return plan && pick(plan, health, now, asker) ? 1 : 0
  }
}

/** The least any design can do that looks at the entries: one instant each, all of them, the first free one wins. */
function floor(health: Health): (group: number, now: number) => number {
  const instants = groups.map(({ models }) => Float64Array.from(models, (model) => (
    health.marks.get(routeKey(model))?.until ?? health.breakers.get(routeKey(model))?.until ?? 0
  )))
  return (group, now) => {
    const list = instants[group] ?? new Float64Array()
    let best = -1
    for (let n = list.length - 1; n >= 0; n--) if ((list[n] ?? 0) <= now) best = n
    return best
  }
}

/** The design at hand: order the list, format the Beijing day and hour for every entry, look failures up in lists. */
function naive(health: Health): (group: number, now: number) => number {
  const failed = [...health.marks.keys()].map((key) => ({ key }))
  const open = [...health.breakers].map(([key, state]) => ({ key, until: state.until ?? 0 }))
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Shanghai', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23' })
  return (group, now) => {
    for (const entry of [...(groups[group]?.models ?? [])].sort((a, b) => a.priority - b.priority)) {
      const [day = '', hour = ''] = format.format(now).split(', ')
      if (entry.disabled || (entry.until && day > entry.until)) continue
      const at = Number(hour)
      if (entry.windows && !entry.windows.some(({ from, to }) => (from <= to ? at >= from && at <= to : at >= from || at <= to))) continue
      const key = routeKey(entry)
      if (failed.some((each) => each.key === key) || open.some((each) => each.key === key && each.until > now)) continue
      return 1
    }
    return 0
  }
}

/** One row per share of failed routes, and one for the pick that meets a change of health. */
export async function measurePick(): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const share of [0, 0.5, 0.9, 1]) {
    const health = new Health(share)
    const contenders = { ours: ours(new Plans(groups, []), health), floor: floor(health), naive: naive(health) }
    const figures = await interleave(ROUNDS, {
      ours: () => measured(200_000, contenders.ours),
      floor: () => measured(200_000, contenders.floor),
      naive: () => measured(share === 0 ? 2000 : 20, contenders.naive),
    })
    rows.push({ id: 3, work: `pick among 50 × 200, ${share * 100} % failed`, ...figures, unit: 'µs', target: '≤ 1 µs and ≤ 2 × floor', met: figures.ours <= 1 && figures.ours <= 2 * figures.floor })
  }
  return [...rows, await afterChange()]
}

/** Every pick meets a new version of health: what a failure costs the decision that follows it, half of the routes failed. */
async function afterChange(): Promise<BenchRow> {
  const health = new Health(0.5)
  const steady = ours(new Plans(groups, []), health)
  const changed = (group: number, now: number): number => {
    health.version++
    return steady(group, now)
  }
  const slow = naive(health)
  const { fresh, naive: design } = await interleave(ROUNDS, { fresh: () => measured(2000, changed), naive: () => measured(20, slow) })
  return { id: 3, work: 'the same right after a change of health, 50 % failed', ours: fresh, floor: null, naive: design, unit: 'µs', target: '≤ naive / 10', met: fresh <= design / 10 }
}

/** Keeps the measured work from being thrown away. */
export function checksum(): number {
  return sink
}
