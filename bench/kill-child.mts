/** Pours samples into a data folder for ever and tells its parent that it has started, then each sample, by number, as soon as it is acknowledged. */
import { dayText, dayNumber } from '../src/domain/beijing.ts'
import { openSamples } from '../src/store/samples.ts'
import type { Sample } from '../src/contract/metrics.ts'
import { quiet, time } from './real.ts'

/** A sample is acknowledged this long after its stream ended. */
const ACKNOWLEDGED_MS = 1500

const [dir = '', from = '0'] = process.argv.slice(2)
const store = openSamples({ dir, time, log: quiet })
let next = Number(from)

/** A sample that can be told by its number; lines of many lengths. */
function sample(at: number, number: number): Sample {
  return {
    at, provider: 'p', model: `m${number % 3}`, endpoint: '', outcome: 'server', code: `n${number}`, message: dayText(dayNumber(at)).repeat(number % 7),
    wait: 0, ttft: 800, speed: 40, in: 1000, out: 200, cacheRead: null, cacheWrite: null, purpose: 'chat',
  }
}

function pour(): void {
  for (let burst = Math.floor(Math.random() * 12); burst > 0; burst--) {
    const number = next++
    // Some belong to yesterday: their day is sealed while more of them come.
    const at = Date.now() - (number % 5 === 0 ? 86_400_000 : 0)
    store.add(sample(at, number))
    setTimeout(() => { process.send?.(number) }, ACKNOWLEDGED_MS)
  }
  setTimeout(pour, Math.random() * 100)
}
process.send?.('started')
pour()
