import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ManualTime } from '../../tests/support/manual-time.ts'
import { anySample, FIRST_DAY, sample } from '../../tests/support/samples.ts'
import type { Sample } from '../contract/metrics.ts'
import { DAY_MS, dayNumber } from '../domain/beijing.ts'
import { FIGURE, Tally } from '../domain/tally.ts'
import type { Log, SampleStore } from '../ports.ts'
import { realFiles, type Files } from './files.ts'
import { openSamples, type SamplesOptions } from './samples.ts'

const quiet: Log = { info: () => {}, warn: () => {}, error: (...facts) => { throw new Error(`unexpected: ${facts.join(' ')}`) } }
let dir: string
let time: ManualTime
let open: SampleStore[]

beforeEach(async () => {
  dir = await fs.mkdtemp(join(tmpdir(), 'samples-'))
  time = new ManualTime(FIRST_DAY + 2 * DAY_MS + 43_200_000)
  open = []
})
afterEach(async () => {
  for (const store of open) await store.close()
  await fs.rm(dir, { recursive: true, force: true })
})

async function start(extra: Partial<SamplesOptions> = {}): Promise<SampleStore> {
  const store = openSamples({ dir, time, log: quiet, ...extra })
  open.push(store)
  await store.flush()
  return store
}
async function again(store: SampleStore, extra: Partial<SamplesOptions> = {}): Promise<SampleStore> {
  await store.close()
  return start(extra)
}
const path = (name: string): string => join(dir, 'metrics', name)
const today = (fields: Partial<Sample> = {}): Sample => sample({ at: time.now(), ...fields })
const count = (store: SampleStore): number => store.days().reduce((sum, { parts }) => sum + parts.reduce((all, part) => all + part.routes.reduce((n, _, model) => n + (part.figures(model)[FIGURE.samples] ?? 0) + (part.figures(model)[FIGURE.probes] ?? 0), 0), 0), 0)
async function lines(store: SampleStore, since: number | null = null, until: number | null = null): Promise<Sample[]> {
  let text = ''
  for await (const piece of store.lines(since, until)) text += piece
  return text.split('\n').filter(Boolean).map((line) => JSON.parse(line) as Sample)
}

it('counts a sample at once and has its line on disk within half a second', async () => {
  const store = await start()
  const one = today()
  store.add(one)
  expect(count(store)).toBe(1)
  time.advance(400)
  await store.flush()
  const text = await fs.readFile(path('2025-03-05.jsonl'), 'utf8')
  expect(text.split('\n')[0]).toBe('{"version":1}')
  expect(JSON.parse(text.split('\n')[1]!)).toEqual(one)
  expect((await fs.stat(path('2025-03-05.jsonl'))).mode & 0o777).toBe(0o600)
  expect((await fs.stat(path(''))).mode & 0o777).toBe(0o700)
})

it('has the same figures after a restart, whatever was sealed, late or still open', async () => {
  await fc.assert(fc.asyncProperty(fc.array(anySample(3), { maxLength: 40 }), fc.array(anySample(3), { maxLength: 20 }), async (first, second) => {
    await fs.rm(dir, { recursive: true, force: true })
    let store = await start()
    for (const one of first) store.add(one)
    store = await again(store)
    for (const one of second) store.add(one)
    await store.flush()
    const expected = [...first, ...second]
    for (const current of [store, await again(store), await again(open.at(-1)!)]) {
      const whole = new Tally()
      for (const { parts } of current.days()) for (const part of parts) whole.addPart(part)
      const truth = new Tally()
      for (const one of expected) truth.add(one)
      const sums = (tally: Tally): unknown => Object.fromEntries(tally.routes.map((route, model) => [route, [...tally.figures(model)]]))
      expect(sums(whole)).toEqual(sums(truth))
      expect([...whole.hours]).toEqual([...truth.hours])
      const key = (one: Sample): string => JSON.stringify(one)
      expect((await lines(current)).map(key).sort()).toEqual(expected.map(key).sort())
      const middle = dayNumber(FIRST_DAY) + 1
      expect((await lines(current, middle, middle)).map(key).sort()).toEqual(expected.filter((one) => dayNumber(one.at) === middle).map(key).sort())
    }
    await open.at(-1)!.close()
  }), { numRuns: 25 })
})

it('seals a day when it is over, while it runs', async () => {
  const store = await start()
  store.add(today())
  await store.flush()
  const before = store.epoch
  time.advance(13 * 3_600_000)
  await store.flush()
  await expect(fs.stat(path('2025-03-05.sum'))).resolves.toMatchObject({ mode: 0o100600 })
  expect([store.epoch > before, count(store)]).toEqual([true, 1])
})

it('forgets no sample that comes for a day while that day is being sealed', async () => {
  let store: SampleStore | null = null
  let late = 3
  const files: Files = { ...realFiles, rename: async (from, to) => {
    if (String(to).endsWith('.sum') && late-- > 0) store?.add(today({ at: FIRST_DAY + 2 * DAY_MS, code: 'late' }))
    await fs.rename(from, to)
  } }
  store = await start({ files })
  store.add(today())
  await store.flush()
  time.advance(13 * 3_600_000)
  await store.flush()
  expect(count(store)).toBe(2)
  await store.flush()
  expect([count(store), (await lines(store)).length]).toEqual([2, 2])
  expect(count(await again(store))).toBe(2)
})

