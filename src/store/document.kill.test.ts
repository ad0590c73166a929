// A process that writes without pause is killed at random instants; the file must always hold the old or the new document.
import { spawn } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import * as z from 'zod'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ManualTime } from '../../tests/support/manual-time.ts'
import { openDocument, type DocumentSpec } from './document.ts'
import { realFiles, sweepTemps } from './files.ts'
import { memoryLog, tempFolder } from './testing/folder.ts'

const KILLS = Number(process.env['MODEL_FAILOVER_KILLS'] ?? 30)

interface Counter { readonly version: 1; readonly n: number; readonly filling: string }
const schema = z.strictObject({ version: z.literal(1), n: z.number(), filling: z.string() })
const spec: DocumentSpec<Counter> = { name: 'counter.json', version: 1, schema, initial: { version: 1, n: 0, filling: '' } }

/** Counts up by turns durably and behind, and says each durable number after it was acknowledged. */
const WRITER = `
const [folder, module] = process.argv.slice(-2)
const { openDocument, realFiles } = await import(module)
const schema = { safeParse: (data) => ({ success: true, data }) }
const time = { now: Date.now, mono: () => performance.now(), after: (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer) } }
const log = { info() {}, warn() {}, error() {} }
const document = await openDocument({ name: 'counter.json', version: 1, schema, initial: { version: 1, n: 0, filling: '' } }, { dir: folder, time, log, files: realFiles })
for (let n = document.value.n + 1; ; n++) {
  document.set({ version: 1, n: n - 0.5, filling: 'y'.repeat(n % 7 * 20000) })
  await document.replace({ version: 1, n, filling: 'x'.repeat(n % 7 * 20000) })
  process.stdout.write(n + '\\n')
}`

let folder: Awaited<ReturnType<typeof tempFolder>>
let module: string

beforeAll(async () => {
  folder = await tempFolder()
  module = join(folder.dir, 'document.mjs')
  const here = fileURLToPath(new URL('.', import.meta.url))
  await build({ stdin: { contents: "export { openDocument } from './document.ts'\nexport { realFiles } from './files.ts'", resolveDir: here, loader: 'ts' }, bundle: true, platform: 'node', format: 'esm', outfile: module })
})
afterAll(() => folder.remove())

/** Runs the writer until it is killed; resolves with the last number it acknowledged (0 = none). */
async function killedWriter(dir: string, acknowledged: number, delayMs: number): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', WRITER, dir, pathToFileURL(module).href], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  let seen = 0
  const enough = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more
      seen += more.split('\n').length - 1
      if (seen >= acknowledged) resolve()
    })
    child.once('exit', () => { resolve() })
  })
  const gone = new Promise<void>((resolve) => { child.once('close', () => { resolve() }) })
  await enough
  await wait(delayMs)
  child.kill('SIGKILL')
  await gone
  return Number(text.trimEnd().split('\n').at(-1) ?? 0)
}

it(`survives ${KILLS} kills at random instants without losing an acknowledged write`, { timeout: KILLS * 3000 }, async () => {
  const env = { dir: join(folder.dir, 'data'), time: new ManualTime(), log: memoryLog(), files: realFiles }
  let before = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const last = await killedWriter(env.dir, 1 + Math.floor(Math.random() * 12), Math.random() * 6)
    expect(last).toBeGreaterThan(before)
    const text = await readFile(join(env.dir, spec.name), 'utf8')
    expect(text.endsWith('}\n')).toBe(true)
    const document = await openDocument(spec, env)
    expect(document.problems()).toEqual([])
    expect(document.value.n).toBeGreaterThanOrEqual(last)
    expect(document.value.n).toBeLessThanOrEqual(last + 1)
    before = Math.floor(document.value.n)
  }
  await sweepTemps(realFiles, env.dir, env.time.now())
  expect(await readdir(env.dir)).toEqual([spec.name])
})
