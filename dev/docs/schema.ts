// Schemas of the contract in words: what a field may hold, which fields an object has, and the named shapes that occur in many places.
import * as z from 'zod'
import { failureClassSchema } from '../../src/contract/failure.ts'
import { groupSchema, overrideSchema } from '../../src/contract/group.ts'
import { endpointRecordSchema, healthStatus, holdSchema, markSchema } from '../../src/contract/health.ts'
import { metricRow, speedtestSnapshot } from '../../src/contract/metrics.ts'
import { effortRouteSchema, entryInputSchema, routeSchema } from '../../src/contract/route.ts'
import { metricsSortSchema, settingsReply } from '../../src/contract/settings.ts'
import {
  abilitySchema, bindingReply, compressionGuardStatus, decisionSchema, explainReply, failureLogEntry, neighboursStatus, obstacleKind, qoderShimStatus, sessionInfo, verdictSchema,
} from '../../src/contract/status.ts'

export interface Json {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly description?: string
  readonly anyOf?: readonly Json[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: readonly string[]
  readonly items?: Json
  readonly additionalProperties?: Json | boolean
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Json>>
}

/** Shapes that are described once and named elsewhere. */
const NAMED: Readonly<Record<string, z.ZodType>> = {
  FailureClass: failureClassSchema, Obstacle: obstacleKind, Route: routeSchema, EffortRoute: effortRouteSchema, Entry: entryInputSchema, Group: groupSchema, Binding: bindingReply, Override: overrideSchema,
  Verdict: verdictSchema, SessionInfo: sessionInfo, Decision: decisionSchema, Explanation: explainReply, FailureLogEntry: failureLogEntry, Abilities: abilitySchema,
  Mark: markSchema, Hold: holdSchema, EndpointRecord: endpointRecordSchema, Health: healthStatus, Settings: settingsReply, MetricsSort: metricsSortSchema,
  MetricRow: metricRow, Speedtest: speedtestSnapshot, Neighbours: neighboursStatus, CompressionGuard: compressionGuardStatus, QoderShim: qoderShimStatus,
}

const names = z.registry<{ id: string }>()
for (const [id, schema] of Object.entries(NAMED)) names.add(schema, { id })

const asJson = (schema: z.ZodType, metadata = z.globalRegistry as typeof names): Json => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', metadata }) as Json

/** A schema whose named shapes are references. */
export function jsonOf(schema: z.ZodType): Json {
  return asJson(schema, names)
}

/** A schema as it stands, with everything in it. */
export function wholeJson(schema: z.ZodType): Json {
  return asJson(schema)
}

/** The named shapes themselves, each with references to the others. */
export function namedShapes(): readonly (readonly [name: string, shape: Json])[] {
  const { $defs = {} } = asJson(z.object(Object.fromEntries(Object.entries(NAMED))), names)
  return Object.keys(NAMED).map((name) => [name, $defs[name] ?? {}])
}

const between = (least: number | undefined, most: number | undefined): string => {
  const from = least === undefined || least <= Number.MIN_SAFE_INTEGER ? null : least
  const to = most === undefined || most >= Number.MAX_SAFE_INTEGER ? null : most
  if (from === null) return to === null ? '' : ` up to ${to}`
  return to === null ? ` from ${from}` : ` ${from}–${to}`
}

/** What may stand there, in a few words. */
export function words(json: Json): string {
  if (json.$ref) return json.$ref.split('/').at(-1) ?? ''
  if (json.anyOf) return [...new Set(json.anyOf.map(words))].join(' or ')
  if (json.const !== undefined) return JSON.stringify(json.const)
  if (json.enum) return json.enum.map((value) => JSON.stringify(value)).join(' or ')
  if (typeof json.type === 'object') return json.type.map((type) => words({ ...json, type })).join(' or ')
  switch (json.type) {
    case 'integer': return `whole number${between(json.minimum, json.maximum)}`
    case 'number': return `number${between(json.minimum, json.maximum)}`
    case 'boolean': return 'true or false'
    case 'null': return 'null'
    case 'string': return `text${json.maxLength === undefined ? '' : ` of ${between(json.minLength ?? 0, json.maxLength).trim()} characters`}`
    case 'array': return `list of ${words(json.items ?? {})}${json.maxItems === undefined ? '' : `, at most ${json.maxItems}`}`
    case 'object': return json.properties ? `{${fieldNames(json)}}` : `map to ${typeof json.additionalProperties === 'object' ? words(json.additionalProperties) : 'anything'}`
    default: return 'anything'
  }
}

/** `a, b?, c`: the fields of an object, optional ones with a question mark. */
export function fieldNames({ properties = {}, required = [] }: Json): string {
  return Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`)).join(', ')
}

export interface FieldRow { readonly path: string; readonly what: string; readonly optional: boolean; readonly note: string }

/** Every field of an object with the fields of objects inside it, named shapes excepted. */
export function fieldRows(json: Json, above = ''): FieldRow[] {
  const { properties = {}, required = [] } = json
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${above}${name}`
    const inner = innerOf(field)
    const notes = [field.description, field.default === undefined ? null : `default ${JSON.stringify(field.default)}`]
    const row = { path, what: words(field), optional: !required.includes(name), note: notes.filter((note) => note).join('; ') }
    return [row, ...(inner ? fieldRows(inner.json, `${path}${inner.list ? '[]' : ''}.`) : [])]
  })
}

function innerOf(field: Json): { readonly json: Json; readonly list: boolean } | null {
  if (field.properties) return { json: field, list: false }
  if (field.items?.properties) return { json: field.items, list: true }
  return (field.anyOf ?? []).map(innerOf).find((inner) => inner !== null) ?? null
}
