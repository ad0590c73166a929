// `npm run chaos`: the host is killed at random instants while people edit, bind, mark and ask; after each start everything acknowledged must be there.
import { setTimeout as pause } from 'node:timers/promises'
import { addEar } from '../dev/ear.mts'
import { makeHome, makeTemplate, type Home } from '../dev/home.mts'
import { bootHost, type Host } from '../dev/host.mts'
import { startUpstream, type Upstream } from '../dev/upstream/index.ts'
import { readArguments, run } from './soak/arguments.ts'
import { differences, makeMemory, type Memory } from './chaos/memory.ts'
import { actOnce } from './chaos/acts.ts'
import { chanceFrom, type Chance } from './soak/random.ts'
import { SOAK_PROVIDERS } from './soak/weather.ts'

const USAGE = `usage: npm run chaos [-- [--rounds <number>] [--actors <number>] [--seed <number>] [--tarball <path>]]
  --rounds   how often the host is killed (default 20)
  --actors   how many act at the same time (default 6)
  --seed     where chance starts (default: the clock)
  --tarball  a packed plugin to use instead of packing this tree`

/** From the start of the acts to the kill. */
const LIFE_MS = { least: 150, most: 2500 }

interface Round { readonly acknowledged: number; readonly lost: readonly string[] }

/** Lets the actors go until the host is killed under them; what a dead host did not answer is neither promised nor denied. */
async function live(host: Host, upstream: Upstream, memory: Memory, chance: Chance, actors: number): Promise<number> {
  let alive = true
  let done = 0
  const actor = async (): Promise<void> => {
    while (alive) {
      try { if (await actOnce({ host, upstream, memory, chance })) done += 1 } catch (error) {
        if (alive) throw error
      }
    }
  }
  const acting = Array.from({ length: actors }, actor)
  await pause(chance.between(LIFE_MS.least, LIFE_MS.most))
  alive = false
  await host.kill()
  await Promise.all(acting)
  return done
}

async function round(home: Home, upstream: Upstream, memory: Memory, chance: Chance, actors: number): Promise<Round> {
  const host = await bootHost({ home })
  const lost = await differences(host, memory)
  const acknowledged = await live(host, upstream, memory, chance, actors)
  const noise = host.stderr().trim()
  return { acknowledged, lost: noise === '' ? lost : [...lost, `the host wrote to its error stream: ${noise.slice(0, 500)}`] }
}

async function main({ rounds, actors, seed, tarball }: { readonly rounds: number; readonly actors: number; readonly seed: number; readonly tarball: string | null }): Promise<boolean> {
  const chance = chanceFrom(seed)
  const upstream = await startUpstream({ providers: SOAK_PROVIDERS })
  const template = await makeTemplate(tarball ?? undefined)
  const home = makeHome({ template, upstream, rowConfig: { enableProbe: false, ledgerRecovery: 'day' } })
  template.remove()
  const ear = addEar(home)
  const memory = makeMemory()
  const lost: string[] = []
  let acknowledged = 0
  console.log(`${rounds} kills with ${actors} actors; seed ${seed}`)
  for (let count = 1; count <= rounds; count += 1) {
    const result = await round(home, upstream, memory, chance, actors)
    acknowledged += result.acknowledged
    for (const line of result.lost) lost.push(`before kill ${count}: ${line}`)
    console.log(`kill ${String(count).padStart(3)}: ${result.acknowledged} acts were acknowledged; ${result.lost.length} things lost`)
  }
  const host = await bootHost({ home })
  lost.push(...await differences(host, memory))
  const exitCode = await host.stop()
  if (exitCode !== 0) lost.push(`the host ended with ${exitCode}`)
  lost.push(...ear.ours('error').slice(0, 20).map((line) => `an error in the log: ${line}`))
  await upstream.close()
  home.remove()
  for (const line of lost) console.log(`LOST ${line}`)
  console.log(JSON.stringify({ ok: lost.length === 0, seed, rounds, actors, acknowledged, things: memory.things.size, lost: lost.length }))
  return lost.length === 0
}

await run(readArguments(process.argv.slice(2), { rounds: 20, actors: 6, seed: Date.now() % 100_000, tarball: null }), USAGE, main)
