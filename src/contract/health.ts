/** Health documents on disk (day ledger, stated holds, endpoint states) and what `/status` shows of them. */
import * as z from 'zod'
import { failureClassSchema } from './failure.ts'
import { calendarDay, idText } from './route.ts'

export const markSchema = z.strictObject({
  provider: idText,
  model: idText,
  class: failureClassSchema.nullable(),
  code: z.string().max(200).nullable(),
  reason: z.string().max(2000).nullable(),
  count: z.int().min(1),
  at: z.number(),
  manual: z.boolean(),
})
/** A route that failed this usage day. `manual` marks (code MANUAL) end only at the boundary or by hand. `at` = last failure. */
export type Mark = Readonly<z.infer<typeof markSchema>>

export const failedDocument = z.strictObject({ version: z.literal(1), day: calendarDay, marks: z.array(markSchema) })
/** The day ledger: `day` is the usage day (Beijing, boundary at failResetHour) all marks belong to. */
export type FailedDocument = { readonly version: 1; readonly day: string; readonly marks: readonly Mark[] }

export const holdSchema = z.strictObject({
  scope: z.enum(['route', 'provider']),
  provider: idText,
  model: idText.nullable(),
  class: failureClassSchema,
  reason: z.string().max(2000).nullable(),
  setAt: z.number(),
  until: z.number(),
})
/** A stated hold: nothing but its instant ends it (auth: also a credential change; local: also a registry change). */
export type Hold = Readonly<z.infer<typeof holdSchema>>

export const endpointRecordSchema = z.strictObject({
  scope: z.enum(['route', 'endpoint']),
  provider: idText,
  endpoint: z.string(),
  model: idText.nullable(),
  state: z.enum(['suspect', 'quarantined']),
  class: failureClassSchema,
  reason: z.string().max(2000).nullable(),
  since: z.number(),
  lastFailureAt: z.number(),
  lastConclusiveProbeAt: z.number().nullable(),
  probes: z.int().min(0),
  lastModel: idText.describe('the model whose call failed last; probes of an endpoint go to it'),
})
/** A route or endpoint that is not healthy; `endpoint` is the base-URL hash, '' when the host does not tell it. */
export type EndpointRecord = Readonly<z.infer<typeof endpointRecordSchema>>

export const healthDocument = z.strictObject({ version: z.literal(1), holds: z.array(holdSchema), endpoints: z.array(endpointRecordSchema) })
export type HealthDocument = { readonly version: 1; readonly holds: readonly Hold[]; readonly endpoints: readonly EndpointRecord[] }

export const breakerStatus = z.object({
  level: z.enum(['model', 'platform']), provider: z.string(), model: z.string().nullable(),
  state: z.enum(['open', 'half-open', 'trial']), opens: z.number(), until: z.number().nullable(), weight: z.number(),
})
export const restStatus = z.object({ provider: z.string(), model: z.string(), until: z.number() })
export const probeStatus = z.object({
  provider: z.string(), model: z.string(), nextAt: z.number().nullable(), running: z.boolean(), failures: z.number(),
  lastAt: z.number().nullable(), lastOk: z.boolean().nullable(), lastMessage: z.string().nullable(), serves: z.array(z.string()),
})
export const healthStatus = z.object({
  breakers: z.array(breakerStatus),
  endpoints: z.array(endpointRecordSchema.extend({ nextProbeAt: z.number().nullable() })),
  holds: z.array(holdSchema),
  rests: z.array(restStatus),
  outage: z.object({ active: z.boolean(), since: z.number().nullable() }),
  probes: z.array(probeStatus),
  probeTokens: z.record(z.string(), z.number()).describe('tokens spent on probes today, per provider'),
})
/** The health block of `/status`. */
export type HealthStatus = Readonly<z.infer<typeof healthStatus>>
