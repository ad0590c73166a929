import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ManualTime } from '../../tests/support/manual-time.ts'
import { FIRST_DAY } from '../../tests/support/samples.ts'
import type { Sample } from '../contract/metrics.ts'
import type { Log, SampleStore } from '../ports.ts'
import { realFiles, type Files } from './files.ts'
import { JsonWalk } from './json-walk.ts'
import { readLegacySample } from './legacy-sample.ts'
import { openSamples } from './samples.ts'

const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} }
let dir: string
let file: string
const time = new ManualTime(FIRST_DAY + 10 * 86_400_000)

beforeEach(async () => {
  dir = await fs.mkdtemp(join(tmpdir(), 'legacy-metrics-'))
  file = join(dir, 'old-metrics.json')
})
afterEach(() => fs.rm(dir, { recursive: true, force: true }))

async function start(files: Files = realFiles): Promise<SampleStore> {
  const store = openSamples({ dir, legacyFile: file, time, log: quiet, files })
  await store.flush()
  await store.close()
  return store
}
async function all(store: SampleStore): Promise<Sample[]> {
  let text = ''
  for await (const piece of store.lines(null, null)) text += piece
  return text.split('\n').filter(Boolean).map((line) => JSON.parse(line) as Sample)
}

const old = (fields: object = {}): object => ({ at: FIRST_DAY + 1000, ttft: 700, tps: 33.3, ok: true, inTokens: 10, outTokens: 20, ...fields })

it('takes over samples from every shape such a file may have', async () => {
  const shapes: unknown[] = [
    { 'p/m': [old(), old()] },
    { version: 1, samples: { 'p/m': [old(), old()] } },
    { metrics: { 'p/m': { samples: [old(), old()] } } },
    { p: { m: [old(), old()] } },
    [old({ provider: 'p', model: 'm' }), old({ provider: 'p', model: 'm' })],
    { samples: [old({ provider: 'p', model: 'm' }), old({ route: 1, provider: 'p', model: 'm' })] },
  ]
  for (const shape of shapes) {
    await fs.rm(join(dir, 'metrics'), { recursive: true, force: true })
    await fs.writeFile(file, JSON.stringify(shape, null, 2))
    const found = await all(await start())
    expect(found).toHaveLength(2)
    expect(found[0]).toEqual({
      at: FIRST_DAY + 1000, provider: 'p', model: 'm', endpoint: '', outcome: 'ok', code: null, message: null, wait: 0, ttft: 700, speed: 33.3,
      in: 10, out: 20, cacheRead: null, cacheWrite: null, purpose: 'chat',
    })
  }
})

it('does so once, without touching the old file', async () => {
  const text = JSON.stringify({ 'p/m': [old()] })
  await fs.writeFile(file, text)
  expect(await all(await start())).toHaveLength(1)
  await fs.writeFile(file, JSON.stringify({ 'p/m': [old(), old(), old()] }))
  const second = await start()
  expect(await all(second)).toHaveLength(1)
  expect(second.days().map(({ parts }) => parts.length)).toEqual([1])
  expect(await fs.readdir(join(dir, 'metrics', 'imported'))).toEqual(['2025-03-03.jsonl', '2025-03-03.sum'])
})

it('starts over when it was interrupted', async () => {
  await fs.writeFile(file, JSON.stringify({ 'p/m': [old()] }))
  const files: Files = { ...realFiles, rename: (from, to) => (String(to).endsWith('imported') ? Promise.reject(Object.assign(new Error('x'), { code: 'EIO' })) : fs.rename(from, to)) }
  const first = await start(files)
  expect([first.days(), first.problems().length]).toEqual([[], 1])
  await fs.mkdir(join(dir, 'metrics', 'imported.part'), { recursive: true })
  await fs.writeFile(join(dir, 'metrics', 'imported.part', '2025-03-03.jsonl'), 'half')
  expect(await all(await start())).toHaveLength(1)
})

