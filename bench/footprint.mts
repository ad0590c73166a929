/** Prints the bytes that samples keep in memory: `store <data folder>` as we hold them, `array <json file>` as plain objects. */
import { readFileSync } from 'node:fs'
import { openSamples } from '../src/store/samples.ts'
import { quiet, time } from './real.ts'

const [kind, path = ''] = process.argv.slice(2)

async function used(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    globalThis.gc?.()
    await new Promise((resolve) => { setImmediate(resolve) })
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const before = await used()
let kept: unknown
if (kind === 'store') {
  const store = openSamples({ dir: path, time, log: quiet })
  await store.ready
  kept = store
} else kept = JSON.parse(readFileSync(path, 'utf8'))
console.log((await used()) - before)
process.exit(kept === undefined ? 1 : 0)
