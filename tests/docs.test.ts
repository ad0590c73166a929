// The documents stay true: generated parts are fresh, and every command, link, path, promise and word of the page still exists.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { PAGES, stale } from '../dev/docs.mts'
import { partsOf } from '../dev/docs/page.ts'
import en from '../locale/en.json' with { type: 'json' }
import zh from '../locale/zh.json' with { type: 'json' }
import manifest from '../package.json' with { type: 'json' }
import { CONFIG_KEYS } from '../src/contract/config.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const README = { en: text('README.md'), zh: text('README.zh.md') }
const DOCUMENTS = ['README.md', 'README.zh.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)]

const withoutCode = (markdown: string): string => markdown.replaceAll(/```[\s\S]*?```/g, '')
const all = (markdown: string, pattern: RegExp): string[] => [...markdown.matchAll(pattern)].map(([, found]) => found ?? '')
const links = (markdown: string): string[] => all(withoutCode(markdown), /\]\(([^)\s]+)\)/g)

describe('generated parts', () => {
  it('are what the code says today; `npm run docs` writes them', () => {
    expect(stale()).toEqual([])
  })

  it.each(Object.keys(PAGES))('%s has some', (page) => {
    expect(partsOf(text(page)).length).toBeGreaterThan(0)
  })

  it('name every key of the config in both readmes', () => {
    for (const readme of Object.values(README)) expect(CONFIG_KEYS.filter((key) => !readme.includes(`\`${key}\``))).toEqual([])
  })
})

describe.each(DOCUMENTS)('%s', (document) => {
  const markdown = text(document)

  it('names only commands that exist', () => {
    const commands = [...all(markdown, /npm run (?:-s )?([\w:-]+)/g), ...all(markdown, /npm (start|test)\b/g)]
    expect(commands.filter((name) => !(name in manifest.scripts))).toEqual([])
  })

  it('links only to what is there', () => {
    const targets = links(markdown).filter((target) => !target.startsWith('#')).map((target) => target.replace(/#.*$/, ''))
    expect(targets.filter((target) => /^[a-z]+:/.test(target))).toEqual([])
    expect(targets.filter((target) => !existsSync(join(ROOT, dirname(document), target)))).toEqual([])
    expect(targets.filter((target) => normalize(join(dirname(document), target)).startsWith('..'))).toEqual([])
  })

  it('names only files and folders that are there', () => {
    const paths = all(markdown, /`((?:src|client|tests|dev|bench|locale|docs|types|skills|\.ci)\/[\w./-]*)`/g)
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  it('speaks of the product only', () => {
    expect(markdown).not.toMatch(/\.\.\/shared|\.library|\bissue \d|\bhelper\b|\bseeds?\b|\bspec\/|\bbrief\b|registry\.npm|\/root\//i)
  })

  it('uses no picture letters', () => {
    expect(markdown).not.toMatch(/\p{Extended_Pictographic}/u)
  })
})

describe('the two readmes', () => {
  const shape = (markdown: string): string[] => all(withoutCode(markdown), /^(#+) /gm)
  const shared = (markdown: string, pattern: RegExp): string[] => all(markdown, pattern)

  it('have the same headings in the same order', () => {
    expect(shape(README.zh)).toEqual(shape(README.en))
  })

  it('show the same pictures, parts and links, each in its language', () => {
    const own = (target: string): string => target.replace(/\.zh(?=\.)/, '')
    expect(links(README.zh).map(own)).toEqual(links(README.en).map(own))
    expect(partsOf(README.zh)).toEqual(partsOf(README.en))
  })

  it('give the same commands', () => {
    const commands = (markdown: string): string[] => shared(markdown, /^(?:dsh|npm) [^\n<]*/gm)
    expect(commands(README.zh)).toEqual(commands(README.en))
    expect(shared(README.zh, /`(npm [^`]+)`/g).toSorted()).toEqual(shared(README.en, /`(npm [^`]+)`/g).toSorted())
  })

  it('have a row for every command that people use', () => {
    const unlisted = new Set(['prestart', 'pretest', 'prepack', 'lint', 'types', 'unit', 'build', 'unused'])
    for (const readme of Object.values(README)) expect(Object.keys(manifest.scripts).filter((name) => !unlisted.has(name) && !readme.includes(`npm run ${name}`) && !readme.includes(`npm ${name}`))).toEqual([])
  })

  it.each([['en', en], ['zh', zh]] as const)('call buttons and tabs by their names (%s)', (language, locale) => {
    const words = JSON.stringify(locale)
    const unknown = all(README[language], /<kbd>([^<]+)<\/kbd>/g).filter((word) => !words.includes(`:"${word.replaceAll('&amp;', '&')}`))
    expect(unknown).toEqual([])
  })

  it('name the version that is published', () => {
    for (const readme of Object.values(README)) for (const version of all(readme, /model-failover[-@](\d+\.\d+\.\d+)/g)) expect(version).toBe(manifest.version)
    expect(text('CHANGELOG.md')).toContain(`## ${manifest.version}`)
  })
})

describe('docs/promises.md', () => {
  const rows = text('docs/promises.md').split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| promise'))

  it.each(rows.map((row) => [row.split(' | ')[0]?.slice(2) ?? '', row] as const))('%s', (_promise, row) => {
    const proofs = [...row.matchAll(/\]\(\.\.\/([^)]+)\) “([^”]+)”/g)]
    expect(proofs.length + all(row, /`(npm [^`]+)`/g).length).toBeGreaterThan(0)
    for (const [, file = '', title = ''] of proofs) expect(text(file)).toContain(title)
  })
})

describe('pictures', () => {
  const folder = join(ROOT, 'docs/images')

  it('are all used, and small', () => {
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).size, name).toBeLessThanOrEqual(250 * 1024)
      expect(DOCUMENTS.some((document) => text(document).includes(`images/${name}`)), name).toBe(true)
    }
  })
})
