// Any bytes in any data file: opened, set aside or left alone, never a throw, and never a byte of the user's lost.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Refusal } from '../src/contract/refusal.ts'
import { openDocument, type DocumentSpec } from '../src/store/document.ts'
import { realFiles } from '../src/store/files.ts'
import { FILES } from '../src/store/layout.ts'
import { HEADER_LINE, readLine, writeLine } from '../src/store/sample-line.ts'
import { openSamples } from '../src/store/samples.ts'
import { bindingsSpec, concurrencySpec, defaultBindingSpec, failedSpec, groupsSpec, healthSpec, importedSpec, settingsSpec } from '../src/store/specs.ts'
import { openStore } from '../src/store/store.ts'
import { memoryLog } from '../src/store/testing/folder.ts'
import { ManualTime } from './support/manual-time.ts'
import { bytesNear, json, near, RUNS, timeFor } from './support/weird.ts'

const NOW = Date.UTC(2025, 2, 3, 4)
const route = { provider: 'alpha', model: 'a-1' }
const entry = { ...route, priority: 1, effort: 'low', windows: [{ from: 22, to: 6 }], until: '2030-01-01', disabled: true, ask: true }
const mark = { ...route, class: 'quota', code: 'QUOTA', reason: 'gone', count: 2, at: NOW, manual: false }
const session = {
  groupId: 'g-1', mode: 'failover', pin: false, home: { ...route, effort: 'low' }, override: { provider: 'beta', model: 'b-1', kind: 'failure', class: 'quota', from: route, at: NOW, until: null },
  rejections: [{ ...route, class: 'context_too_long', tokens: 9, at: NOW }], consents: [{ ...route, once: true }], seenAt: NOW,
}

/** Each document with legal contents: of this version, of none, of a newer one. */
const DOCUMENTS: readonly (readonly [spec: DocumentSpec<unknown>, examples: readonly unknown[]])[] = [
  [groupsSpec, [{ version: 1, groups: [{ id: 'g-1', rev: 2, name: 'Daily', enabled: true, models: [entry] }] }, { groups: [{ name: 'Old', models: [entry] }] }, [{ id: 'x', name: 'Older', models: [{ ...route, priority: 3 }] }]]],
  [bindingsSpec(NOW), [{ version: 1, sessions: { 's-1': session } }, { 's-1': { groupId: 'g-1', mode: 'route' } }]],
  [defaultBindingSpec, [{ version: 1, binding: { groupId: 'g-1', mode: 'route' } }, { groupId: 'g-1', mode: 'failover' }]],
  [failedSpec(NOW), [{ version: 1, day: '2025-03-03', marks: [mark] }, { day: '2025-03-03', failed: [{ ...route, code: 'QUOTA' }] }]],
  [settingsSpec, [{ version: 1, settings: { notifyUser: true, metricsSort: null } }, { dialogMode: 'tabs', metricsSort: { key: 'x', dir: 'desc' } }]],
  [concurrencySpec, [{ version: 1, limits: { 'alpha/a-1': 3 } }, { 'alpha/a-1': 3 }]],
  [healthSpec, [{ version: 1, holds: [{ ...route, scope: 'route', class: 'quota', until: NOW + 1000, setAt: NOW, maxMs: 86_400_000, reason: null, code: null }], endpoints: [] }]],
  [importedSpec, [{ version: 1, at: NOW, from: null, taken: [], skipped: [] }]],
]

let dir = ''
let runs = 0
beforeAll(() => { dir = mkdtempSync(join(tmpdir(), 'mf-fuzz-')) })
afterAll(() => { rmSync(dir, { recursive: true, force: true }) })

/** An empty folder of its own for each run. */
function folder(): string {
  const path = join(dir, String(++runs))
  mkdirSync(path)
  return path
}

const contents = (path: string, name: string): Buffer[] => readdirSync(path).filter((one) => one === name || one.startsWith(`${name}.`)).map((one) => readFileSync(join(path, one)))
const kept = (path: string, name: string, bytes: Uint8Array): boolean => contents(path, name).some((one) => one.equals(bytes))

describe('a document', () => {
  it.each(DOCUMENTS.map(([spec, examples]) => [spec.name, spec, examples] as const))('%s opens whatever stands in it', async (name, spec, examples) => {
    await fc.assert(fc.asyncProperty(bytesNear([...examples, { version: 2, ...(examples[0] as object) }]), fc.boolean(), async (bytes, edit) => {
      const path = folder()
      writeFileSync(join(path, name), bytes)
      const log = memoryLog()
      const document = await openDocument(spec, { dir: path, time: new ManualTime(NOW), log, files: realFiles })
      // What is in use is legal, and what was not understood is kept.
      expect(spec.schema.safeParse(document.value).success).toBe(true)
      if (document.problems().length > 0) expect(kept(path, name, bytes)).toBe(true)
      const wrote = edit ? await document.change((value) => ({ ...value as object })).then(() => true, (error: unknown) => { expect(error).toBeInstanceOf(Refusal); return false }) : false
      await document.close()
      if (!wrote || document.problems().some(({ problem }) => problem.includes('broken') || problem.includes('older'))) expect(kept(path, name, bytes)).toBe(true)
      if (wrote) {
        const again = await openDocument(spec, { dir: path, time: new ManualTime(NOW), log, files: realFiles })
        expect(again.problems()).toEqual([])
        expect(again.value).toEqual(document.value)
        await again.close()
      }
      rmSync(path, { recursive: true })
    }), { numRuns: RUNS, endOnFailure: true })
  }, timeFor(30))
})

