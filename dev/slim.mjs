// Makes the browser half small: texts are found by number instead of by key, and a second minifier has the last word.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { transform } from 'esbuild'
import { minify } from 'vite'

const KEY = /'([a-z][A-Za-z]*(?:[.-][A-Za-z-]+)+)'/g

/** Takes the core of the signals library only; see signals.mjs and jsx.mjs. */
export function slimSignals(root) {
  const near = createRequire(createRequire(join(root, 'package.json')).resolve('@preact/signals'))
  return {
    name: 'slim-signals',
    setup(bundle) {
      bundle.onResolve({ filter: /^@preact\/signals$/ }, () => ({ path: join(root, 'dev/signals.mjs') }))
      bundle.onResolve({ filter: /^@preact\/signals-core$/ }, () => ({ path: near.resolve('@preact/signals-core').replace(/\.js$/, '.mjs') }))
    },
  }
}

/** Properties of the browser half's own objects: no browser, host or contract knows these names, so they may be short. */
const OWN_NAMES = 'saveSettings setDefault restoreAll goHome onChoose onDone onCommit onMade onEdit onOpen onPress movable outdated offline roving notices adopt chosen danger tip tone fresh busy retried tick'.split(' ')

/** A pattern of those names; throws when the contract uses one of them. */
export function ownNames(contract) {
  const clash = OWN_NAMES.find((name) => new RegExp(`\\b${name}\\??:`).test(contract))
  if (clash) throw new Error(`the contract has a field ${clash}, which the build of the browser half would rename`)
  return new RegExp(`^(?:${OWN_NAMES.join('|')})$`)
}

/** Classes by which the tests on the real page find things; they keep their names. */
const FOUND_BY = new Set(['mf-row', 'mf-table', 'mf-setting', 'mf-note'])
const CLASS = /(?<![\w-])mf-[a-z]+(?:-[a-z]+)*(?![\w-])/g

/** Short names for the classes of the sheet, but not for those that are put together at run time, like `mf-is-${tone}`. */
function classNames(sheet, sources) {
  const open = [...sources.join('\n').matchAll(/mf-[a-z-]*(?=\$\{)/g)].map(([prefix]) => prefix).filter((prefix) => prefix.endsWith('-'))
  const names = new Set([...sheet.matchAll(CLASS)].map(([name]) => name).filter((name) => !FOUND_BY.has(name) && !open.some((prefix) => name.startsWith(prefix))))
  return new Map([...names].map((name, at) => [name, `mf${at.toString(36)}`]))
}

/** Prefixes of keys that are put together at run time, like `why.` in `why.${reason}`. */
function openPrefixes(sources) {
  return new Set([...sources.join('\n').matchAll(/`([a-z][A-Za-z.]*\.)\$\{/g)].map(([, prefix]) => prefix))
}

/** Makes the list of texts and fills the names of open keys in; runs in the page. */
const indexModule = ({ at, groups }) => `export const index=(texts)=>{let at=${at},list=texts.split("|");for(const group of ${JSON.stringify(groups.map((group) => group.join(' ')).join('|'))}.split("|")){const[prefix,...ends]=group.split(" ");for(const end of ends)list[prefix+end]=list[at++]}return list}`

/** Keys in the order of the list: the closed ones, then (from `at` on) the open ones by prefix, which `groups` names. */
function arrange(keys, prefixes) {
  const longestFirst = [...prefixes].sort((a, b) => b.length - a.length)
  const home = new Map(keys.map((key) => [key, longestFirst.find((prefix) => key.startsWith(prefix))]))
  const closed = keys.filter((key) => home.get(key) === undefined)
  const open = longestFirst.map((prefix) => keys.filter((key) => home.get(key) === prefix))
  return { at: closed.length, order: [...closed, ...open.flat()], groups: open.map((own, nth) => [longestFirst[nth], ...own.map((key) => key.slice(longestFirst[nth].length))]) }
}

/**
 * Shortens the names of classes, replaces every literal text key by its index and the locale files by arrays of the texts. Keys that are put together
 * at run time keep their names, told once for both languages.
 * @param files all sources of the browser half, absolute.
 */
export function slimTexts(root, files) {
  const keys = Object.keys(JSON.parse(readFileSync(join(root, 'locale/en.json'), 'utf8')).ui)
  const sources = files.map((file) => readFileSync(file, 'utf8'))
  const classes = classNames(readFileSync(join(root, 'client/styles.css'), 'utf8'), sources)
  const shortened = (text) => text.replace(CLASS, (name) => classes.get(name) ?? name)
  const plan = arrange(keys, openPrefixes(sources))
  const { order } = plan
  const numbers = new Map(order.map((key, at) => [key, at]))
  return {
    name: 'slim-texts',
    setup(bundle) {
      bundle.onResolve({ filter: /^slim:index$/ }, () => ({ path: 'index', namespace: 'slim' }))
      bundle.onLoad({ filter: /.*/, namespace: 'slim' }, () => ({ contents: indexModule(plan) }))
      bundle.onLoad({ filter: /[\\/]locale[\\/](?:en|zh)\.json$/ }, ({ path }) => {
        const { meta, host, ui } = JSON.parse(readFileSync(path, 'utf8'))
        for (const key of order) if (ui[key]?.includes('|') !== false) throw new Error(`${path}: the text ${key} is missing or holds a bar`)
        const contents = `import{index}from'slim:index';export const meta=${JSON.stringify({ title: meta.title })},host=${JSON.stringify({ class: host.class })},ui=index(${JSON.stringify(order.map((key) => ui[key]).join('|'))})`
        return { contents, loader: 'js' }
      })
      bundle.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
        if (!path.startsWith(join(root, 'client') + sep)) return undefined
        const contents = shortened(readFileSync(path, 'utf8')).replace(KEY, (whole, key) => String(numbers.get(key) ?? whole))
        return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' }
      })
      bundle.onLoad({ filter: /\.css$/ }, async ({ path }) => {
        const { code } = await transform(shortened(readFileSync(path, 'utf8')), { loader: 'css', minify: true })
        return { contents: code.trim(), loader: 'text' }
      })
    },
  }
}

const renamed = (list, from, to) => list.split(',').map((item) => item.trim().replace(from, to)).join(',')

/** Turns an ES module into what the host's page loads: a factory that asks `require` and returns the exports. */
function factoryOf(name, code) {
  const body = code
    .replace(/import\s*\{([^}]*)\}\s*from\s*("[^"]+");?/g, (_, list, module) => `const{${renamed(list, /^(\w+) as /, '$1:')}}=require(${module});`)
    .replace(/export\s*\{([^}]*)\};?\s*$/, (_, list) => `return{${renamed(list, /^([\w$]+) as (\w+)$/, '$2:$1')}}`)
  if (/^\s*(?:import|export)\b/m.test(body) || !/return\{[^}]*\}$/.test(body)) throw new Error('the browser half has an import or export of a form that is not expected')
  return `window.__ModuleLoader__.load({id:${JSON.stringify(name)},factory:(require)=>{${body}}})`
}

/** Wraps the finished module and minifies it once more. */
export async function squeeze(name, module) {
  const { code: small, errors } = await minify('client.js', factoryOf(name, module), { compress: true, mangle: { toplevel: true } })
  if (errors.length > 0) throw new Error(`the second minifier failed: ${errors.map(({ message }) => message).join('; ')}`)
  return small
}
