/** What is wrong with an input, field by field, in words that say what would be right. */
import * as z from 'zod'
import type { FieldProblem } from '../contract/refusal.ts'

const MOST_PROBLEMS = 50

interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
}

const schemas = new WeakMap<z.ZodType, JsonSchema>()

/** The problems of `input`, which `schema` has just refused with `error`. At most {@link MOST_PROBLEMS}. */
export function problemsOf(schema: z.ZodType, error: z.ZodError, input: unknown): readonly FieldProblem[] {
  let json = schemas.get(schema)
  if (!json) {
    json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
    schemas.set(schema, json)
  }
  const root = json
  return flatten(error.issues, []).slice(0, MOST_PROBLEMS).map(({ issue, path }) => {
    const value = dig(input, path)
    const allowed = issue.code === 'unrecognized_keys' ? knownFields(schemaAt(root, path.slice(0, -1))) : describe(schemaAt(root, path))
    return { path: pathText(path), message: wording(issue, value, allowed), received: kindOf(value), allowed }
  })
}

interface Found { readonly issue: z.core.$ZodIssue; readonly path: readonly PropertyKey[] }

/** Unknown keys one by one, and of a union the branch that was meant. */
function flatten(issues: readonly z.core.$ZodIssue[], base: readonly PropertyKey[]): Found[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path]
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ issue, path: [...path, key] }))
    if (issue.code !== 'invalid_union') return [{ issue, path }]
    const meant = issue.errors.find((branch) => branch.length > 0 && branch.every((one) => one.path.length > 0 || !['invalid_type', 'invalid_value'].includes(one.code)))
    return meant ? flatten(meant, path) : [{ issue, path }]
  })
}

function wording(issue: z.core.$ZodIssue, value: unknown, allowed: string | null): string {
  if (issue.code === 'unrecognized_keys') return 'unknown field'
  if (issue.code === 'custom') return issue.message
  if (value === undefined) return 'is missing'
  return allowed === null ? issue.message : `must be ${allowed}`
}

/** What the schema lets stand at `path`. */
function schemaAt(root: JsonSchema, path: readonly PropertyKey[]): readonly JsonSchema[] {
  let at: readonly JsonSchema[] = [root]
  for (const step of path) {
    at = at.flatMap(branches).flatMap((schema) => {
      if (typeof step === 'number') return schema.items ? [schema.items] : []
      const named = schema.properties && Object.hasOwn(schema.properties, step) ? schema.properties[String(step)] : undefined
      if (named) return [named]
      return typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []
    })
  }
  return at
}

function branches(schema: JsonSchema): readonly JsonSchema[] {
  if (schema.anyOf) return schema.anyOf.flatMap(branches)
  return typeof schema.type === 'object' ? schema.type.map((type) => ({ ...schema, type })) : [schema]
}

/** In words, or null when the schema does not say. */
function describe(schemas: readonly JsonSchema[]): string | null {
  const words = schemas.flatMap(branches).map(describeOne).filter((text) => text !== null)
  return words.length === 0 ? null : [...new Set(words)].join(' or ')
}

function knownFields(schemas: readonly JsonSchema[]): string {
  const names = schemas.flatMap(branches).flatMap(({ properties }) => Object.keys(properties ?? {}))
  return names.length === 0 ? 'no fields' : `one of ${names.join(', ')}`
}

function describeOne(schema: JsonSchema): string | null {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`
  switch (schema.type) {
    case 'integer': return `a whole number${range(schema.minimum, schema.maximum, ', ', '')}`
    case 'number': return `a number${range(schema.minimum, schema.maximum, ', ', '')}`
    case 'boolean': return 'true or false'
    case 'null': return 'null'
    case 'string': return `a text${range(schema.minLength, schema.maxLength, ' of ', ' characters')}`
    case 'array': return `a list${range(schema.minItems, schema.maxItems, ' of ', ' items')}`
    case 'object': return schema.properties ? `an object with ${Object.keys(schema.properties).join(', ') || 'no fields'}` : 'a map'
    default: return null
  }
}

function range(least: number | undefined, most: number | undefined, before: string, after: string): string {
  const from = least === undefined || least <= Number.MIN_SAFE_INTEGER ? null : least
  const to = most === undefined || most >= Number.MAX_SAFE_INTEGER ? null : most
  if (from === null && to === null) return ''
  if (to === null) return `${before}at least ${from}${after}`
  return from === null ? `${before}at most ${to}${after}` : `${before}${from}–${to}${after}`
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return value === '' ? 'empty text' : 'text'
  return typeof value === 'number' || typeof value === 'boolean' ? `${typeof value} ${value}` : typeof value
}

function dig(root: unknown, path: readonly PropertyKey[]): unknown {
  let at = root
  for (const step of path) at = typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? (at as Record<PropertyKey, unknown>)[step] : undefined
  return at
}

/** `models[0].windows[1].from`; the whole input is `body`. */
function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  return text === '' ? 'body' : text.replace(/^\./, '')
}
