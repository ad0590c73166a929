/** Bindings, marks, settings and limits of the older plugin. */
import { defaultBindingSchema, type BindingMode, type DefaultBinding, type SessionRecord } from '../contract/group.ts'
import { markSchema, type FailedDocument, type Mark } from '../contract/health.ts'
import { isCalendarDay, routeKey, type Route } from '../contract/route.ts'
import { settingsInput, type SettingsInput } from '../contract/settings.ts'
import { isPlain, members, number, readRoute, short, text, under, type Plain, type Skip } from './forms.ts'

/** Ids of the groups that exist; a binding to any other is skipped. */
export interface KnownGroups { has(id: string): boolean }

const readMode = (raw: unknown): BindingMode => (raw === 'route' ? 'route' : 'failover')

/** A map session → `{groupId, mode}` or group id, `{bindings: …}`, `{sessions: …}`, or a list with `sessionId`. */
export function readBindings(raw: unknown, known: KnownGroups, now: number, skip: Skip): Readonly<Record<string, SessionRecord>> {
  const sessions: [string, SessionRecord][] = []
  for (const [key, value] of members(under(raw, 'bindings', 'sessions'))) {
    const id = key ?? (isPlain(value) ? text(value['sessionId'] ?? value['session']) : null)
    if (key === 'version' || value === null) continue
    const groupId = typeof value === 'string' ? value : isPlain(value) ? text(value['groupId'] ?? value['group']) : null
    // The last is no name of a session, and a checked map does not hold it.
    if (id === null || id === '' || id.length > 200 || id === '__proto__') skip(`binding ${short(value)}: no session`)
    else if (groupId === null) { if (!isPlain(value) || value['groupId'] !== null) skip(`binding of session ${short(id)}: no group`) }
    else if (!known.has(groupId)) skip(`binding of session ${short(id)}: no group ${short(groupId)}`)
    else sessions.push([id, { groupId, mode: readMode(isPlain(value) ? value['mode'] : null), pin: isPlain(value) && value['pin'] === true, home: null, override: null, rejections: [], consents: [], seenAt: now }])
  }
  return Object.fromEntries(sessions)
}

/** `{groupId, mode}`, the same under `binding` or `default`, or null. */
export function readDefault(raw: unknown, known: KnownGroups, skip: Skip): DefaultBinding | null {
  const value = under(raw, 'binding', 'defaultBinding', 'default')
  if (!isPlain(value) || text(value['groupId']) === null) return null
  const parsed = defaultBindingSchema.safeParse({ groupId: value['groupId'], mode: readMode(value['mode']) })
  if (parsed.success && known.has(parsed.data.groupId)) return parsed.data
  skip(`default binding ${short(value)}: no such group`)
  return null
}

/** `{day, marks | failed | models: list or map}`, or a map by day of which the newest counts; null = no day found. */
export function readFailed(raw: unknown, now: number, skip: Skip): FailedDocument | null {
  if (!isPlain(raw)) return null
  const days = Object.keys(raw).filter(isCalendarDay).sort()
  const day = [raw['day'], raw['date'], raw['usageDay'], raw['dayKey'], days.at(-1)].find((value) => typeof value === 'string' && isCalendarDay(value))
  if (typeof day !== 'string') return null
  const marks = new Map<string, Mark>()
  for (const [key, value] of members(days.length > 0 ? under(raw[day], 'marks', 'failed', 'models', 'entries') : under(raw, 'marks', 'failed', 'models', 'entries'))) {
    if (value === day || key === 'version') continue
    const route = readRoute(value, key)
    if (route) marks.set(routeKey(route), readMark(route, isPlain(value) ? value : {}, now))
    else skip(`failed model ${short(key ?? value)}: no provider and model`)
  }
  return { version: 1, day, marks: [...marks.values()] }
}

function readMark(route: Route, fields: Plain, now: number): Mark {
  const code = text(fields['code'] ?? fields['errorCode'])?.slice(0, 200) ?? null
  const reason = text(fields['reason'] ?? fields['message'] ?? fields['errorMessage'])?.slice(0, 2000) ?? null
  const at = number(fields['at'] ?? fields['time'] ?? fields['lastAt'] ?? now)
  const count = Math.round(number(fields['count'] ?? 1))
  const mark = { ...route, class: null, code, reason, count: count >= 1 && count < 1e9 ? count : 1, at: Number.isFinite(at) && at > 0 ? at : now, manual: code === 'MANUAL' }
  return markSchema.parse(mark)
}

/** Keys side by side or under `settings`; what today's settings do not know or accept is left out. */
export function readSettings(raw: unknown, skip: Skip): SettingsInput {
  const found = under(raw, 'settings')
  const settings: Record<string, unknown> = {}
  for (const [key, value] of isPlain(found) ? Object.entries(found) : []) {
    if (key === 'version') continue
    const taken = key === 'metricsSort' ? readSort(value) : value
    const parsed = settingsInput.safeParse({ [key]: taken })
    if (parsed.success && taken !== null) Object.assign(settings, parsed.data)
    else if (value !== null) skip(`setting ${key}: ${short(value)} is not accepted`)
  }
  return settings
}

function readSort(raw: unknown): unknown {
  if (!isPlain(raw)) return null
  const column = text(raw['column'] ?? raw['key'] ?? raw['col'] ?? raw['field'])
  const direction = text(raw['direction'] ?? raw['dir'] ?? raw['order'])?.toLowerCase()
  return { column, direction: direction === 'descending' ? 'desc' : direction === 'ascending' ? 'asc' : direction }
}

/** A map `provider/model` → limit, also under `limits`, or a list with `concurrency`; 0, '' and null mean none. */
export function readLimits(raw: unknown, skip: Skip): Readonly<Record<string, number>> {
  const limits: [string, number][] = []
  for (const [key, value] of members(under(raw, 'limits', 'models'))) {
    if (key === 'version') continue
    const said = isPlain(value) ? value['concurrency'] ?? value['limit'] : value
    const route = readRoute(isPlain(value) ? value : null, key)
    const limit = number(said)
    if (said === null || said === undefined || said === '' || limit === 0) continue
    if (route && Number.isInteger(limit) && limit >= 1 && limit <= 1000) limits.push([routeKey(route), limit])
    else skip(`limit of ${short(key ?? value)}: ${short(said)} is not a whole number 1–1000`)
  }
  return Object.fromEntries(limits)
}
