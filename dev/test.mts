// `npm test`: every check of the project, one after the other. The last line counts test cases, with lint and types as one case each.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireChromium } from './browser.mts'
import { makeTemplate, ROOT } from './home.mts'
import { atExit, temporaryFolder } from './lifetime.mts'

interface Count {
  readonly passed: number
  readonly failed: number
}

const BIN = join(ROOT, 'node_modules/.bin')

/** Runs a tool of the project with its output shown; answers its exit code. */
async function tool(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(join(BIN, script), args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } })
  const forget = atExit(() => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      forget()
      resolve(code ?? 1)
    })
  })
}

const check = async (script: string, args: readonly string[]): Promise<Count> => ((await tool(script, args)) === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 })

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly { readonly status: string }[] }[]
}

/** Runs suites of vitest; a file that cannot even be loaded counts as one failed case. */
async function suites(names: readonly string[], reports: string, env: NodeJS.ProcessEnv = {}): Promise<Count> {
  const file = join(reports, `${names.join('-')}.json`)
  const code = await tool('vitest', ['run', ...names.flatMap((name) => ['--project', name]), '--passWithNoTests', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`], env)
  let report: Report
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch { /* vitest ended before it could report */
    return { passed: 0, failed: 1 }
  }
  const unloaded = report.testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.every((one) => one.status !== 'failed')).length
  const failed = report.numFailedTests + unloaded
  // An error outside of any test leaves all cases green and only the exit code red.
  return { passed: report.numPassedTests, failed: code !== 0 && failed === 0 ? 1 : failed }
}

interface Step {
  readonly title: string
  readonly run: () => Promise<Count>
}

const { path: reports } = temporaryFolder('test')
let template = ''

const STEPS: readonly Step[] = [
  { title: 'lint', run: () => check('oxlint', ['--type-aware', '--deny-warnings']) },
  { title: 'types of the host half', run: () => check('tsc', ['-p', '.']) },
  { title: 'types of the browser half', run: () => check('tsc', ['-p', 'client']) },
  { title: 'types of the browser tests', run: () => check('tsc', ['-p', 'tests/browser']) },
  { title: 'unused files, exports and dependencies', run: () => check('knip', []) },
  { title: 'unit tests and stories', run: () => suites(['unit', 'stories'], reports) },
  {
    title: 'build, pack and install',
    run: async () => {
      template = (await makeTemplate()).path
      return { passed: 1, failed: 0 }
    },
  },
  { title: 'package', run: () => check('publint', ['--level', 'error']) },
  { title: 'contents of the package', run: () => check('node', ['dev/checkpack.mjs']) },
  { title: 'the real host', run: () => suites(['e2e'], reports, { MF_TEMPLATE: template }) },
  {
    title: 'the real host in a browser',
    run: () => {
      requireChromium()
      return suites(['browser'], reports, { MF_TEMPLATE: template })
    },
  },
]

let passed = 0
let failed = 0
const summary: string[] = []
for (const { title, run } of STEPS) {
  console.log(`\n── ${title}`)
  const started = Date.now()
  let count: Count
  try {
    count = await run()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    count = { passed: 0, failed: 1 }
  }
  passed += count.passed
  failed += count.failed
  summary.push(`${count.failed === 0 ? 'ok    ' : 'FAILED'} ${title}: ${count.passed} passed, ${count.failed} failed (${((Date.now() - started) / 1000).toFixed(1)} s)`)
}
console.log(`\n${summary.join('\n')}\n`)
process.exitCode = failed === 0 ? 0 : 1
process.once('beforeExit', () => process.exit())
console.log(`${passed} passed, ${failed} failed`)
