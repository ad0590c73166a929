// Who may import whom, what the pure core may not touch, and how large a file may grow.
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** What the files of each part of `src/` may import: other parts, and packages for their values. Types may come from any package. */
const PARTS: Readonly<Record<string, { readonly parts: readonly string[]; readonly packages: readonly string[] }>> = {
  contract: { parts: ['contract'], packages: ['zod'] },
  domain: { parts: ['contract', 'domain'], packages: ['date-fns', 'date-fns-tz'] },
  ports: { parts: ['contract', 'domain', 'ports'], packages: [] },
  services: { parts: ['contract', 'domain', 'ports', 'services'], packages: [] },
  http: { parts: ['contract', 'domain', 'ports', 'services', 'http'], packages: ['zod', 'node:*'] },
  host: { parts: ['contract', 'domain', 'ports', 'host'], packages: ['zod', 'node:*'] },
  store: { parts: ['contract', 'domain', 'ports', 'store'], packages: ['zod', 'node:*'] },
}

/** Packages the browser half may use at run time; everything else costs bytes or is not there. */
const CLIENT_PACKAGES = ['preact', 'preact/*', '@preact/signals', 'react', 'zod/mini', '@deepseek-ai/dsh-client-ui-slots', '@deepseek-ai/dsh-client-ui-primitives', '@deepseek-ai/dsh-client-runtime/client']

interface Import {
  readonly from: string
  readonly types: boolean
}

interface Source {
  /** Relative to the project, with forward slashes. */
  readonly path: string
  readonly text: string
  /** The text without comments. */
  readonly code: string
  readonly imports: readonly Import[]
}

const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')

function importsOf(code: string): Import[] {
  const found: Import[] = []
  for (const [, types, from] of code.matchAll(/^\s*(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?'([^']+)'/gm)) found.push({ from: from!, types: types !== undefined })
  for (const [, from] of code.matchAll(/\bimport\(\s*'([^']+)'/g)) found.push({ from: from!, types: false })
  return found
}

function filesUnder(folder: string): Source[] {
  let names: string[]
  try {
    names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  } catch { /* the folder does not exist yet */
    return []
  }
  return names.filter((name) => /\.m?[jt]sx?$/.test(name)).map((name) => read(join(folder, name)))
}

function read(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const code = withoutComments(text)
  return { path: path.split(sep).join('/'), text, code, imports: importsOf(code) }
}

const isTest = ({ path }: Source) => /\.test\.tsx?$/.test(path) || path.includes('/testing/')
const SRC = filesUnder('src')
const CLIENT = filesUnder('client')
const ALL = [...SRC, ...CLIENT, ...['dev', 'tests', 'bench'].flatMap(filesUnder), read('host.mts')]
const PRODUCT = [...SRC, ...CLIENT].filter((file) => !isTest(file))

/** `src/domain/x.ts` → `domain`, `src/ports.ts` → `ports`. */
const partOf = (path: string) => path.split('/')[1]!.replace(/\.ts$/, '')
const target = (file: Source, from: string) => relative(ROOT, resolve(ROOT, dirname(file.path), from)).split(sep).join('/')
const allowed = (names: readonly string[], name: string) => names.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name))

describe('who may import whom', () => {
  it('knows every part of src/', () => {
    const unknown = SRC.map(({ path }) => partOf(path)).filter((part) => !(part in PARTS))
    expect(new Set(unknown)).toEqual(new Set())
  })

  it.each(Object.entries(PARTS))('src/%s imports only what it may', (part, { parts, packages }) => {
    const wrong = PRODUCT.filter(({ path }) => path.startsWith('src/') && partOf(path) === part).flatMap((file) => file.imports
      .filter(({ from, types }) => {
        if (!from.startsWith('.')) return !types && !allowed(packages, from)
        const path = target(file, from)
        return !(path.startsWith('src/') && parts.includes(partOf(path))) && !path.startsWith('locale/') && !(path === 'package.json')
      })
      .map(({ from }) => `${file.path} → ${from}`))
    expect(wrong).toEqual([])
  })

  it('lets nothing import the composition root', () => {
    expect(PRODUCT.filter(({ imports }) => imports.some(({ from }) => /(?:^|\/)host\.mts$/.test(from))).map(({ path }) => path)).toEqual([])
  })

  it('takes host packages for their types only', () => {
    const hostHalf = [...PRODUCT.filter(({ path }) => path.startsWith('src/')), read('host.mts')]
    const wrong = hostHalf.flatMap(({ path, imports }) => imports.filter(({ from, types }) => /^(?:@deepseek-ai\/|cordis)/.test(from) && !types).map(({ from }) => `${path} → ${from}`))
    expect(wrong).toEqual([])
  })

  it('gives the browser half the types of the contract and nothing else of src/', () => {
    const wrong = PRODUCT.filter(({ path }) => path.startsWith('client/')).flatMap((file) => file.imports
      .filter(({ from, types }) => {
        if (!from.startsWith('.')) return !types && !allowed(CLIENT_PACKAGES, from)
        const path = target(file, from)
        if (path.startsWith('client/') || path.startsWith('locale/')) return false
        return !(types && path.startsWith('src/contract/'))
      })
      .map(({ from }) => `${file.path} → ${from}`))
    expect(wrong).toEqual([])
  })

  it('imports zod as a namespace, which keeps the bundle a quarter of the size', () => {
    expect([...PRODUCT, read('host.mts')].filter(({ code }) => /import\s*\{[^}]*\bz\b[^}]*\}\s*from\s*'zod'/.test(code)).map(({ path }) => path)).toEqual([])
  })
})

describe('the pure core', () => {
  const IMPURE: readonly (readonly [what: string, pattern: RegExp])[] = [
    ['reads the clock', /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\./],
    ['starts a timer', /\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b/],
    ['draws a random number', /\bMath\.random\b|\bcrypto\./],
    ['waits', /\bawait\b|\basync\b|\bPromise\b/],
    ['uses Node', /'node:|\bprocess\.|\bBuffer\b/],
    ['logs', /\bconsole\./],
  ]

  it.each(IMPURE)('never %s', (_what, pattern) => {
    const domain = PRODUCT.filter(({ path }) => path.startsWith('src/domain/'))
    expect(domain.filter(({ code }) => pattern.test(code)).map(({ path }) => path)).toEqual([])
  })

  it.each(IMPURE.slice(0, 3))('and no service %s: time and chance come in through ports', (_what, pattern) => {
    const services = PRODUCT.filter(({ path }) => path.startsWith('src/services/'))
    expect(services.filter(({ code }) => pattern.test(code)).map(({ path }) => path)).toEqual([])
  })
})

describe('every file', () => {
  it('has at most 300 lines', () => {
    expect(ALL.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 })).filter(({ lines }) => lines > 300)).toEqual([])
  })

  it('begins by saying what it owns', () => {
    expect(ALL.filter((file) => !isTest(file)).filter(({ text }) => !/^(?:\/\/ |\/\*\*?\s)/.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('names no place of one machine', () => {
    const own = ALL.filter(({ path }) => path !== 'tests/architecture.test.ts')
    expect(own.filter(({ text }) => /\/work\/|\/root\/|registry\.npm/.test(text)).map(({ path }) => path)).toEqual([])
  })
})
