// An ear for the host's log, which the web application shows nobody: every line, of every level, goes to a file beside the home.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse, stringify } from 'yaml'
import type { Home } from './home.mts'

const PLUGIN = `
import { appendFileSync } from 'node:fs'
import { format } from 'node:util'
export const name = 'log-ear'
export function apply(ctx, { file }) {
  ctx.logger.exporter({
    levels: { default: 3 },
    export: ({ type, name, args }) => appendFileSync(file, JSON.stringify({ type, name, text: format(...args) }) + '\\n'),
  })
}
`

export interface LogLine { readonly type: 'error' | 'info' | 'warn' | 'debug'; readonly name: string; readonly text: string }

export interface Ear {
  /** Every line so far, over all hosts that ran on the home. */
  lines(): readonly LogLine[]
  /** Lines of the plugin of these levels. */
  ours(...types: readonly LogLine['type'][]): readonly string[]
}

/** Adds the ear to a home whose host does not run yet. The home's other rows stay. */
export function addEar(home: Pick<Home, 'path' | 'work'>): Ear {
  const folder = join(home.work, '..', 'ear')
  mkdirSync(folder)
  const [plugin, file, patch] = [join(folder, 'index.mjs'), join(folder, 'log.jsonl'), join(home.path, 'cordis.patch.yml')]
  writeFileSync(plugin, PLUGIN)
  const rows: unknown = existsSync(patch) ? parse(readFileSync(patch, 'utf8')) : []
  writeFileSync(patch, stringify([...(Array.isArray(rows) ? rows : []), { insert: [{ id: 'log-ear', name: pathToFileURL(plugin).href, config: { file } }] }]))
  const lines = (): LogLine[] => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as LogLine) : [])
  return {
    lines,
    ours: (...types) => lines().filter(({ type, text }) => types.includes(type) && text.startsWith('model-failover: ')).map(({ text }) => text),
  }
}
