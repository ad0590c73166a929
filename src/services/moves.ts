/**
 * Carrying out what was decided for a session: its record is on disk before a request leaves on another route, the
 * host's view keeps showing home, and everybody who wants to know is told once.
 */
import type { FailureClass } from '../contract/failure.ts'
import type { MoveKind, Override, Rejection, SessionRecord } from '../contract/group.ts'
import { sameRoute, type EffortRoute, type Route } from '../contract/route.ts'
import type { CandidateVerdict, DecisionRecord } from '../contract/status.ts'
import type { Dispose, HostPort, Log, Time } from '../ports.ts'
import type { SessionRun } from './runs.ts'

const REJECTIONS_MAX = 32
/** A disk that does not answer must not hold a request that can be saved. */
const WRITE_WAIT_MS = 2000

/** The durable records of sessions; `save` resolves when the record is on disk, `set` writes behind. */
export interface SessionRecords {
  get(id: string): SessionRecord | null
  ids(): readonly string[]
  save(id: string, record: SessionRecord): Promise<void>
  set(id: string, record: SessionRecord): void
}

export interface MoveOrder {
  readonly run: SessionRun
  readonly kind: DecisionRecord['kind']
  readonly moveKind: MoveKind
  readonly home: EffortRoute | null
  readonly from: EffortRoute | null
  readonly to: EffortRoute
  readonly class: FailureClass | null
  readonly code: string | null
  readonly message: string | null
  readonly rule: string | null
  readonly why: string
  readonly until: number | null
  /** When the session left home (epoch ms); a further move while away keeps it. */
  readonly at?: number
  readonly candidates: () => readonly CandidateVerdict[]
  readonly tookMs: number
}

export interface Moves {
  away(order: MoveOrder): Promise<void>
  home(order: Omit<MoveOrder, 'moveKind' | 'class' | 'code' | 'message' | 'rule'>): Promise<void>
  /** The binding chose `to`: it becomes home, and any override ends. */
  adopt(order: Omit<MoveOrder, 'moveKind' | 'class' | 'code' | 'message' | 'rule'>): Promise<void>
  /** The user chose `route`: it is the new home, and whatever kept the session away is over. */
  picked(session: string, route: EffortRoute, how: 'hand-pick' | 'consent'): Promise<void>
  /** The route refused this very history. */
  rejected(session: string, rejection: Rejection): void
  /** The request itself was bad: whatever this step made of the session is taken back. */
  undo(session: string, before: Pick<SessionRecord, 'home' | 'override' | 'rejections'>): void
  /** Ends an override without a move (unbind, pin, deletion of the group). */
  stop(session: string): void
  /** A request has really gone out; a transition is announced by the first one on its route. */
  sent(run: SessionRun, route: Route): void
}

export interface MovesDeps {
  readonly time: Time
  readonly log: Log
  readonly host: Pick<HostPort, 'show' | 'assign' | 'hasProvider' | 'session'>
  readonly records: SessionRecords
  readonly decided: (record: DecisionRecord) => void
  readonly announce: (event: { readonly from: Route | null; readonly to: Route; readonly agentId: string }) => void
}

export const NO_RECORD: Omit<SessionRecord, 'seenAt'> = {
  groupId: null, mode: 'failover', pin: false, home: null, override: null, rejections: [], consents: [],
}

