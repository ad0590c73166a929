/** Judges a failed model call: its class, how far it reaches, and until when. Pure; takes any input, throws on none. */
import type { Failure, FailureClass, Scope, Verdict } from '../contract/failure.ts'
import { evidence, type Evidence } from './classify/evidence.ts'
import { resetInstant } from './classify/reset.ts'
import { RULES, UNDECIDED, type Rule } from './classify/rules.ts'
import { quotaScope } from './classify/scope.ts'

const USUAL_SCOPE: Readonly<Record<FailureClass, Scope>> = {
  cancelled: 'request',
  context_too_long: 'request',
  invalid_request: 'request',
  unsupported_modality: 'request',
  content_filter: 'request',
  capacity: 'route',
  rate_limit: 'route',
  quota: 'route',
  auth: 'provider',
  forbidden: 'route',
  model_not_found: 'route',
  upstream_unavailable: 'route',
  transport: 'endpoint',
  server: 'route',
  timeout: 'route',
  empty_response: 'route',
  bad_output: 'route',
  local: 'route',
  unknown: 'route',
}

/** Classes for which "come back at" means something; a refused request stays refused. */
const RESETS: ReadonlySet<FailureClass> = new Set([
  'capacity', 'rate_limit', 'quota', 'auth', 'forbidden', 'model_not_found', 'upstream_unavailable', 'server', 'timeout', 'unknown',
])

/**
 * Judges a failure.
 * @param failure - what the inlet handed over; every field may be missing or wrong
 * @param now - epoch ms, read once per decision
 * @param zone - IANA zone for clock times that name none ("resets 3pm"); relays print those in their own zone
 * @returns the verdict; `reset` lies in (now, now + 24 h] or is null
 */
export function classify(failure: Failure, now: number, zone = 'UTC'): Verdict {
  const seen = evidence(failure)
  if (failure.aborted === true) {
    return { class: 'cancelled', scope: 'request', reset: null, rule: 'aborted', endOfLife: false, status: seen.status }
  }
  const rule = RULES.find((candidate) => candidate.test(seen)) ?? UNDECIDED
  return {
    class: rule.class,
    scope: scopeOf(rule, seen),
    reset: RESETS.has(rule.class) ? resetInstant(failure, seen.text, { now, zone, foreignDelay: rule.foreignDelay === true }) : null,
    rule: rule.id,
    endOfLife: rule.endOfLife === true,
    status: seen.status,
  }
}

function scopeOf(rule: Rule, seen: Evidence): Scope {
  if (rule.scope !== undefined) return rule.scope
  return rule.class === 'quota' ? quotaScope(seen) : USUAL_SCOPE[rule.class]
}
