/** Routing groups, bindings of sessions to them, and the documents they are stored in. */
import * as z from 'zod'
import { effortRouteSchema, entryInputSchema, idText, routeKey, type Entry, type EffortRoute, type Route } from './route.ts'
import { failureClassSchema } from './failure.ts'

export const groupName = z.string().trim().min(1, 'must not be empty').max(80, 'must have at most 80 characters')

/** The models of a group; the same route twice is refused with the path of the second. */
export const entriesInput = z.array(entryInputSchema).max(1000).superRefine((entries, issue) => {
  const seen = new Set<string>()
  entries.forEach((entry, index) => {
    const key = routeKey(entry)
    if (seen.has(key)) issue.addIssue({ code: 'custom', path: [index], message: `the group holds ${key} twice; a route may stand in a group once` })
    seen.add(key)
  })
})

export const groupSchema = z.strictObject({
  id: z.string().min(1).max(80),
  rev: z.int().min(1),
  name: groupName,
  enabled: z.boolean(),
  models: entriesInput,
})
/** A routing group. `rev` grows by one with each change and guards against lost updates. */
export interface Group {
  readonly id: string
  readonly rev: number
  readonly name: string
  readonly enabled: boolean
  readonly models: readonly Entry[]
}

export const groupsDocument = z.strictObject({ version: z.literal(1), groups: z.array(groupSchema) })
export type GroupsDocument = { readonly version: 1; readonly groups: readonly Group[] }

export const bindingMode = z.enum(['route', 'failover'])
/** `route`: the session runs what the group says. `failover`: it keeps its own model until that one cannot serve. */
export type BindingMode = z.infer<typeof bindingMode>

/** Why a session is away from home, which decides what brings it back. */
export const moveKind = z.enum(['failure', 'capacity', 'rejected', 'unroutable', 'inherited'])
export type MoveKind = z.infer<typeof moveKind>

export const overrideSchema = z.strictObject({
  provider: idText,
  model: idText,
  effort: z.string().max(40).optional(),
  kind: moveKind,
  class: failureClassSchema.nullable(),
  from: effortRouteSchema.nullable(),
  at: z.number(),
  until: z.number().nullable(),
})
/** The route an automatic move put a session on: `until` = when home may be asked again, null = by evidence only. */
export type Override = Readonly<z.infer<typeof overrideSchema>>

export const rejectionSchema = z.strictObject({ provider: idText, model: idText, class: failureClassSchema, tokens: z.number().nullable(), at: z.number() })
/** A request of this session that the route refused, with the history size (tokens) it had then. */
export type Rejection = Readonly<z.infer<typeof rejectionSchema>>

export const sessionRecordSchema = z.strictObject({
  groupId: z.string().nullable(),
  mode: bindingMode,
  pin: z.boolean(),
  /** true: this session said "no group" itself, so it inherits none from its parent. */
  unbound: z.boolean().optional(),
  home: effortRouteSchema.nullable(),
  /** true: the user chose `home` by hand, so the binding protects it but does not replace it. */
  picked: z.boolean().optional(),
  override: overrideSchema.nullable(),
  rejections: z.array(rejectionSchema).max(32),
  /** `ask` entries the user admitted; `once` = until the first turn that used it has ended. */
  consents: z.array(z.strictObject({ provider: idText, model: idText, once: z.boolean().optional() })).max(64),
  seenAt: z.number(),
})
/** All that is remembered of one session. `home` is the route the user wants it on. */
export interface SessionRecord {
  readonly groupId: string | null
  readonly mode: BindingMode
  readonly pin: boolean
  readonly unbound?: boolean
  readonly home: EffortRoute | null
  readonly picked?: boolean
  readonly override: Override | null
  readonly rejections: readonly Rejection[]
  readonly consents: readonly (Route & { readonly once?: boolean | undefined })[]
  readonly seenAt: number
}

export const bindingsDocument = z.strictObject({ version: z.literal(1), sessions: z.record(z.string(), sessionRecordSchema) })
export type BindingsDocument = { readonly version: 1; readonly sessions: Readonly<Record<string, SessionRecord>> }

export const defaultBindingSchema = z.strictObject({ groupId: z.string().min(1).max(80), mode: bindingMode })
/** What a new session (startup, clear) is bound to. */
export type DefaultBinding = Readonly<z.infer<typeof defaultBindingSchema>>

export const defaultBindingDocument = z.strictObject({ version: z.literal(1), binding: defaultBindingSchema.nullable() })
export type DefaultBindingDocument = { readonly version: 1; readonly binding: DefaultBinding | null }

/** Limits per model, over all groups; keys are route keys. */
export const concurrencyDocument = z.strictObject({ version: z.literal(1), limits: z.record(z.string(), z.int().min(1).max(1000)) })
export type ConcurrencyDocument = { readonly version: 1; readonly limits: Readonly<Record<string, number>> }
