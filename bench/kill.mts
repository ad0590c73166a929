/**
 * Row 10: processes that write samples are killed at random instants, again and again over the same folder. Afterwards
 * no history may be lost and no sample may be missing that was acknowledged. `node bench/kill.mts [kills]` (100).
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { FIGURE } from '../src/domain/tally.ts'
import { openSamples } from '../src/store/samples.ts'
import { folder, quiet, time } from './real.ts'
import type { BenchRow } from './row.ts'

/** Most lives are long enough for something to be acknowledged, some end during the first write. */
const LONGEST_LIFE_MS = 3500

interface Toll { kills: number; acknowledged: number; lost: number; doubled: number; wrong: number }

/** One folder and one life after the other. */
async function lives(script: string, count: number): Promise<Toll> {
  const { path, remove } = folder()
  const promised = new Set<number>()
  const toll: Toll = { kills: 0, acknowledged: 0, lost: 0, doubled: 0, wrong: 0 }
  for (let life = 0; life < count; life++) {
    const child = fork(script, [path, String(life * 1_000_000)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    child.on('message', (number) => { if (typeof number === 'number') promised.add(number) })
    const ended = once(child, 'exit')
    await once(child, 'message')
    await new Promise((resolve) => { setTimeout(resolve, Math.random() * LONGEST_LIFE_MS) })
    child.kill('SIGKILL')
    await ended
    toll.kills++
    await check(path, promised, toll)
  }
  toll.acknowledged = promised.size
  remove()
  return toll
}

/** Compares what is on disk with what was promised, and the figures with the lines. */
async function check(path: string, promised: ReadonlySet<number>, toll: Toll): Promise<void> {
  const store = openSamples({ dir: path, time, log: quiet })
  await store.flush()
  const found = new Map<number, number>()
  let lines = 0
  for await (const piece of store.lines(null, null)) {
    for (const line of piece.split('\n')) {
      if (line === '') continue
      lines++
      const number = Number((JSON.parse(line) as { code: string }).code.slice(1))
      found.set(number, (found.get(number) ?? 0) + 1)
    }
  }
  for (const number of promised) if (!found.has(number)) toll.lost++
  for (const times of found.values()) if (times > 1) toll.doubled++
  const counted = store.days().flatMap(({ parts }) => parts).reduce((sum, part) => sum + part.routes.reduce((all, _, model) => all + (part.figures(model)[FIGURE.samples] ?? 0), 0), 0)
  if (counted !== lines) toll.wrong++
  await store.close()
}

/** Several folders at once: the time goes into waiting. */
export async function killRow(kills: number, folders = 5): Promise<BenchRow> {
  const { path, remove } = folder()
  const script = join(path, 'child.mjs')
  // One file, because a life is short and reading the sources takes longer.
  await build({ entryPoints: [fileURLToPath(new URL('kill-child.mts', import.meta.url))], bundle: true, platform: 'node', format: 'esm', outfile: script, logLevel: 'error', banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" } })
  const tolls = await Promise.all(Array.from({ length: folders }, () => lives(script, Math.ceil(kills / folders))))
  remove()
  const sum = (field: keyof Toll): number => tolls.reduce((all, toll) => all + toll[field], 0)
  const bad = sum('lost') + sum('doubled') + sum('wrong')
  return {
    id: 10, work: `${sum('kills')} SIGKILLs, ${sum('acknowledged')} samples acknowledged: lost, doubled or miscounted`, ours: bad, floor: null, naive: null, unit: '',
    target: '0', met: bad === 0 && sum('acknowledged') > 0,
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const row = await killRow(Number(process.argv[2] ?? 100))
  console.log(`${row.work}: ${row.ours}`)
  if (!row.met) process.exitCode = 1
}
