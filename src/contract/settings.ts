/** What the settings page may change: stored overrides of the row config, and the UI's own preferences. */
import * as z from 'zod'

export const sortColumns = ['model', 'state', 'ttft', 'speed', 'success', 'tokens', 'concurrency', 'lastUsed'] as const
export const metricsSortSchema = z.strictObject({ column: z.enum(sortColumns), direction: z.enum(['asc', 'desc']) })
/** The dashboard's order; null = the default order (groups, then priority). */
export type MetricsSort = Readonly<z.infer<typeof metricsSortSchema>>

const fields = {
  dialogMode: z.boolean().nullable().describe('true: dialog; false: compact dropdown'),
  metricsSort: metricsSortSchema.nullable(),
  notifyUser: z.boolean().nullable(),
  ledgerRecovery: z.enum(['evidence', 'day']).nullable(),
  takeOverModelSeat: z.boolean().nullable(),
  drill: z.boolean().nullable(),
  patience: z.enum(['exhaust', 'ride']).nullable(),
  stripReasoningEffort: z.boolean().nullable(),
  enableProbe: z.boolean().nullable(),
  defaultConcurrency: z.int().min(0).max(1000).nullable(),
  compactionGuard: z.boolean().nullable(),
}
/** POST /settings: any subset; `null` gives a key back to the row config. */
export const settingsInput = z.strictObject(fields).partial()
export type SettingsInput = Readonly<z.infer<typeof settingsInput>>

/** settings.json. An unknown `metricsSort` reads as the default order instead of breaking the file. */
export const settingsDocument = z.strictObject({
  version: z.literal(1),
  settings: z.strictObject({ ...fields, metricsSort: metricsSortSchema.nullable().catch(null) }).partial(),
})
export type SettingsDocument = { readonly version: 1; readonly settings: SettingsInput }

const effectiveFields = {
  dialogMode: z.boolean(), metricsSort: metricsSortSchema.nullable(), notifyUser: z.boolean(), ledgerRecovery: z.enum(['evidence', 'day']),
  takeOverModelSeat: z.boolean(), drill: z.boolean(), patience: z.enum(['exhaust', 'ride']), stripReasoningEffort: z.boolean(),
  enableProbe: z.boolean(), defaultConcurrency: z.number(), compactionGuard: z.boolean(),
}
/** The values in force, and for each key where it comes from. */
export const settingsReply = z.object({
  ...effectiveFields,
  sources: z.record(z.string(), z.enum(['ui', 'config', 'default'])),
})
export type Settings = Readonly<z.infer<typeof settingsReply>>
