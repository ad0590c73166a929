// `npm run bench`: every performance target with what we take, what the least possible design takes, and what an obvious one takes. `--quick` in under a minute.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { failureRows } from './failure.bench.mts'
import { hostRows } from './host.bench.mts'
import { killRow } from './kill.mts'
import { measurePick } from './pick.bench.mts'
import { sampleRows } from './samples.bench.mts'
import { ladder, product } from './sim.mts'
import { streamRows } from './streams.bench.mts'
import type { BenchRow } from './row.ts'

const USAGE = `usage: npm run bench [-- [--quick] [--only <row,row>]]
  --quick  smaller data and fewer rounds; under a minute
  --only   just these rows, for example --only 1,2,7`

/** The bundle as it was built last; null without one. */
function bundleRow(): BenchRow | null {
  let bytes: number
  try { bytes = gzipSync(readFileSync(fileURLToPath(new URL('../lib/client.js', import.meta.url))), { level: 9 }).length } catch {
    console.log('row 12 needs the bundle: npm run build')
    return null
  }
  return { id: 12, work: 'browser bundle with the dashboard and both locales', ours: bytes / 1024, floor: null, naive: null, unit: 'KB', target: '≤ 40 KB gzip', met: bytes <= 40 * 1024 }
}

async function weekRows(quick: boolean): Promise<BenchRow[]> {
  const weeks = await Promise.all((quick ? [1] : [1, 2, 3, 4, 5]).map((run) => product(run)))
  const met = Math.max(...weeks.map((week) => week.met))
  const probes = Math.max(...weeks.map((week) => week.probesADay))
  const plain = ladder()
  return [
    { id: 13, work: 'a delisted first route for a week: requests of users that meet it', ours: met, floor: null, naive: plain.met, unit: '', target: '≤ 5 a week', met: met <= 5 },
    { id: 13, work: 'the same: probes', ours: probes, floor: 0, naive: null, unit: 'a day', target: '≤ 25 a day', met: probes <= 25 },
  ]
}

const SUITES: readonly (readonly [rows: readonly number[], run: (quick: boolean) => Promise<readonly BenchRow[]>])[] = [
  [[1, 2, 14], streamRows],
  [[3], () => measurePick()],
  [[4, 11], hostRows],
  [[5], failureRows],
  [[6, 7, 8, 9], sampleRows],
  [[10], async (quick) => [await killRow(quick ? 5 : 100)]],
  [[12], async () => [bundleRow()].filter((row) => row !== null)],
  [[13], weekRows],
]

const show = (value: number | null): string => {
  if (value === null) return '–'
  return Number.isInteger(value) && Math.abs(value) < 1e6 ? String(value) : Number(value.toPrecision(3)).toString()
}
const ratio = (row: BenchRow): string => [
  row.floor ? `${(row.ours / row.floor).toFixed(2)} × floor` : '', row.naive && row.ours > 0 ? `naive ${show(row.naive / row.ours)} ×` : '',
].filter(Boolean).join(', ')

function print(rows: readonly BenchRow[]): void {
  const cells = rows.map((row) => [String(row.id), row.work, show(row.ours), show(row.floor), show(row.naive), row.unit, ratio(row), row.target, row.met ? 'met' : 'MISSED'])
  const table = [['#', 'work', 'ours', 'floor', 'naive', 'unit', 'ratio', 'target', ''], ...cells]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0))) ?? []
  const numbers = new Set([0, 2, 3, 4])
  for (const line of table) console.log(line.map((cell, column) => (numbers.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join('  ').trimEnd())
}

const args = process.argv.slice(2)
const only = args.includes('--only') ? new Set((args[args.indexOf('--only') + 1] ?? '').split(',').map(Number)) : null
if (args.includes('--help') || (only && [...only].some((id) => !(id >= 1 && id <= 14)))) {
  console.log(USAGE)
  process.exit(args.includes('--help') ? 0 : 2)
}
const quick = args.includes('--quick')
const rows: BenchRow[] = []
for (const [ids, run] of SUITES) {
  if (only && !ids.some((id) => only.has(id))) continue
  rows.push(...(await run(quick)).filter((row) => !only || only.has(row.id)))
}
rows.sort((a, b) => a.id - b.id)
print(rows)
const targets = new Set(rows.map(({ id }) => id))
const missed = new Set(rows.filter(({ met }) => !met).map(({ id }) => id))
console.log(`\n${targets.size - missed.size} of ${targets.size} targets met${missed.size > 0 ? `; missed: ${[...missed].join(', ')}` : ''}`)
// Timers of the measured services and the framework would keep the process alive.
process.exit(0)
