/** Pours samples into a data folder for ever and tells its parent that it has started, then each sample, by number, as soon as it is acknowledged. */
import { dayText, dayNumber } from '../src/domain/beijing.ts'
import { openSamples } from '../src/store/samples.ts'
import { sample } from '../tests/support/samples.ts'
import { quiet, time } from './real.ts'

/** A sample is acknowledged this long after its stream ended. */
const ACKNOWLEDGED_MS = 1500

const [dir = '', from = '0'] = process.argv.slice(2)
const store = openSamples({ dir, time, log: quiet })
let next = Number(from)

function pour(): void {
  for (let burst = Math.floor(Math.random() * 12); burst > 0; burst--) {
    const number = next++
    // Some belong to yesterday: their day is sealed while more of them come.
    const at = Date.now() - (number % 5 === 0 ? 86_400_000 : 0)
    store.add(sample({ at, code: `n${number}`, outcome: 'server', message: dayText(dayNumber(at)).repeat(number % 7) }))
    setTimeout(() => { process.send?.(number) }, ACKNOWLEDGED_MS)
  }
  setTimeout(pour, Math.random() * 100)
}
process.send?.('started')
pour()
