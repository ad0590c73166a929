// `npm run docs`: writes the generated parts of the readmes and of docs/ anew, and the diagrams. With `-- --check` it only names what is stale, and fails.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { classTable } from './docs/classes.ts'
import { configTable } from './docs/config.ts'
import { walkDiagram } from './docs/diagram.ts'
import { eventsTable } from './docs/events.ts'
import { filesTable } from './docs/files.ts'
import { httpFrame, httpReference, httpTable, shapeReference } from './docs/http.ts'
import { numbersTable } from './docs/numbers.ts'
import { rendered, type Language, type Parts } from './docs/page.ts'
import { walkTable } from './docs/walk.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const readmeParts = (language: Language): Parts => ({
  classes: classTable(language), config: configTable(language), http: httpTable(language), files: filesTable(language),
})

const pageParts = (): Parts => ({
  walk: walkTable('en'), events: eventsTable(), numbers: numbersTable(), classes: classTable('en'),
  'http-frame': httpFrame(), operations: httpReference(), shapes: shapeReference(),
})

/** Pages with generated parts. */
export const PAGES: Readonly<Record<string, () => Parts>> = {
  'README.md': () => readmeParts('en'),
  'README.zh.md': () => readmeParts('zh'),
  'docs/architecture.md': pageParts,
  'docs/health.md': pageParts,
  'docs/http.md': pageParts,
}

const DRAWINGS: Readonly<Record<string, () => string>> = {
  'docs/images/path.svg': () => walkDiagram('en'),
  'docs/images/path.zh.svg': () => walkDiagram('zh'),
}

function current(path: string): string | null {
  try { return readFileSync(join(ROOT, path), 'utf8') } catch { return null /* not written yet */ }
}

/** The files as they should be. A page that is missing cannot be generated, so it throws. */
export function wanted(): ReadonlyMap<string, string> {
  const pages = Object.entries(PAGES).map(([path, parts]) => {
    const text = current(path)
    if (text === null) throw new Error(`${path} is missing; only the parts between its marks are generated`)
    return [path, rendered(text, parts())] as const
  })
  return new Map([...pages, ...Object.entries(DRAWINGS).map(([path, draw]) => [path, draw()] as const)])
}

/** Paths whose content is not what the code says today. */
export function stale(): string[] {
  return [...wanted()].filter(([path, text]) => current(path) !== text).map(([path]) => path)
}

function main(args: readonly string[]): number {
  if (args.some((arg) => arg !== '--check')) {
    console.error('usage: npm run docs [-- --check]')
    return 2
  }
  const paths = stale()
  if (args.length > 0) {
    for (const path of paths) console.error(`${path} is stale; run npm run docs`)
    return paths.length === 0 ? 0 : 1
  }
  const files = wanted()
  for (const path of paths) writeFileSync(join(ROOT, path), files.get(path) ?? '')
  console.log(paths.length === 0 ? 'All documents are up to date.' : `Written: ${paths.join(', ')}`)
  return 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = main(process.argv.slice(2))