export function createMoves(deps: MovesDeps): Moves {
  const { time, log, host, records } = deps
  const announcing = new Map<string, { readonly from: Route | null; readonly to: Route }>()
  const recordOf = (id: string): SessionRecord => records.get(id) ?? { ...NO_RECORD, seenAt: time.now() }

  /** Waits for the disk, but not for ever; a failing disk is reported by the store and costs only the memory of the move. */
  const durable = async (id: string, record: SessionRecord): Promise<void> => {
    let stop: Dispose = () => {}
    const late = new Promise<void>((resolve) => { stop = time.after(WRITE_WAIT_MS, resolve) })
    try { await Promise.race([records.save(id, record), late]) } catch (error) {
      records.set(id, record)
      log.warn('the home of %s could not be written before its move: %o', id, error)
    } finally { stop() }
  }

  const record = (order: Omit<MoveOrder, 'moveKind' | 'class' | 'code' | 'message' | 'rule'>, more: Pick<MoveOrder, 'class' | 'code' | 'message' | 'rule'> & { moveKind: MoveKind | null }): void => {
    const { run, kind, from, to, why, until, candidates, tookMs } = order
    deps.decided({ at: time.now(), session: run.id, turn: run.turn < 0 ? null : run.turn, kind, from, to, why, until, candidates: [...candidates()], calls: run.calls, tookMs, ...more })
    log.info('%s: %s -> %s (%s)', run.id, from ? `${from.provider}/${from.model}` : 'nothing', `${to.provider}/${to.model}`, why)
  }

  /** The host's stock view shows what the user wants; where the session is now, our own seat says. */
  const show = (id: string, home: EffortRoute | null, to: EffortRoute): void => {
    const live = host.session(id)
    if (!live || live.subagent) return
    void host.show(id, home && host.hasProvider(home.provider) ? home : to)
  }

  const settle = async (order: Omit<MoveOrder, 'moveKind' | 'class' | 'code' | 'message' | 'rule'>, known: SessionRecord): Promise<void> => {
    const { run, to, from } = order
    await durable(run.id, { ...known, override: null, seenAt: time.now() })
    run.route = to
    announcing.set(run.id, { from, to })
    record(order, { moveKind: null, class: null, code: null, message: null, rule: null })
    void host.assign(run.id, to)
  }

  return {
    async away(order) {
      const { run, to, moveKind, until } = order
      const known = recordOf(run.id)
      const override: Override = { ...to, kind: moveKind, class: order.class, from: order.from, at: order.at ?? time.now(), until }
      await durable(run.id, { ...known, home: known.home ?? order.home, override, seenAt: time.now() })
      run.route = to
      run.moved(time.mono())
      announcing.set(run.id, { from: order.from, to })
      record(order, { moveKind, class: order.class, code: order.code, message: order.message, rule: order.rule })
      show(run.id, known.home ?? order.home, to)
    },
    home: (order) => settle(order, recordOf(order.run.id)),
    adopt: (order) => settle(order, { ...recordOf(order.run.id), home: order.to }),
    async picked(session, route, how) {
      const known = recordOf(session)
      announcing.delete(session)
      const rejections = known.rejections.filter((each) => !sameRoute(each, route))
      const next: SessionRecord = { ...known, home: route, picked: true, override: null, rejections, seenAt: time.now() }
      // In force at once: the user's next request may leave before the disk answers.
      records.set(session, next)
      await durable(session, next)
      deps.decided({
        at: time.now(), session, turn: null, kind: how, from: known.override ?? known.home, to: route, moveKind: null,
        class: null, code: null, message: null, rule: null, why: how, until: null, candidates: [], calls: 0, tookMs: 0,
      })
    },
    rejected(session, rejection) {
      const known = recordOf(session)
      const others = known.rejections.filter((each) => !sameRoute(each, rejection))
      records.set(session, { ...known, rejections: [...others, rejection].slice(-REJECTIONS_MAX) })
    },
    undo(session, { home, override, rejections }) {
      announcing.delete(session)
      const known = records.get(session)
      if (!known) return
      // The host takes the last header for the session's choice, so home stays written down even where it was not before.
      const back = home ?? known.home
      records.set(session, { ...known, home: back, override, rejections })
      if (back) show(session, back, back)
    },
    stop(session) {
      announcing.delete(session)
      const known = records.get(session)
      if (known?.override) records.set(session, { ...known, override: null })
    },
    sent(run, route) {
      const news = announcing.get(run.id)
      if (!news || !sameRoute(news.to, route)) return
      announcing.delete(run.id)
      deps.announce({ ...news, agentId: run.id })
    },
  }
}
