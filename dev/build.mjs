// Bundles both halves into lib/: host.mjs for Node, client.js for the host's page. Fails on a run-time import of a host package and above the size budget.
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { ownNames, slimSignals, slimTexts, squeeze } from './slim.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Upper bound of lib/client.js after gzip, in bytes. */
const CLIENT_BUDGET = 40_000

/** What the page's module loader answers; every other import has to be inlined. */
const PAGE_MODULES = [
  'react',
  'react/jsx-runtime',
  'react-dom',
  'react-dom/client',
  '@deepseek-ai/cordis',
  '@deepseek-ai/dsh-client-ui-slots',
  '@deepseek-ai/dsh-client-ui-primitives',
  '@deepseek-ai/dsh-client-runtime/client',
]

/** The manifest is imported for its name and version only; the rest would be dead weight in the bundle. */
const slimManifest = {
  name: 'slim-manifest',
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) =>
      path === join(root, 'package.json') ? { contents: JSON.stringify({ name, version }), loader: 'json' } : undefined)
  },
}

/** The host half speaks only the texts under `host`; those of the page would be 40 KB for nothing. */
const hostWords = {
  name: 'host-words',
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]locale[\\/]\w+\.json$/ }, ({ path }) =>
      dirname(path) === join(root, 'locale') ? { contents: JSON.stringify({ host: JSON.parse(readFileSync(path, 'utf8')).host }), loader: 'json' } : undefined)
  },
}

const common = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  charset: 'utf8',
  legalComments: 'none',
  metafile: true,
  sourcemap: false,
  write: false,
  logLevel: 'warning',
  loader: { '.md': 'text', '.css': 'text', '.svg': 'text' },
  plugins: [slimManifest],
}

/** Replaces a file of lib/ in one step: a host or test that reads it meanwhile sees the old or the new one. */
function put(file, content) {
  const target = join(root, 'lib', file)
  const draft = `${target}.${process.pid}.tmp`
  writeFileSync(draft, content)
  renameSync(draft, target)
}

/** Every import that stays in a bundle must be one that its surroundings can answer. */
function checkImports(metafile, allowed, half) {
  for (const output of Object.values(metafile.outputs))
    for (const { path, external } of output.imports)
      if (external && !allowed(path))
        throw new Error(`the ${half} half imports ${path} at run time; take it from the context, or import its types only`)
  for (const path of Object.keys(metafile.inputs))
    if (/node_modules\/(?:@deepseek-ai|cordis|react|react-dom)\//.test(path))
      throw new Error(`the ${half} half bundles ${path}; a second copy of a host package breaks the host`)
}

/** The nearest package.json above a bundled file that names a package. */
function packageOf(path) {
  for (let dir = dirname(join(root, path)); dir.length > root.length; dir = dirname(dir)) {
    try {
      const manifest = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
      if (manifest.name && manifest.version) return { dir, manifest }
    } catch { /* no manifest here: look one folder up */ }
  }
  throw new Error(`no package owns ${path}`)
}

/** Names, versions and licence texts of everything that the two bundles contain. */
function notices(metafiles) {
  const found = new Map()
  for (const metafile of metafiles)
    for (const path of Object.keys(metafile.inputs))
      if (path.includes('node_modules/')) {
        const { dir, manifest } = packageOf(path)
        found.set(`${manifest.name} ${manifest.version}`, { dir, manifest })
      }
  const sections = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([title, { dir, manifest }]) => {
    const file = readdirSync(dir).find((entry) => /^(?:licen[cs]e|copying)(?:\.|-|$)/i.test(entry))
    if (!file) throw new Error(`${title} has no licence file to reproduce`)
    return `${title} (${manifest.license})\n\n${readFileSync(join(dir, file), 'utf8').trim()}\n`
  })
  return `The bundles of ${name} contain the following third-party software.\n\n${sections.join(`\n${'-'.repeat(72)}\n\n`)}`
}

const clientFiles = readdirSync(join(root, 'client'), { recursive: true }).filter((file) => /\.tsx?$/.test(file) && !/\.test\./.test(file)).map((file) => join(root, 'client', file))

const [host, client] = await Promise.all([
  build({
    ...common,
    entryPoints: ['host.mts'],
    outfile: 'lib/host.mjs',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    plugins: [slimManifest, hostWords],
  }),
  build({
    ...common,
    entryPoints: ['client/index.tsx'],
    outfile: 'lib/client.js',
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { jsx: 'react', verbatimModuleSyntax: true } },
    jsx: 'transform',
    jsxFactory: 'h',
    jsxFragment: 'Fragment',
    inject: ['dev/jsx.mjs'],
    mangleProps: ownNames(readdirSync(join(root, 'src/contract')).map((file) => readFileSync(join(root, 'src/contract', file), 'utf8')).join('\n')),
    plugins: [...common.plugins, slimSignals(root), slimTexts(root, clientFiles)],
    define: { 'process.env.NODE_ENV': '"production"', MODEL_FAILOVER_VERSION: JSON.stringify(version) },
    external: PAGE_MODULES,
  }),
])

checkImports(host.metafile, (path) => path.startsWith('node:'), 'host')
checkImports(client.metafile, (path) => PAGE_MODULES.includes(path), 'browser')

const script = await squeeze(name, client.outputFiles[0].text)
const zipped = gzipSync(script, { level: 9 }).length
if (zipped > CLIENT_BUDGET)
  throw new Error(`lib/client.js is ${zipped} bytes after gzip; the budget is ${CLIENT_BUDGET}`)

mkdirSync(join(root, 'lib'), { recursive: true })
put('host.mjs', host.outputFiles[0].contents)
put('client.js', script)
put('THIRD-PARTY-NOTICES.txt', notices([host.metafile, client.metafile]))
console.log(`lib/host.mjs ${host.outputFiles[0].contents.length} bytes, lib/client.js ${Buffer.byteLength(script)} bytes (${zipped} after gzip)`)
