// The reference of the HTTP interface: the table of the readme, and every field of every operation, from the contract.
import type * as z from 'zod'
import { api, API_PREFIX, errorReply, type Operation, type OperationName } from '../../src/contract/api.ts'
import { OPERATIONS_ZH } from './chinese.ts'
import { code, table, type Language } from './page.ts'
import { fieldNames, fieldRows, jsonOf, namedShapes, wholeJson, words, type Json } from './schema.ts'

const HEADS = { en: ['operation', 'takes', 'does'], zh: ['操作', '参数', '作用'] } as const
const OPERATIONS = Object.entries(api) as readonly (readonly [OperationName, Operation])[]

/** One row per operation, in the order of the contract. */
export function httpTable(language: Language): string {
  return table(HEADS[language], OPERATIONS.map(([name, operation]) => [code(`${operation.method} ${operation.path}`), takes(operation), about(name, language)]))
}

function about(name: OperationName, language: Language): string {
  const english = api[name].about
  if (language === 'en') return english
  const { of, zh } = OPERATIONS_ZH[name]
  if (of !== english) throw new Error(`what ${name} does has changed to "${english}"; dev/docs/chinese.ts translates "${of}"`)
  return zh
}

/** Longer lists of fields are for the reference, not for a table. */
const MOST_NAMES = 8

function takes({ query, body }: Operation): string {
  const asked = Object.keys(wholeJson(query).properties ?? {}).join('&')
  const names = fieldNames(wholeJson(body)).split(', ')
  const sent = names.length > MOST_NAMES ? `${names.slice(0, 3).join(', ')}, …` : names.join(', ')
  return [asked === '' ? '' : code(`?${asked}`), sent === '' ? '' : code(`{${sent}}`)].filter((part) => part !== '').join(' ')
}

/** Every operation with its fields. */
export function httpReference(): string {
  return OPERATIONS.map(([name, operation]) => {
    const { method, path, query, body, reply, lines, limit } = operation
    return [
      `### ${method} ${path}`,
      about(name, 'en'),
      fields('Query', jsonOf(query)),
      fields('Body', opened(body)),
      limit === undefined ? '' : `The body may have up to ${limit / 1024 / 1024} MiB.`,
      lines ? 'The reply is JSON lines, one sample each.' : replyOf(reply),
    ].filter((part) => part !== '').join('\n\n')
  }).join('\n\n')
}

/** A body that is a named shape is told in full, since it is the first thing a caller writes. */
function opened(schema: z.ZodType): Json {
  const json = jsonOf(schema)
  return json.$ref ? wholeJson(schema) : json
}

function replyOf(reply: z.ZodType): string {
  const json = jsonOf(reply)
  return json.$ref ? `Reply: ${words(json)}.` : fields('Reply', json)
}

function fields(title: string, json: Json): string {
  const rows = fieldRows(json)
  if (rows.length === 0) return ''
  return table([title, 'holds', ''], rows.map(({ path, what, optional, note }) => [code(path), what, [optional ? 'optional' : '', note].filter((text) => text !== '').join('; ')]))
}

/** The shapes that the reference names, one after the other. */
export function shapeReference(): string {
  return namedShapes().map(([name, shape]) => {
    const rows = fieldRows(shape)
    const body = rows.length === 0 ? `One of ${(shape.enum ?? []).map((value) => code(String(value))).join(', ')}.` : fields('Field', shape)
    return [`### ${name}`, shape.description ?? '', body].filter((part) => part !== '').join('\n\n')
  }).join('\n\n')
}

/** The shape of a refusal, and where everything lies. */
export function httpFrame(): string {
  return [`Every path begins with ${code(API_PREFIX)}.`, fields('A refusal', jsonOf(errorReply))].join('\n\n')
}
