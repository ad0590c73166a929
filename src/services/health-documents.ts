/**
 * Health on disk: the day ledger, the stated holds and the endpoint states. Steady instants are told as epoch ms there;
 * on the way back nothing lasts longer than it could have lasted. Breakers, permits and counters are not kept.
 */
import type { EndpointRecord, FailedDocument, HealthDocument, Hold, Mark } from '../contract/health.ts'
import { usageDay } from '../domain/beijing.ts'
import { endpointState, firstProbeMs, type Endpoint } from '../domain/endpoint.ts'
import type { ProviderState } from '../domain/health.ts'
import { reclamped } from '../domain/holds.ts'
import { dayOf, standingMark, type Moment } from '../domain/ledger.ts'
import type { Document, Random } from '../ports.ts'
import type { Board } from './health-board.ts'

/** The ledger as it is to be written: the marks that stand now, in no special order. */
export function failedDocumentOf(board: Board, now: number, resetHour: number): FailedDocument {
  return { version: 1, day: usageDay(now, resetHour), marks: standingMarks(board, now) }
}

export function standingMarks(board: Board, now: number): Mark[] {
  const marks: Mark[] = []
  for (const provider of board.providers.values()) {
    for (const state of provider.routes.values()) {
      const marked = standingMark(state.marked, now)
      if (marked) marks.push(marked.mark)
    }
  }
  return marks
}

/** Marks of another usage day than this one are over. */
export function loadMarks(board: Board, document: FailedDocument, resetHour: number, moment: Moment): void {
  if (document.day !== usageDay(moment.now, resetHour)) return
  const day = dayOf(moment.now, resetHour)
  for (const mark of document.marks) {
    const at = Math.min(mark.at, moment.now)
    board.route(mark).marked = { mark: { ...mark, at }, day, sinceMono: moment.mono - (moment.now - at), goodMono: null }
  }
}

/** `kept` = endpoint records that are not in force now (endpoint health is switched off) and must survive the write. */
export function healthDocumentOf(board: Board, moment: Moment, kept: readonly EndpointRecord[]): HealthDocument {
  return { version: 1, holds: standingHolds(board, moment.now), endpoints: [...endpointRecords(board, moment), ...kept] }
}

export function standingHolds(board: Board, now: number): Hold[] {
  const holds: Hold[] = []
  for (const provider of board.providers.values()) {
    for (const held of [provider, ...provider.routes.values()]) holds.push(...held.holds.filter((hold) => hold.until > now))
  }
  return holds
}

export function endpointRecords(board: Board, moment: Moment): EndpointRecord[] {
  const records: EndpointRecord[] = []
  for (const provider of board.providers.values()) {
    const whole = recordOf(provider, null, provider.endpoint, moment)
    if (whole) records.push(whole)
    for (const { route, endpoint } of provider.routes.values()) {
      const record = recordOf(provider, route.model, endpoint, moment)
      if (record) records.push(record)
    }
  }
  return records
}

function recordOf(provider: ProviderState, model: string | null, endpoint: Endpoint, { now, mono }: Moment): EndpointRecord | null {
  if (endpoint.at === 'healthy' || endpointState(endpoint, mono) === 'healthy') return null
  const wall = (at: number): number => Math.round(now - (mono - at))
  return {
    scope: model === null ? 'endpoint' : 'route', provider: provider.provider, endpoint: provider.endpointId, model,
    state: endpoint.at, class: endpoint.class, reason: endpoint.reason, lastModel: endpoint.model,
    since: wall(endpoint.since), lastFailureAt: wall(endpoint.lastFailure),
    lastConclusiveProbeAt: endpoint.at === 'quarantined' && endpoint.lastConclusive !== null ? wall(endpoint.lastConclusive) : null,
    probes: endpoint.at === 'quarantined' ? endpoint.probes : 0,
  }
}

/**
 * Holds go on for what is left of them; a hold of class `local` ends, because a start builds the registry anew. A
 * quarantine goes on as it was, with its first probe 15–45 s from now.
 */
export function loadHealth(board: Board, document: HealthDocument, records: readonly EndpointRecord[], moment: Moment, random: Random): void {
  for (const stored of document.holds) {
    const hold = stored.class === 'local' ? null : reclamped(stored, moment.now)
    if (!hold) continue
    const held = hold.model === null ? board.provider(hold.provider) : board.route({ provider: hold.provider, model: hold.model })
    held.holds = [...held.holds.filter((one) => one.class !== hold.class || one.until > hold.until), hold]
  }
  for (const record of records) {
    const provider = board.provider(record.provider)
    if (provider.endpointId === '') provider.endpointId = record.endpoint
    if (record.endpoint !== '' && record.endpoint !== provider.endpointId) continue
    const held = record.model === null ? provider : board.route({ provider: record.provider, model: record.model })
    board.route({ provider: record.provider, model: record.lastModel })
    held.endpoint = endpointOf(record, moment, random)
  }
}

function endpointOf(record: EndpointRecord, { now, mono }: Moment, random: Random): Endpoint {
  const steady = (at: number): number => mono - Math.max(0, now - at)
  const shared = {
    since: steady(record.since), recent: [], run: 0, by: 0, before: null,
    class: record.class, reason: record.reason, model: record.lastModel, lastFailure: steady(record.lastFailureAt),
  }
  if (record.state === 'suspect') return { at: 'suspect', ...shared }
  return {
    at: 'quarantined', ...shared, probes: record.probes, judgedFrom: mono, probeFrom: mono + firstProbeMs(random()),
    lastConclusive: record.lastConclusiveProbeAt === null ? null : steady(record.lastConclusiveProbeAt),
  }
}

export interface WriterParts {
  readonly board: Board
  readonly documents: { readonly failed: Document<FailedDocument>; readonly health: Document<HealthDocument> }
  readonly kept: readonly EndpointRecord[]
  readonly resetHour: () => number
  readonly moment: () => Moment
}

/** Writes behind: the documents are built after the request has gone on its way, once for a burst of changes. */
export class HealthWriter {
  readonly #parts: WriterParts
  readonly #due = new Set<'failed' | 'health'>()
  #queued = false

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  soon(document: 'failed' | 'health'): void {
    this.#due.add(document)
    if (this.#queued) return
    this.#queued = true
    void Promise.resolve().then(() => this.#write())
  }

  async close(): Promise<void> {
    this.#write()
    await Promise.all([this.#parts.documents.failed.flush(), this.#parts.documents.health.flush()])
  }

  #write(): void {
    this.#queued = false
    if (this.#due.size === 0) return
    const { board, documents, kept, resetHour, moment } = this.#parts
    const at = moment()
    if (this.#due.delete('failed')) documents.failed.set(failedDocumentOf(board, at.now, resetHour()))
    if (this.#due.delete('health')) documents.health.set(healthDocumentOf(board, at, kept))
  }
}