describe('the folder of the older plugin', () => {
  it('is read as far as it goes, and not one byte of it is changed', async () => {
    const older = Object.values(FILES)
    await fc.assert(fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...older), bytesNear(DOCUMENTS.flatMap(([, examples]) => examples))), { maxLength: 6 }), async (files) => {
      const path = folder()
      const legacyDir = join(path, 'older')
      mkdirSync(legacyDir)
      const last = new Map(files)
      for (const [name, bytes] of last) writeFileSync(join(legacyDir, name), bytes)
      const store = await openStore({ dir: join(path, 'ours'), legacyDir, time: new ManualTime(NOW), log: memoryLog() })
      await store.groups.change((value) => ({ ...value, groups: [...value.groups] }))
      await store.close()
      expect(new Set(readdirSync(legacyDir))).toEqual(new Set(last.keys()))
      for (const [name, bytes] of last) expect(readFileSync(join(legacyDir, name)).equals(bytes), name).toBe(true)
      const again = await openStore({ dir: join(path, 'ours'), legacyDir, time: new ManualTime(NOW), log: memoryLog() })
      expect(again.groups.value).toEqual(store.groups.value)
      expect(again.problems().filter(({ problem }) => problem.includes('broken'))).toEqual([])
      await again.close()
      rmSync(path, { recursive: true })
    }), { numRuns: RUNS, endOnFailure: true })
  }, timeFor(150))
})

const sample = {
  at: NOW, provider: 'alpha', model: 'a-1', endpoint: 'ab', outcome: 'ok' as const, purpose: 'chat' as const, code: null, message: null,
  wait: 0, ttft: 120.5, speed: 40, in: 100, out: 20, cacheRead: 0, cacheWrite: null,
}

describe('the samples', () => {
  it('a line is a sample, a header or broken, whatever it says', () => {
    fc.assert(fc.property(fc.oneof(bytesNear([sample, { version: 1 }]).map((bytes) => Buffer.from(bytes).toString('utf8')), near([sample]).map((value) => JSON.stringify(value) ?? '')), (text) => {
      const line = readLine(text)
      if (line.kind === 'sample') expect(readLine(writeLine(line.sample).trimEnd())).toEqual(line)
    }), { numRuns: RUNS })
  })

  it('a day that holds anything opens, takes new samples and keeps every whole line that was there', async () => {
    const line = fc.oneof({ weight: 3, arbitrary: fc.constant(Buffer.from(writeLine(sample).trimEnd())) }, { weight: 2, arbitrary: bytesNear([sample]).map((bytes) => Buffer.from(bytes)) }, { weight: 1, arbitrary: json.map((value) => Buffer.from(JSON.stringify(value) ?? '')) })
    await fc.assert(fc.asyncProperty(fc.array(line, { maxLength: 6 }), fc.boolean(), fc.constantFrom('2025-03-03.jsonl', '2025-03-02.jsonl', '2025-03-03.sum', '2025-03-02.sum', 'notes.txt', '2025-02-30.jsonl'), async (lines, torn, name) => {
      const path = folder()
      const metrics = join(path, 'metrics')
      mkdirSync(metrics)
      const bytes = Buffer.concat([Buffer.from(HEADER_LINE), ...lines.flatMap((one, index) => (torn && index === lines.length - 1 ? [one] : [one, Buffer.from('\n')]))])
      writeFileSync(join(metrics, name), bytes)
      const time = new ManualTime(NOW)
      const samples = openSamples({ dir: path, time, log: memoryLog() })
      await samples.ready
      samples.add(sample)
      await samples.flush()
      expect(samples.days().length).toBeGreaterThan(0)
      for await (const piece of samples.lines(null, null)) expect(typeof piece).toBe('string')
      await samples.close()
      const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1)
      expect(contents(metrics, name).some((one) => one.subarray(0, whole.length).equals(whole)), name).toBe(true)
      const again = openSamples({ dir: path, time: new ManualTime(NOW), log: memoryLog() })
      await again.ready
      await again.close()
      rmSync(path, { recursive: true })
    }), { numRuns: RUNS, endOnFailure: true })
  }, timeFor(100))

  it('the older metrics of any content are taken over or left, unchanged', async () => {
    const older = [{ samples: [{ ts: NOW, provider: 'alpha', model: 'a-1', ok: true, ttftMs: 100, tps: 30, inTokens: 10, outTokens: 3 }] }, [{ at: NOW, provider: 'alpha', model: 'a-1', outcome: 'ok' }], { 'alpha/a-1': [{ at: NOW, ok: false, code: 'QUOTA' }] }]
    await fc.assert(fc.asyncProperty(bytesNear(older), async (bytes) => {
      const path = folder()
      const legacyFile = join(path, 'metrics.json')
      writeFileSync(legacyFile, bytes)
      const samples = openSamples({ dir: join(path, 'ours'), legacyFile, time: new ManualTime(NOW), log: memoryLog() })
      await samples.ready
      await samples.close()
      expect(readFileSync(legacyFile).equals(bytes)).toBe(true)
      rmSync(path, { recursive: true })
    }), { numRuns: RUNS, endOnFailure: true })
  }, timeFor(100))
})
