/** The loose forms of the older plugin's files: lists or maps, wrapped or bare, routes as objects or keys. */
import type * as z from 'zod'
import { idText, parseRouteKey, type Route } from '../contract/route.ts'

/** Receives one sentence for each piece that is not carried over. */
export type Skip = (what: string) => void

export type Plain = Readonly<Record<string, unknown>>

export const isPlain = (value: unknown): value is Plain => typeof value === 'object' && value !== null && !Array.isArray(value)
export const text = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null)
/** A number, or a text that is one; NaN for anything else. */
export const number = (value: unknown): number => (typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN)
export const short = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 80)
export const why = (error: z.ZodError): string => {
  const issue = error.issues[0]
  return issue ? `${issue.path.map(String).join('.')} ${issue.message}`.trim() : 'not understood'
}

/** The value below the first of `keys` that the object has, or the object itself. */
export function under(raw: unknown, ...keys: readonly string[]): unknown {
  if (!isPlain(raw)) return raw
  const key = keys.find((name) => Object.hasOwn(raw, name) && typeof raw[name] === 'object')
  return key === undefined ? raw : raw[key]
}

/** Members of a list, or values of a map with their keys. */
export function members(raw: unknown): readonly (readonly [key: string | null, value: unknown])[] {
  if (Array.isArray(raw)) return raw.map((value: unknown) => [null, value] as const)
  return isPlain(raw) ? Object.entries(raw) : []
}

/** A route as `{provider, model}`, as a text, or as the key it stands under; null when it names none. */
export function readRoute(raw: unknown, key: string | null): Route | null {
  const provider = isPlain(raw) ? raw['provider'] ?? raw['providerId'] : undefined
  const model = isPlain(raw) ? raw['model'] ?? raw['modelId'] : undefined
  const found = typeof provider === 'string' && typeof model === 'string'
    ? { provider: provider.trim(), model: model.trim() }
    : readRouteKey(typeof raw === 'string' ? raw : key)
  return found && idText.safeParse(found.provider).success && idText.safeParse(found.model).success ? found : null
}

/** Keys are `provider/model`; a blank, `::`, `|` or a NUL between the two is understood as well. */
function readRouteKey(key: string | null): Route | null {
  if (key === null) return null
  const parts = /^([^/|\0:]+)(?:\/|\||\0|::)(.+)$/s.exec(key)
  return parts ? parseRouteKey(`${parts[1]?.trim()}/${parts[2]?.trim()}`) : parseRouteKey(key.trim())
}
