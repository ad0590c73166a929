/**
 * The stream gate as a machine over frames: hold what comes before the first decisive frame, then commit or refuse.
 * It also judges an ending: a stop without content, a stream without a finish, and an error dressed up as an answer.
 */
import type { Chunk, FinishReason, HostFailure } from './chunks.ts'

/** Frames are held up to this many bytes (an estimate: two per character); beyond it everything is let through. */
export const HOLD_CAP_BYTES = 256 * 1024
/** A whole answer longer than this is never taken for an error message. */
export const IN_BAND_CHARS = 300

/** What a call has shown before its first decisive frame. */
export interface Gate { readonly held: number; readonly bytes: number; readonly capBytes: number }

/** `hold`: keep the frame. `commit`: let it and all held frames go. `refuse`: drop all, the call has failed. */
export type Judgement = { readonly kind: 'hold'; readonly gate: Gate } | { readonly kind: 'commit' } | { readonly kind: 'refuse'; readonly failure: HostFailure }

const COMMIT: Judgement = { kind: 'commit' }

const OPENED: Gate = { held: 0, bytes: 0, capBytes: HOLD_CAP_BYTES }

export function openGate(capBytes = HOLD_CAP_BYTES): Gate {
  return capBytes === HOLD_CAP_BYTES ? OPENED : { held: 0, bytes: 0, capBytes }
}

/** Judges the next frame of a call that has shown nothing decisive yet. */
export function feed(gate: Gate, chunk: Chunk): Judgement {
  if (chunk.type === 'finish') {
    const failure = failureOf(chunk.reason) ?? emptyAnswer(chunk.reason)
    return failure ? { kind: 'refuse', failure } : COMMIT
  }
  if (isDecisive(chunk)) return COMMIT
  const bytes = gate.bytes + weight(chunk)
  return bytes > gate.capBytes ? COMMIT : { kind: 'hold', gate: { held: gate.held + 1, bytes, capBytes: gate.capBytes } }
}

/**
 * True for a frame that only a working model sends: a non-empty text, reasoning or tool-call delta, or the end of a
 * block that has content. A block start and a usage report come from dead upstreams as well.
 */
export function isDecisive(chunk: Chunk): boolean {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return chunk.text !== ''
    case 'tool-call-delta':
      return chunk.argumentsDelta !== '' || (chunk.name !== undefined && chunk.name !== '')
    case 'block-end':
      return hasContent(chunk.block)
    case 'block-start':
    case 'usage':
    case 'finish':
      return false
  }
  // A frame type of a newer host: not ours to judge.
  return false
}

/** The failure a finish reports, null for an answer. */
export function failureOf(reason: FinishReason): HostFailure | null {
  return reason.kind === 'error' || reason.kind === 'aborted' ? reason.failure : null
}

/** A plain stop after nothing decisive is a failure, with the code the host itself gives it. */
function emptyAnswer(reason: FinishReason): HostFailure | null {
  return reason.kind === 'stop' ? { code: 'EMPTY_RESPONSE', message: 'the model finished without any content' } : null
}

/** A stream that ends without a finish is a failure, whatever it has shown. */
export const NO_FINISH: HostFailure = { code: 'STREAM_CLOSED', message: 'the stream ended without a finish' }

/**
 * The answer as far as an in-band error could hide in it: the text of its only block. `over` = it cannot be one any
 * more: a second block, another kind of block, too long, or usage was reported.
 */
export type Answer = { readonly kind: 'one'; readonly index: number; readonly text: string; readonly closed: boolean } | { readonly kind: 'none' } | { readonly kind: 'over' }

export const NO_ANSWER: Answer = { kind: 'none' }
const OVER: Answer = { kind: 'over' }

/** Follows the answer frame by frame; costs nothing once it is `over`. */
export function follow(answer: Answer, chunk: Chunk): Answer {
  if (answer.kind === 'over') return answer
  switch (chunk.type) {
    case 'usage':
      return chunk.usage.inputTokens > 0 || chunk.usage.outputTokens > 0 ? OVER : answer
    case 'tool-call-delta':
    case 'reasoning-delta':
      return OVER
    case 'block-start':
      return answer.kind === 'none' && chunk.blockType === 'text' ? { kind: 'one', index: chunk.index, text: '', closed: false } : OVER
    case 'text-delta':
      if (answer.kind === 'one' && (answer.index !== chunk.index || answer.closed)) return OVER
      return bounded(chunk.index, (answer.kind === 'one' ? answer.text : '') + chunk.text, false)
    case 'block-end': {
      if (answer.kind === 'one' && (answer.index !== chunk.index || answer.closed)) return OVER
      const text = blockText(chunk.block)
      return text === null ? OVER : bounded(chunk.index, text, true)
    }
    case 'finish':
      return answer
  }
  return OVER
}

/**
 * The failure an answer turns out to be when it stops: its whole text is what an error rule matches from start to end.
 * `rule` gives the failure such a text stands for, null when it is an ordinary answer.
 */
export function inBandError(answer: Answer, reason: FinishReason, rule: (text: string) => HostFailure | null): HostFailure | null {
  if (reason.kind !== 'stop' || answer.kind !== 'one') return null
  const text = answer.text.trim()
  return text === '' ? null : rule(text)
}

function bounded(index: number, text: string, closed: boolean): Answer {
  return text.length > IN_BAND_CHARS ? OVER : { kind: 'one', index, text, closed }
}

function hasContent(block: unknown): boolean {
  if (typeof block !== 'object' || block === null) return false
  const { type, text } = block as { readonly type?: unknown; readonly text?: unknown }
  return type === 'text' || type === 'reasoning' ? typeof text === 'string' && text !== '' : typeof type === 'string'
}

function blockText(block: unknown): string | null {
  const { type, text } = (block ?? {}) as { readonly type?: unknown; readonly text?: unknown }
  return type === 'text' && typeof text === 'string' ? text : null
}

/** Rough size of a frame in memory; only frames without content come here, unless an adapter sends something unknown. */
function weight(chunk: Chunk): number {
  switch (chunk.type) {
    case 'block-start':
    case 'usage':
      return 64
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-call-delta':
    case 'block-end':
    case 'finish':
      return 128
  }
  return 64 + 2 * sizeOf(chunk)
}

/** Characters of a value's JSON text; a value that has none counts as large, so that it is let through. */
function sizeOf(value: unknown): number {
  try { return JSON.stringify(value)?.length ?? 0 } catch { return HOLD_CAP_BYTES }
}