it('reads a sealed day without its lines', async () => {
  const store = await start()
  store.add(today({ at: FIRST_DAY }))
  const sealed = await again(await again(store))
  await sealed.close()
  await fs.rm(path('2025-03-03.jsonl'))
  expect(count(await start())).toBe(1)
})

it('ignores a torn last line, and cuts it off before the next append', async () => {
  let store = await start()
  store.add(today())
  await store.close()
  await fs.appendFile(path('2025-03-05.jsonl'), '{"at":17410')
  store = await start()
  expect([count(store), store.problems()]).toEqual([1, []])
  store.add(today())
  await store.flush()
  expect(await lines(store)).toHaveLength(2)
  expect(await fs.readFile(path('2025-03-05.jsonl'), 'utf8')).not.toContain('17410{')
})

it('skips a broken inner line and says where it is', async () => {
  await fs.mkdir(path(''), { recursive: true })
  await fs.writeFile(path('2025-03-05.jsonl'), `${JSON.stringify(today())}\n{"at":1,\nnonsense\n${JSON.stringify({ ...today(), ttft: 'x' })}\n\n${'y'.repeat(3_000_000)}\n${JSON.stringify(today())}\n`)
  const store = await start()
  expect([count(store), (await lines(store)).length]).toEqual([2, 2])
  expect(store.problems()).toMatchObject([{ file: 'metrics/2025-03-05.jsonl', problem: '4 broken lines were skipped, the first at line 2 of those read' }])
})

it('leaves files of a newer version alone and goes on in memory', async () => {
  await fs.mkdir(path(''), { recursive: true })
  const text = '{"version":2}\n{"new":true}\n'
  await fs.writeFile(path('2025-03-05.jsonl'), text)
  await fs.writeFile(path('2025-03-03.sum'), '{"version":9}\n')
  await fs.writeFile(path('2025-03-03.jsonl'), `${JSON.stringify(sample())}\n`)
  const store = await start()
  store.add(today())
  await store.flush()
  expect(count(store)).toBe(2)
  expect([await fs.readFile(path('2025-03-05.jsonl'), 'utf8'), await fs.readFile(path('2025-03-03.sum'), 'utf8')]).toEqual([text, '{"version":9}\n'])
  expect(store.problems().map(({ file }) => file).sort()).toEqual(['metrics/2025-03-03.sum', 'metrics/2025-03-05.jsonl'])
})

it('makes a damaged sealed day anew from its lines and keeps the damaged file', async () => {
  const store = await start()
  store.add(sample())
  await (await again(store)).close()
  const bytes = await fs.readFile(path('2025-03-03.sum'))
  bytes[bytes.length - 1] = 77
  bytes.fill(1, 400, 420)
  await fs.writeFile(path('2025-03-03.sum'), bytes)
  const repaired = await start()
  expect(count(repaired)).toBe(1)
  const names = await fs.readdir(path(''))
  expect(names.filter((name) => name.startsWith('2025-03-03.sum.broken-'))).toHaveLength(1)
  expect(names).toContain('2025-03-03.sum')
})

it('keeps samples in memory while the disk fails, says so, and writes them when it works again', async () => {
  let broken = true
  const files: Files = { ...realFiles, open: ((...args: Parameters<typeof fs.open>) => (broken && String(args[0]).endsWith('.jsonl') ? Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) : fs.open(...args))) }
  const store = await start({ files })
  store.add(today())
  await store.flush()
  expect(count(store)).toBe(1)
  expect(store.problems()).toMatchObject([{ file: 'metrics', problem: 'samples cannot be written (ENOSPC); they are kept in memory and tried again' }])
  broken = false
  await time.run(1500)
  await store.flush()
  expect([store.problems(), (await lines(store)).length]).toEqual([[], 1])
})

it('writes a batch that was cut short once, not twice', async () => {
  let cut = true
  const files: Files = { ...realFiles, open: (async (...args: Parameters<typeof fs.open>) => {
    const handle = await fs.open(...args)
    if (!String(args[0]).endsWith('.jsonl') || !cut) return handle
    cut = false
    const write = handle.write.bind(handle)
    handle.write = (async (bytes: Uint8Array) => { await write(bytes.subarray(0, bytes.length - 10)); throw Object.assign(new Error('full'), { code: 'ENOSPC' }) }) as unknown as typeof handle.write
    return handle
  }) }
  const store = await start({ files })
  store.add(today({ code: 'first' }))
  store.add(today({ code: 'second' }))
  await store.flush()
  await time.run(1500)
  await store.flush()
  const found = await lines(store)
  expect(found.filter(({ code }) => code === 'second')).toHaveLength(1)
  expect(found.filter(({ code }) => code === 'first')).toHaveLength(1)
})

it('works in memory when the folder cannot even be made', async () => {
  await fs.writeFile(join(dir, 'metrics'), 'a file in the way')
  const store = await start()
  store.add(today())
  await store.flush()
  expect([count(store), store.problems().length > 0]).toEqual([1, true])
})

it('leaves no timer behind', async () => {
  const store = await start()
  store.add(today())
  await store.close()
  store.add(today())
  expect(time.pending).toBe(0)
})