it('leaves a file that is too large, and names it', async () => {
  const handle = await fs.open(file, 'w')
  await handle.truncate(200 * 1024 * 1024 + 1)
  await handle.close()
  const store = await start()
  expect(store.problems()).toMatchObject([{ file: 'metrics.json', problem: expect.stringContaining(file) as string }])
  await expect(fs.stat(join(dir, 'metrics', 'imported'))).rejects.toThrow()
})

it('says so when it finds nothing, or not all', async () => {
  await fs.writeFile(file, 'no json at all')
  expect((await start()).problems()[0]?.problem).toContain('no samples')
  await fs.rm(join(dir, 'metrics'), { recursive: true, force: true })
  await fs.writeFile(file, `{"p/m":[${JSON.stringify(old())},{"ttft":3},${JSON.stringify(old())},{"at":`)
  const store = await start()
  expect(await all(store)).toHaveLength(2)
  expect(store.problems()[0]?.problem).toContain('1 entries')
  expect(store.problems()[0]?.problem).toContain('ends too early')
})

it('reads what older samples say, and knows nothing they do not say', () => {
  const read = (raw: object): Sample | null => readLegacySample(raw, ['p/m'], FIRST_DAY + 86_400_000)
  expect(read({ t: (FIRST_DAY + 5000) / 1000, ttftMs: '120', speed: null })).toMatchObject({ at: FIRST_DAY + 5000, ttft: 120, speed: null, in: null, out: null, outcome: 'ok' })
  expect(read({ time: new Date(FIRST_DAY).toISOString(), ok: false, errorCode: 'QUOTA', errorMessage: '余额不足' })).toMatchObject({ at: FIRST_DAY, outcome: 'quota', code: 'QUOTA', message: '余额不足' })
  expect(read({ at: FIRST_DAY, success: false, error: { code: 'SERVER', message: '[object Object]' } })).toMatchObject({ outcome: 'server', code: 'SERVER', message: null })
  expect(read({ at: FIRST_DAY, errorCode: 'ABORTED' })).toMatchObject({ outcome: 'cancelled' })
  expect(read({ at: FIRST_DAY, ok: true, errorCode: 'X', waitMs: 30, purpose: 'title', cacheReadTokens: 0 })).toMatchObject({ outcome: 'ok', code: null, wait: 30, purpose: 'title', cacheRead: 0 })
  expect(read({ ttft: 3 })).toBeNull()
  expect(read({ at: FIRST_DAY + 10 * 86_400_000 })).toBeNull()
  expect(read({ at: 'yesterday' })).toBeNull()
  expect(readLegacySample({ at: FIRST_DAY }, ['samples'], FIRST_DAY)).toBeNull()
})

it('finds the same list members whatever pieces the text comes in', () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.array(fc.oneof(fc.record({ a: fc.jsonValue({ maxDepth: 2 }) }), fc.jsonValue({ maxDepth: 1 })))), fc.array(fc.nat(30)), (value, cuts) => {
    const text = JSON.stringify(value)
    const found: [unknown, string][] = []
    const walk = new JsonWalk((member, keys) => found.push([JSON.parse(member), keys.join('>')]))
    let at = 0
    for (const cut of cuts) { walk.take(text.slice(at, at + cut)); at += cut }
    walk.take(text.slice(at))
    expect(walk.whole).toBe(true)
    const members = (list: unknown, key: string): [unknown, string][] => (Array.isArray(list) ? list.flatMap((one: unknown) => (Array.isArray(one) ? members(one, key) : typeof one === 'object' && one !== null ? [[one, key] as [unknown, string]] : [])) : [])
    expect(found).toEqual(Object.entries(JSON.parse(text) as object).flatMap(([key, list]) => members(list, key)))
  }))
})

it('never fails on text that is no JSON', () => {
  fc.assert(fc.property(fc.string(), (text) => { new JsonWalk(() => {}).take(`[{${text}`); new JsonWalk(() => {}).take(text) }))
})
