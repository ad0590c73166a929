// What would be published: exactly the files named here, small enough, and nothing of the machine that built them. Needs a built lib/.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Upper bound of the tarball, in bytes. */
const BUDGET = 400_000

const FILES = [
  'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'README.zh.md', 'SECURITY.md', 'cordis.patch.yml', 'icon.svg', 'package.json',
  'docs/architecture.md', 'docs/health.md', 'docs/http.md', 'docs/promises.md', 'docs/images/path.svg', 'docs/images/path.zh.svg',
  'lib/THIRD-PARTY-NOTICES.txt', 'lib/client.js', 'lib/host.mjs', 'locale/en.json', 'locale/zh.json',
  'skills/configure-model-failover/SKILL.md', 'types/index.d.ts',
]

/** Signs of a source map, of a folder of the building machine, and of a registry. */
const FOREIGN = [
  [/sourceMappingURL/, 'a source map'],
  [/\bfile:\/\/\/[a-z]/i, 'a file address'],
  [/node_modules\/\.pnpm/, 'a folder of the package store'],
  [/\bregistry\.npm/, 'a registry'],
]

const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], shell: process.platform === 'win32' })
const [{ files, size, unpackedSize }] = Object.values(JSON.parse(packed))
const problems = []
const names = new Set(files.map(({ path }) => path))
for (const name of FILES) if (!names.has(name)) problems.push(`${name} is missing`)
for (const name of names) if (!FILES.includes(name)) problems.push(`${name} is not expected`)
if (size > BUDGET) problems.push(`the tarball has ${size} bytes; the budget is ${BUDGET}`)

/** @param {unknown} target a leaf or a map of conditions @returns {string[]} the files it names */
const targets = (target) => (typeof target === 'string' ? [target] : Object.values(target).flatMap(targets))
for (const target of [manifest.main, manifest.types, manifest.icon, manifest.dsh.bundle.patch, ...targets(manifest.exports)]) {
  const name = target.replace(/^\.\//, '')
  const there = name.includes('*') ? [...names].some((one) => one.startsWith(name.slice(0, name.indexOf('*')))) : names.has(name)
  if (!there) problems.push(`package.json names ${target}, which is not packed`)
}

for (const name of names) {
  const text = readFileSync(join(root, name), 'utf8')
  for (const [pattern, what] of FOREIGN) if (pattern.test(text)) problems.push(`${name} holds ${what}`)
  for (const place of [root, `${homedir()}/`]) if (text.includes(place)) problems.push(`${name} names a folder of this machine`)
}

console.log(`${names.size} files, ${size} bytes packed (budget ${BUDGET}), ${unpackedSize} unpacked`)
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
