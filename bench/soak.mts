// `npm run soak`: many sessions on the real host in changing weather. Ends with one line of JSON; exit code 1 when a promise was broken.
import { setTimeout as pause } from 'node:timers/promises'
import { readArguments, run } from './soak/arguments.ts'
import { growth, type Sample } from './soak/growth.ts'
import { makeJudge, NO_JUDGE, type Judge } from './soak/judge.ts'
import { emptyTally, person, type Tally } from './soak/people.ts'
import { chanceFrom } from './soak/random.ts'
import { openStage, type Stage } from './soak/stage.ts'
import { makeWeather, SOAK_ROUTES, type Weather } from './soak/weather.ts'

const USAGE = `usage: npm run soak [-- [--minutes <number>] [--sessions <number>] [--seed <number>] [--tarball <path>] [--plugin no]]
  --minutes   how long (default 5)
  --sessions  people who ask at the same time (default 16)
  --seed      where chance starts, for the same weather again (default: the clock)
  --tarball   a packed plugin to use instead of packing this tree
  --plugin no the bare host in fair weather: what it costs by itself, to compare with`

const REPORT_MS = 30_000

interface Soak {
  readonly stage: Stage
  readonly weather: Weather
  readonly judge: Judge
  readonly tally: Tally
  readonly readings: Sample[]
  readonly started: number
  /** False once it is over. */
  readonly on: () => boolean
}

/** A user who looks at the page, and restores a model by hand once it answers again. */
async function watcher({ stage: { host }, weather, judge, tally, on }: Soak): Promise<void> {
  let etag = ''
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Headers> => {
    const reply = await host.api(path, { headers })
    if (reply.status >= 400) tally.broken.push(`GET ${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`)
    return reply.headers
  }
  for (let beat = 0; on(); beat += 1) {
    await judge.look()
    if (beat % 6 === 0) etag = (await ask('/status', { 'if-none-match': etag })).get('etag') ?? ''
    if (beat % 20 === 10) await ask('/metrics')
    if (beat % 20 === 0) for (const route of weather.clearedFor(8000, Date.now())) await host.api('/failed/reset', { body: route })
    await pause(500)
  }
}

const mb = (bytes: number | null): number | null => (bytes === null ? null : Math.round(bytes / 104_857.6) / 10)

async function measure({ stage, tally, readings, started }: Soak): Promise<void> {
  const { at, rss, heap, handles, sockets } = await stage.gauge.read()
  const now = { minute: Math.round((at - started) / 600) / 100, rssMb: mb(rss), heapMb: mb(heap), handles, sockets, turns: tally.completed }
  readings.push(now)
  console.log(`${now.minute.toFixed(1).padStart(5)} min  ${tally.completed} turns completed, ${tally.saved} of them saved, ${tally.excused} honest errors, ${tally.broken.length} broken promises; rss ${now.rssMb} MB, heap ${now.heapMb} MB, ${handles} handles, ${sockets} sockets`)
}

/** Measures at once, then twice a minute, and prints how it goes. */
async function reporter(soak: Soak): Promise<void> {
  while (soak.on()) {
    await measure(soak)
    for (let waited = 0; waited < REPORT_MS && soak.on(); waited += 500) await pause(500)
  }
}

async function climate({ stage, weather, on }: Soak, seed: number): Promise<void> {
  const chance = chanceFrom(seed)
  while (on()) {
    await pause(chance.between(1500, 4000))
    if (stage.groupId !== null) weather.change(Date.now())
    stage.harvest()
  }
}

/** What is still counted as running when nobody asks any more. */
async function leftOver({ host, groupId }: Stage): Promise<string[]> {
  if (groupId === null) return []
  const { storeProblems, concurrency, continuations } = (await host.api('/status')).body as {
    readonly storeProblems: readonly unknown[]
    readonly continuations: readonly unknown[]
    readonly concurrency: readonly { readonly running: number; readonly queued: number }[]
  }
  const busy = concurrency.filter(({ running, queued }) => running + queued > 0)
  return [storeProblems, continuations, busy].filter((list) => list.length > 0).map((list) => `left over: ${JSON.stringify(list)}`)
}

async function play(soak: Soak, sessions: number, seed: number): Promise<void> {
  const { stage: { host, turns, groupId }, judge, tally, on } = soak
  await Promise.all([
    ...Array.from({ length: sessions }, (_, number) => person({ host, turns, judge, chance: chanceFrom(seed + 100 + number), tally, groupId, on }, number)),
    climate(soak, seed),
    reporter(soak),
    groupId === null ? null : watcher(soak),
  ])
  soak.weather.clear()
  await pause(3000)
  await measure(soak)
}

async function main(options: { readonly minutes: number; readonly sessions: number; readonly seed: number; readonly tarball: string | null; readonly plugin: string | null }): Promise<boolean> {
  const { minutes, sessions, seed } = options
  const stage = await openStage({ plugin: options.plugin !== 'no', tarball: options.tarball })
  const weather = makeWeather(stage.upstream, chanceFrom(seed + 1))
  const judge = stage.groupId === null ? NO_JUDGE : makeJudge(stage.host, stage.groupId, weather)
  const tally = emptyTally()
  const started = Date.now()
  const until = started + minutes * 60_000
  let gone = false
  void stage.host.exited.then((code) => {
    gone = true
    if (Date.now() < until) tally.broken.push(`the host ended by itself with ${code}`)
  })
  const soak: Soak = { stage, weather, judge, tally, readings: [], started, on: () => !gone && Date.now() < until }
  console.log(`${sessions} people for ${minutes} minutes on ${SOAK_ROUTES.length} routes; seed ${seed}`)
  await judge.look()
  await play(soak, sessions, seed)
  const costs = stage.harvest()
  tally.broken.push(...await leftOver(stage))
  const { stopMs, problems, unhandled } = await stage.close()
  const grown = growth(soak.readings)
  tally.broken.push(...problems, ...grown.problems)
  const { broken, cancelMs, ...counts } = tally
  for (const line of broken) console.log(`BROKEN ${line}`)
  const summary = {
    ok: broken.length === 0, seed, minutes, sessions, ...counts, broken: broken.length, unhandledRejections: unhandled, stopMs, slowestCancelsMs: cancelMs.toSorted((a, b) => b - a).slice(0, 5), ...costs,
    weatherChanges: weather.changes, faults: Object.fromEntries([...weather.played].toSorted(([a], [b]) => a.localeCompare(b))), growth: grown.figures, readings: soak.readings,
  }
  console.log(JSON.stringify(summary))
  return summary.ok
}

await run(readArguments(process.argv.slice(2), { minutes: 5, sessions: 16, seed: Date.now() % 100_000, tarball: null, plugin: null }), USAGE, main)
