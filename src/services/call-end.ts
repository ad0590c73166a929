/** How one model call ended, as the stream wrapper tells it, and what the wrapper asks of its owner. */
import type { Chunk, FinishReason, HostFailure, Stream, Time, Usage } from '../ports.ts'
import type { Admission, Waiting } from './slot.ts'
import type { Deadlines } from './deadlines.ts'

/** Durations are ms; `…At` epoch ms; `…Mono` ms of the steady clock. */
export interface CallEnd {
  /**
   * `finish`: a finish frame came (or an answer was found to be an error). `no-finish`: the stream just ended.
   * `thrown`: the source threw. `returned`: the reader went away. `abandoned`: the reader never came back.
   * `queue-timeout`, `queue-aborted`: no request was sent.
   */
  readonly how: 'finish' | 'no-finish' | 'thrown' | 'returned' | 'abandoned' | 'queue-timeout' | 'queue-aborted'
  /** The finish as the adapter gave it. */
  readonly finish: FinishReason | null
  /** What went wrong; null = success, or cancelled without any failure. */
  readonly failure: HostFailure | null
  /** The user or the reader ended it: the call's own signal fired, or nobody wanted the rest. */
  readonly cancelled: boolean
  readonly usage: Usage | null
  readonly waitMs: number
  /** From sending to the first decisive frame, without the wait for a slot. */
  readonly ttftMs: number | null
  /** From the first decisive frame to the end. */
  readonly outputMs: number | null
  /** When the request was sent (after any wait). */
  readonly startedAt: number
  readonly startedMono: number
  readonly endedAt: number
  readonly endedMono: number
  /** A decisive frame went out to the reader, so a failed attempt has left text behind. */
  readonly contentSeen: boolean
}

export interface CallHooks {
  readonly time: Time
  readonly deadlines: Deadlines
  /** Asks for a slot; called once, inside the first `next()`. Absent = no gate on the number of calls. */
  readonly slot?: () => Admission | Waiting
  /** The call's own signal: an aborted call is cancelled, not failed. */
  readonly signal?: AbortSignal | undefined
  /** A signal that fires with a `TimeoutError` ends the call with the failure TIMEOUT: the limit is part of the call. */
  readonly ownTimeout?: boolean
  /** Hold frames until the first decisive one. */
  readonly gate: boolean
  /** Nothing decisive for so long: let everything through (ms; 0 = wait for ever). */
  readonly gateTimeoutMs: number
  /** The failure a whole short answer stands for, null for an ordinary one. Absent = answers are not looked at. */
  readonly inBandRule?: ((text: string) => HostFailure | null) | null | undefined
  /** The first decisive frame came (ms since sending). */
  readonly onFirst?: (ttftMs: number) => void
  /** Once per call, before the finish frame goes out. The slot is free by then. */
  readonly onEnd: (end: CallEnd) => void
  /**
   * The call failed and nothing has gone out yet: the stream to go on with, or null to pass the failure on. That stream
   * is relayed as it is, without its replay state; its own accounting is its own matter.
   */
  readonly onRefused?: (failure: HostFailure) => Stream | null | Promise<Stream | null>
  /** A failing finish is about to go out to the reader; the frame to send instead of it. */
  readonly onFailing?: (frame: Extract<Chunk, { type: 'finish' }>) => Extract<Chunk, { type: 'finish' }>
  /** A hook threw; the call goes on without it. */
  readonly onFault?: (error: unknown) => void
}

export type Result = IteratorResult<Chunk, undefined>

export const DONE: Result = { value: undefined, done: true }

/** Replay state belongs to the route that made it; under another route's name the host would hand it to the wrong adapter. */
export function relayed(result: IteratorResult<Chunk>): Result {
  if (result.done) return DONE
  const chunk = result.value
  return chunk.type === 'finish' && 'replayState' in chunk ? { value: { type: 'finish', reason: chunk.reason }, done: false } : result
}
