/** Routing groups of the older plugin. */
import { entriesInput, type Group } from '../contract/group.ts'
import { entryInputSchema, isCalendarDay, routeKey, type Entry, type Window } from '../contract/route.ts'
import { isPlain, members, number, readRoute, short, text, under, why, type Plain, type Skip } from './forms.ts'

/** A list of groups, `{groups: […]}`, or a map by id. `id` names a group that has none. */
export function readGroups(raw: unknown, id: () => string, skip: Skip): readonly Group[] {
  const groups: Group[] = []
  const names = new Set<string>()
  const ids = new Set<string>()
  for (const [key, value] of members(under(raw, 'groups'))) {
    if (!isPlain(value)) {
      if (key !== 'version') skip(`group ${short(value)}: not a group`)
      continue
    }
    let groupId = (text(value['id']) ?? text(key) ?? id()).slice(0, 80)
    if (ids.has(groupId)) groupId = id()
    ids.add(groupId)
    const name = freeName((text(value['name']) ?? groupId).slice(0, 80), names)
    const models = readEntries(value['models'] ?? value['entries'] ?? [], name, skip)
    groups.push({ id: groupId, rev: 1, name, enabled: value['enabled'] !== false && value['disabled'] !== true, models })
  }
  return groups
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${wanted.slice(0, 74)} (${count})`
  taken.add(name.toLowerCase())
  return name
}

function readEntries(raw: unknown, group: string, skip: Skip): readonly Entry[] {
  const seen = new Set<string>()
  const entries: Entry[] = []
  members(raw).forEach(([key, value], index) => {
    const entry = readEntry(value, key, index, (what) => skip(`group ${short(group)}, ${what}`))
    if (!entry) return
    if (seen.has(routeKey(entry))) { skip(`group ${short(group)}, ${routeKey(entry)}: listed twice, the first counts`); return }
    seen.add(routeKey(entry))
    entries.push(entry)
  })
  const checked = entriesInput.safeParse(entries.slice(0, 1000))
  return checked.success ? checked.data : []
}

/** `{provider, model, priority?, windows?, until?, disabled?, effort?}`, or `provider/model` as a text. */
function readEntry(raw: unknown, key: string | null, index: number, skip: Skip): Entry | null {
  const route = readRoute(raw, key)
  if (!route) { skip(`entry ${short(raw)}: no provider and model`); return null }
  const fields: Plain = isPlain(raw) ? raw : {}
  const given = Math.round(number(fields['priority'] ?? fields['order']))
  const windows = readWindows(fields['windows'] ?? fields['window'], (what) => skip(`${routeKey(route)}: ${what}`))
  const until = readDay(fields['until'] ?? fields['expires'], (what) => skip(`${routeKey(route)}: ${what}`))
  const effort = text(fields['effort'] ?? fields['reasoningEffort'])
  const parsed = entryInputSchema.safeParse({
    ...route,
    priority: Number.isFinite(given) ? Math.min(999, Math.max(1, given)) : Math.min(999, index + 1),
    windows,
    until,
    ...(effort && effort.length <= 40 ? { effort } : {}),
    disabled: fields['disabled'] === true || fields['enabled'] === false,
    ask: fields['ask'] === true,
  })
  if (parsed.success) return parsed.data
  skip(`entry ${routeKey(route)}: ${why(parsed.error)}`)
  return null
}

/** null, '' and [] mean the whole day, one window may stand without a list, hours may be texts (`22`, `22:00`). */
function readWindows(raw: unknown, skip: Skip): readonly Window[] | null {
  if (raw === null || raw === undefined || raw === '') return null
  const windows: Window[] = []
  for (const value of Array.isArray(raw) ? raw as readonly unknown[] : [raw]) {
    if (value === null || value === '') continue
    const from = readHour(isPlain(value) ? value['from'] ?? value['start'] : undefined)
    const to = readHour(isPlain(value) ? value['to'] ?? value['end'] : undefined)
    if (from === null || to === null) skip(`hours ${short(value)}: not two hours 0–23, the window is left out`)
    else windows.push({ from, to })
  }
  return windows.slice(0, 48)
}

function readHour(raw: unknown): number | null {
  const match = /^(\d{1,2})(?::00)?$/.exec(typeof raw === 'number' || typeof raw === 'string' ? String(raw).trim() : '')
  const hour = match ? Number(match[1]) : Number.NaN
  return hour <= 23 ? hour : null
}

function readDay(raw: unknown, skip: Skip): string | null {
  if (raw === null || raw === undefined || raw === '') return null
  const day = (text(raw) ?? '').slice(0, 10)
  if (isCalendarDay(day)) return day
  skip(`last day ${short(raw)}: not a real date, the entry never expires`)
  return null
}
