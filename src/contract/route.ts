/** Routes and group entries: the smallest values both halves share, and the key a route is stored under. */
import * as z from 'zod'

/** A provider or model id as the host knows it: any printable text of 1–200 characters without surrounding blanks. */
export const idText = z.string().min(1).max(200).refine(
  (text) => text === text.trim() && !/[\u0000-\u001f\u007f]/.test(text),
  'must be 1–200 printable characters without leading or trailing blanks',
)

export const routeSchema = z.strictObject({ provider: idText, model: idText })
/** One model of one provider. */
export type Route = Readonly<z.infer<typeof routeSchema>>

/** A route together with the reasoning effort it is asked for; `effort` absent = the model's own default. */
export const effortRouteSchema = z.strictObject({ provider: idText, model: idText, effort: z.string().min(1).max(40).optional() })
export type EffortRoute = Readonly<z.infer<typeof effortRouteSchema>>

const hour = z.int('must be a whole hour, 0–23').min(0).max(23)
export const windowSchema = z.strictObject({ from: hour, to: hour })
/** Hours of the Beijing day, both ends included; `from > to` crosses midnight (22–6 = 22:00 … 06:59). */
export type Window = Readonly<z.infer<typeof windowSchema>>

/** True for a real calendar day written YYYY-MM-DD. */
export function isCalendarDay(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!match) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text
}

export const calendarDay = z.string().refine(isCalendarDay, 'must be a real date, YYYY-MM-DD')

/** `null`, `""`, `[]` and absence all mean the whole day. */
const windowsInput = z.union([z.array(windowSchema).max(48), z.null(), z.literal('')])
  .transform((value) => (value === null || value === '' || value.length === 0 ? undefined : value))

/** `null` and `""` mean: never expires. */
const untilInput = z.union([z.null(), z.literal(''), calendarDay])
  .transform((value) => (value === null || value === '' ? undefined : value))

export const priorityNumber = z.int('must be a whole number, 1–999').min(1).max(999)

/** One model of a group as it may be sent to the host. */
export const entryInputSchema = z.strictObject({
  provider: idText,
  model: idText,
  priority: priorityNumber,
  effort: z.union([z.null(), z.string().max(40)]).optional(),
  windows: windowsInput.optional(),
  until: untilInput.optional(),
  disabled: z.boolean().nullish(),
  ask: z.boolean().nullish(),
}).transform((entry): Entry => ({
  provider: entry.provider,
  model: entry.model,
  priority: entry.priority,
  ...(entry.effort ? { effort: entry.effort } : {}),
  ...(entry.windows ? { windows: entry.windows } : {}),
  ...(entry.until ? { until: entry.until } : {}),
  ...(entry.disabled ? { disabled: true } : {}),
  ...(entry.ask ? { ask: true } : {}),
}))

/**
 * One model of a group. Lower `priority` is tried first. `until` is a Beijing calendar day and still valid on that
 * day. `disabled` bars it everywhere; `ask` bars it from every automatic path until the user consents.
 */
export interface Entry extends Route {
  readonly priority: number
  readonly effort?: string
  readonly windows?: readonly Window[]
  readonly until?: string
  readonly disabled?: boolean
  readonly ask?: boolean
}

/**
 * The key of a route in maps and files: `provider/model`, with `%` and `/` of the provider escaped so that the first
 * plain slash always ends the provider and no two routes share a key.
 */
export function routeKey(route: Route): string {
  return `${escapeProvider(route.provider)}/${route.model}`
}

/** Inverse of {@link routeKey}; null when the text has no slash or an empty side. */
export function parseRouteKey(key: string): Route | null {
  const slash = key.indexOf('/')
  if (slash <= 0 || slash === key.length - 1) return null
  const provider = key.slice(0, slash).replaceAll('%2F', '/').replaceAll('%25', '%')
  return { provider, model: key.slice(slash + 1) }
}

function escapeProvider(provider: string): string {
  return provider.includes('%') || provider.includes('/') ? provider.replaceAll('%', '%25').replaceAll('/', '%2F') : provider
}

/** True when both name the same model of the same provider (effort is not part of a route). */
export function sameRoute(a: Route | null | undefined, b: Route | null | undefined): boolean {
  return !!a && !!b && a.provider === b.provider && a.model === b.model
}
