/**
 * A simulated week with a first model that its provider has taken down, at one request a minute: how many requests of
 * users meet it, and how many probes it costs. The real health, probe and routing code runs on a clock that is moved by
 * hand; beside it two simple designs.
 */
import { pathToFileURL } from 'node:url'
import { pick } from '../src/domain/pick.ts'
import { Plans } from '../src/domain/plans.ts'
import { HealthWorld, route } from '../tests/support/health.ts'
import { ProbeWorld, reply } from '../tests/support/probes.ts'

const MINUTE = 60_000
const WEEK_MINUTES = 7 * 24 * 60
const RUNS = [1, 2, 3, 4, 5]

export interface Week { readonly met: number; readonly probesADay: number }

/** Chance that is the same in each run with the same number (mulberry32). */
export function chance(run: number): () => number {
  let state = run >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The product. `minutes` of one request each; the first model fails for ever, the second always serves. */
export async function product(run: number, minutes = WEEK_MINUTES, failure: 'model_not_found' | 'transport' = 'model_not_found'): Promise<Week> {
  const world = new HealthWorld({ u: chance(run) })
  const probing = new ProbeWorld(world)
  probing.usual = reply(failure)
  const plan = new Plans([{ id: 'g', rev: 1, name: 'g', enabled: true, models: [{ ...route('a/gone'), priority: 1 }, { ...route('b/fine'), priority: 2 }] }]).group('g')
  if (!plan) throw new Error('no plan')
  let met = 0
  for (let minute = 0; minute < minutes; minute++) {
    await world.time.run(MINUTE, MINUTE)
    const visited = new Set<string>()
    for (;;) {
      const choice = pick(plan, world.health.view(), world.time.now(), {
        automatic: true, probesOn: true, lease: (one) => world.health.lease(one),
        exclude: ({ entry }) => (visited.has(entry.provider) ? { why: 'visited', class: null, until: null } : null),
      })
      if (!choice) throw new Error('nothing left to pick')
      const { provider, model } = choice.option.entry
      visited.add(provider)
      if (provider === 'b') {
        world.ok('b/fine', { permit: choice.permit })
        break
      }
      met += 1
      world.fail(`${provider}/${model}`, failure, { permit: choice.permit })
    }
  }
  await probing.probes.close()
  await world.health.close()
  return { met, probesADay: probing.asked.length / (minutes / 1440) }
}

/** A bench of fixed length after each failure, ended by its timer. */
export function ladder(minutes = WEEK_MINUTES, benchMs = 90_000): Week {
  let met = 0
  let until = 0
  for (let minute = 1; minute <= minutes; minute++) {
    if (minute * MINUTE < until) continue
    met += 1
    until = minute * MINUTE + benchMs
  }
  return { met, probesADay: 0 }
}

/** A plain breaker: three failures in five minutes open it for a minute, then a user's request is the trial. */
export function plainBreaker(minutes = WEEK_MINUTES): Week {
  let met = 0
  let until = 0
  let failures: number[] = []
  for (let minute = 1; minute <= minutes; minute++) {
    const now = minute * MINUTE
    if (now < until) continue
    met += 1
    failures = [...failures.filter((at) => now - at < 5 * MINUTE), now]
    if (failures.length >= 3) until = now + MINUTE
  }
  return { met, probesADay: 0 }
}

async function main(): Promise<void> {
  const weeks = await Promise.all(RUNS.map((run) => product(run)))
  const worst: Week = { met: Math.max(...weeks.map(({ met }) => met)), probesADay: Math.max(...weeks.map(({ probesADay }) => probesADay)) }
  console.log('A delisted first model, one request a minute, one week')
  console.log('design                               requests that met it   probes a day')
  const row = (name: string, { met, probesADay }: Week): void => console.log(`${name.padEnd(36)} ${String(met).padStart(20)}   ${probesADay.toFixed(1).padStart(12)}`)
  row(`this plugin (worst of ${RUNS.length} runs)`, worst)
  row('the same, host without a connection', await product(1, WEEK_MINUTES, 'transport'))
  row('bench of 90 s after each failure', ladder())
  row('breaker, 3 in 5 min, 60 s', plainBreaker())
  const good = worst.met <= 5 && worst.probesADay <= 25
  console.log(good ? 'target met: at most 5 requests a week, at most 25 probes a day' : 'TARGET MISSED: at most 5 requests a week, at most 25 probes a day')
  if (!good) process.exitCode = 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
