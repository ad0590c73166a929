/** The one versioned document of /config/export and /config/import. */
import * as z from 'zod'
import { defaultBindingSchema, entriesInput, groupName } from './group.ts'
import { settingsInput } from './settings.ts'

export const configDocument = z.strictObject({
  format: z.literal('model-failover-config'),
  version: z.literal(1),
  exportedAt: z.number().optional(),
  groups: z.array(z.strictObject({ id: z.string().min(1).max(80).optional(), name: groupName, enabled: z.boolean().default(true), models: entriesInput })).max(500),
  defaultBinding: defaultBindingSchema.nullable().optional(),
  limits: z.record(z.string(), z.int().min(1).max(1000)).optional(),
  settings: settingsInput.optional(),
})
/** Groups, default binding, limits and settings; no sessions, no marks, no credentials. */
export type ConfigDocument = Readonly<z.infer<typeof configDocument>>

export const diffLine = z.object({
  op: z.enum(['add', 'remove', 'change']),
  path: z.string().describe('for people, e.g. `groups/Daily/openai/gpt-x/priority`'),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
})
export type DiffLine = Readonly<z.infer<typeof diffLine>>
