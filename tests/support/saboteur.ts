/** A plugin of nobody that makes services of the host throw, but only when the plugin under test is the one that calls. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse, stringify } from 'yaml'
import type { Home } from '../../dev/home.mts'

const PLUGIN = `
import { appendFileSync } from 'node:fs'
export const name = 'saboteur'
export const inject = ['agents', 'llm']
const PACKAGE = 'dsh-plugin-model-failover'
/** The callers next to a service; proxies of the host may stand in between. */
const oursCalls = () => (new Error().stack ?? '').split('\\n').slice(3, 7).some((line) => line.includes(PACKAGE))
export function apply(ctx, { methods, events, file }) {
  const tell = (what) => appendFileSync(file, what + '\\n')
  for (const [service, names] of Object.entries(methods)) ctx.inject([service], (scope) => {
    for (const name of names) {
      let owner = Object.getPrototypeOf(scope.get(service))
      while (owner && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner)
      if (!owner) { tell('missing ' + service + '.' + name); continue }
      const original = owner[name]
      owner[name] = function (...args) {
        if (!oursCalls()) return original.apply(this, args)
        tell('threw ' + service + '.' + name)
        throw new Error('sabotage of ' + service + '.' + name)
      }
    }
  })
  for (const event of events) ctx.on(event, () => { tell('threw ' + event); throw new Error('sabotage of ' + event) })
}
`

export interface Sabotage {
  /** Methods by service. */
  readonly methods?: Readonly<Record<string, readonly string[]>>
  /** Events whose listener throws. */
  readonly events?: readonly string[]
}

/** Adds the saboteur in front of the other rows of a home; the answer tells what it has done so far. */
export function sabotage(home: Pick<Home, 'path' | 'work'>, { methods = {}, events = [] }: Sabotage): () => readonly string[] {
  const folder = join(home.work, '..', 'saboteur')
  mkdirSync(folder)
  const [plugin, file, patch] = [join(folder, 'index.mjs'), join(folder, 'deeds.txt'), join(home.path, 'cordis.patch.yml')]
  writeFileSync(plugin, PLUGIN)
  const rows: unknown = existsSync(patch) ? parse(readFileSync(patch, 'utf8')) : []
  writeFileSync(patch, stringify([{ insert: [{ id: 'saboteur', name: pathToFileURL(plugin).href, config: { methods, events, file } }] }, ...(Array.isArray(rows) ? rows : [])]))
  return () => (existsSync(file) ? [...new Set(readFileSync(file, 'utf8').split('\n').filter((line) => line !== ''))] : [])
}
