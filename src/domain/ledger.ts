/**
 * The day ledger: which routes failed this usage day, and what clears a mark early. A manual mark ends by the day or by
 * hand only. Marks carry epoch instants for the disk; evidence is spaced by the steady clock. Immutable.
 */
import type { FailureClass } from '../contract/failure.ts'
import type { Mark } from '../contract/health.ts'
import type { Route } from '../contract/route.ts'
import { CLASS_RULES } from './consequences.ts'
import { usageDayEnd, usageDayStart, type InstantRange } from './beijing.ts'

export const MANUAL_CODE = 'MANUAL'
const REASON_LIMIT = 2000
const CODE_LIMIT = 200

/** A mark with what is known of its recovery. `sinceMono`, `goodMono` are instants of the steady clock (ms). */
export interface Marked {
  readonly mark: Mark
  /** Usage day the mark belongs to, as instants: it stands from `from` (included) to `to` (excluded). */
  readonly day: InstantRange
  readonly sinceMono: number
  /** First good probe since the mark, null = none yet. */
  readonly goodMono: number | null
}

/** The clocks of one moment: wall (epoch ms) and steady (ms). */
export interface Moment { readonly now: number; readonly mono: number }

/** The usage day of an instant, as instants. */
export function dayOf(now: number, resetHour: number): InstantRange {
  return { from: usageDayStart(now, resetHour), to: usageDayEnd(now, resetHour) }
}

/** Null when the mark does not stand at `now`: it was never set, or its usage day is over. */
export function standingMark(marked: Marked | null, now: number): Marked | null {
  return marked && now >= marked.day.from && now < marked.day.to ? marked : null
}

/** A failure that leaves a mark. It adds to a mark that stands and never turns a manual one into an automatic one. */
export function markFailure(
  old: Marked | null,
  failure: { readonly route: Route; readonly class: FailureClass; readonly code: string | null; readonly reason: string | null },
  day: InstantRange,
  moment: Moment,
): Marked {
  const before = standingMark(old, moment.now)
  if (before?.mark.manual) return { ...before, mark: { ...before.mark, count: before.mark.count + 1 } }
  return {
    mark: {
      provider: failure.route.provider, model: failure.route.model, class: failure.class, code: failure.code?.slice(0, CODE_LIMIT) ?? null,
      reason: failure.reason?.slice(0, REASON_LIMIT) ?? null, count: (before?.mark.count ?? 0) + 1, at: moment.now, manual: false,
    },
    day, sinceMono: moment.mono, goodMono: null,
  }
}

/** A mark set by hand; it takes the place of an automatic one. */
export function markByHand(route: Route, day: InstantRange, moment: Moment): Marked {
  const mark: Mark = { provider: route.provider, model: route.model, class: null, code: MANUAL_CODE, reason: null, count: 1, at: moment.now, manual: true }
  return { mark, day, sinceMono: moment.mono, goodMono: null }
}

/** A mark after the clock was set back to before its day: it belongs to today, or it would come back tomorrow. */
export function broughtBack(marked: Marked, now: number, today: InstantRange): Marked {
  return marked.day.from <= now ? marked : { ...marked, day: today, mark: { ...marked.mark, at: Math.min(marked.mark.at, now) } }
}

/** A success that began at `startedMono` (steady clock, ms): it clears an automatic mark whose last failure is not younger. */
export function clearedBySuccess(marked: Marked, startedMono: number): boolean {
  return !marked.mark.manual && marked.sinceMono <= startedMono
}

/** Whether probes may clear this mark. Limits of credentials and allowances are no matter of trying. */
export function probesMayClear(mark: Mark): boolean {
  return !mark.manual && (mark.class === null || CLASS_RULES[mark.class].probed)
}

/** A good probe: null when it is the second one, at least `gapMs` after the first, and so clears the mark. */
export function goodProbe(marked: Marked, gapMs: number, mono: number): Marked | null {
  if (!probesMayClear(marked.mark)) return marked
  if (marked.goodMono === null) return { ...marked, goodMono: mono }
  return mono - marked.goodMono >= gapMs ? null : marked
}

/** A failed probe: the evidence starts anew. */
export function badProbe(marked: Marked): Marked {
  return marked.goodMono === null ? marked : { ...marked, goodMono: null }
}

/** Instant of the steady clock from which the next probe counts as evidence. */
export function evidenceFrom(marked: Marked, gapMs: number): number {
  return (marked.goodMono ?? marked.sinceMono) + gapMs
}
