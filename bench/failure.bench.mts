/** Row 5: what it costs the path of a request to record a failure, with few and with many records before it. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configSchema } from '../src/contract/config.ts'
import type { Outcome } from '../src/domain/view.ts'
import { createHealth, type Health } from '../src/services/health.ts'
import { openStore, type Store } from '../src/store/store.ts'
import { folder, quiet, time } from './real.ts'
import { interleave, typical, type BenchRow } from './row.ts'

const HISTORY = 2000
const BATCH = 20
const CONFIG = configSchema.parse({})

function failure(model: string): Outcome {
  const [at, mono] = [Date.now(), performance.now()]
  return {
    route: { provider: `p${model.length % 7}`, model }, startedAt: at - 1500, startedMono: mono - 1500, endedAt: at, endedMono: mono,
    failure: { class: 'server', scope: 'route', reset: null, rule: 'bench', endOfLife: false, code: 'SERVER', message: '503: upstream unavailable' },
    escaped: true, final: true, purpose: 'chat', permit: null,
  }
}

interface Desk { readonly health: Health; readonly store: Store; count: number }

async function desk(dir: string, history: number): Promise<Desk> {
  const store = await openStore({ dir, time, log: quiet })
  const health = createHealth({
    time, random: () => 0.5, log: quiet, config: () => CONFIG, documents: { failed: store.failed, health: store.health }, endpointOf: () => '', emit: () => {},
  })
  for (let n = 0; n < history; n++) health.observe(failure(`old-${n}`))
  await store.flush()
  return { health, store, count: 0 }
}

/** µs of the synchronous part, over a batch, with the write-behind settled between batches. */
async function recorded(one: Desk): Promise<number> {
  const outcomes = Array.from({ length: BATCH }, () => failure(`model-${one.count++ % 40}`))
  const taken = await typical(1, () => { for (const outcome of outcomes) one.health.observe(outcome) })
  await one.store.flush()
  return (taken * 1000) / BATCH
}

export async function failureRows(quick: boolean): Promise<BenchRow[]> {
  const folders = [folder(), folder(), folder()]
  const [few, many, plain] = folders.map(({ path }) => path)
  const [small, large] = [await desk(few ?? '', 20), await desk(many ?? '', HISTORY)]
  const log = join(plain ?? '', 'log.jsonl')
  const line = `${JSON.stringify({ at: 1, provider: 'p', model: 'm', class: 'server', code: 'SERVER', reason: '503: upstream unavailable' })}\n`
  const whole = line.repeat(HISTORY)
  const figures = await interleave(quick ? 31 : 101, {
    few: () => recorded(small),
    ours: () => recorded(large),
    floor: () => sync(() => appendFileSync(log, line)),
    naive: () => sync(() => writeFileSync(join(plain ?? '', 'whole.json'), whole)),
  })
  for (const one of [small, large]) {
    await one.health.close()
    await one.store.close()
  }
  for (const { remove } of folders) remove()
  const { few: before, ours, floor, naive } = figures
  return [{ id: 5, work: `record a failure, ${HISTORY} on record (with 20: ${before.toFixed(1)} µs)`, ours, floor, naive, unit: 'µs', target: '≤ 10 µs, flat in history', met: ours <= 10 && ours <= 2 * before + 1 }]
}

async function sync(work: () => void): Promise<number> {
  return (await typical(1, () => { for (let n = 0; n < BATCH; n++) work() }) * 1000) / BATCH
}
