/** What the codearts provider says when its own account pool has nobody to send, and whether it is only full. Pure. */

/** The pool found no account; nothing was sent upstream. */
const NOBODY: readonly RegExp[] = [
  /(?:没有|暂无|无)\s*(?:任何)?\s*可用的?[^\n]{0,24}?(?:账号|帐号|账户|帐户)/,
  /(?:账号|帐号|账户|帐户)池?[^\n]{0,12}(?:为空|已空|全部不可用|均不可用|都不可用)/,
  /\bno\s+(?:more\s+)?(?:currently\s+)?(?:available|usable|healthy|free|valid)\s+(?:[\w-]+\s+){0,3}accounts?\b/i,
  /\bno\s+(?:[\w-]+\s+){0,3}accounts?\s+(?:(?:is|are)\s+)?(?:currently\s+)?(?:available|usable|left)\b/i,
  /\ball\s+(?:[\w-]+\s+){0,3}accounts?\s+(?:are\s+)?(?:currently\s+)?(?:unavailable|disabled|capped|busy)\b/i,
]

/** The accounts are sound and only busy. */
const FULL: readonly RegExp[] = [/\bcapped\b|\bbusy\b/i, /并发/, /占满|已满|排队/, /\bconcurren/i, /\bTM\.0*1041\b/, /\bat capacity\b|\bmax(?:imum)? sessions?\b/i]

/** True for a text by which the pool says that it cannot choose an account. */
export function saysNoAccount(text: string): boolean {
  return NOBODY.some((pattern) => pattern.test(text))
}

/** True when such a text says that the accounts are only at their limit of concurrent calls. */
export function saysFull(text: string): boolean {
  return FULL.some((pattern) => pattern.test(text))
}

/**
 * Reads account states a pool may publish (a list, or an object with `accounts`). True = every account that is not
 * disabled or cooling is at its limit, and there is one; false = none is merely full; null = nothing readable.
 * Fields looked at: `disabled`, `coolUntil`, `capped`, `cappedUntil`, `activeConcurrent`, `maxConcurrent`, `state`.
 */
export function onlyFull(published: unknown, now: number): boolean | null {
  const list = Array.isArray(published) ? published : isObject(published) && Array.isArray(published.accounts) ? published.accounts : null
  const accounts = list?.filter(isObject).filter(telling) ?? []
  if (accounts.length === 0) return null
  const alive = accounts.filter((account) => account.disabled !== true && !later(account.coolUntil, now) && !/disabled|dead|cool/i.test(text(account.state)))
  return alive.length > 0 && alive.every((account) => isFull(account, now))
}

function isFull(account: Record<string, unknown>, now: number): boolean {
  if (account.capped === true || later(account.cappedUntil, now) || /capped|full|busy/i.test(text(account.state))) return true
  return typeof account.activeConcurrent === 'number' && typeof account.maxConcurrent === 'number'
    && account.maxConcurrent > 0 && account.activeConcurrent >= account.maxConcurrent
}

/** Only accounts that tell their running state count; a list of names proves nothing. */
function telling(account: Record<string, unknown>): boolean {
  return ['disabled', 'coolUntil', 'capped', 'cappedUntil', 'activeConcurrent', 'state'].some((field) => account[field] !== undefined)
}

const later = (value: unknown, now: number): boolean => typeof value === 'number' && value > now
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
