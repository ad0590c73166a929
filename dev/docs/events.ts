// The events on the host's context, from the published declarations.
import { readFileSync } from 'node:fs'
import { code, table } from './page.ts'

const DECLARATIONS = new URL('../../types/index.d.ts', import.meta.url)

/** One row per event: its name, its fields and when it is sent. */
export function eventsTable(): string {
  const text = readFileSync(DECLARATIONS, 'utf8')
  const shapes = new Map([...text.matchAll(/\/\*\* ([^\n]*) \*\/\nexport interface (\w+)(?: extends (\w+))? \{\n([\s\S]*?)\n\}/g)]
    .map(([, about = '', name = '', parent = '', body = '']) => [name, { about, parent, fields: [...body.matchAll(/readonly (\w+\??): ([^\n]+)/g)].map(([, field = '', type = '']) => `${field}: ${type}`) }]))
  const fieldsOf = (name: string): string[] => {
    const shape = shapes.get(name)
    return shape ? [...fieldsOf(shape.parent), ...shape.fields] : []
  }
  const events = [...text.matchAll(/'(model-failover\/[\w-]+)'\(event: (\w+)\)/g)]
  if (events.length === 0) throw new Error('types/index.d.ts declares no event')
  return table(['event', 'carries', 'when'], events.map(([, name = '', shape = '']) => [code(name), code(`{ ${fieldsOf(shape).join('; ')} }`), shapes.get(shape)?.about ?? '']))
}
