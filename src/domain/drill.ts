/** The fault catalogue as a model stream: what an adapter of the host would hand over if an upstream played that fault. */
import type { Fault, StreamPlay } from '../contract/faults.ts'
import type { Chunk, HostFailure } from './chunks.ts'

export const DRILL_PROVIDER = 'model-failover-drill'

/** One thing a drill model does. `hang`: nothing more ever comes. */
export type DrillStep =
  | { readonly kind: 'frame'; readonly chunk: Chunk }
  | { readonly kind: 'pause'; readonly ms: number }
  | { readonly kind: 'hang' }

const ANSWER = 'This is a drill: the model answers as it should.'

/** The steps of one call, in order. */
export function drillSteps(fault: Fault): readonly DrillStep[] {
  const { play } = fault
  switch (play.kind) {
    case 'reply':
      return [failed({ code: codeOf(play.status, play.body), message: `${play.status}${bodyText(play.body)}`, status: play.status, ...retryAfter(play.headers) })]
    case 'reset':
      return [failed({ code: 'TRANSPORT', message: 'Connection error.' })]
    case 'hang':
      return [{ kind: 'hang' }]
    case 'stream':
      return streamSteps(play)
  }
}

function streamSteps(play: StreamPlay): DrillStep[] {
  const words = (play.text ?? ANSWER).split(' ')
  const sent = play.words === null ? words : words.slice(0, play.words)
  const steps: DrillStep[] = []
  if (sent.length > 0) steps.push(frame({ type: 'block-start', index: 0, blockType: 'text' }))
  sent.forEach((word, at) => {
    if (play.pauseMs > 0) steps.push({ kind: 'pause', ms: play.pauseMs })
    steps.push(frame({ type: 'text-delta', index: 0, text: at === 0 ? word : ` ${word}` }))
  })
  return [...steps, ...ending(play, sent.join(' '))]
}

function ending(play: StreamPlay, text: string): DrillStep[] {
  switch (play.ending) {
    case 'finish': {
      if (play.finishReason === 'content_filter') return [failed({ code: 'PI_AI_ERROR', message: 'Provider finish_reason: content_filter' })]
      if (text === '') return [failed({ code: 'EMPTY_RESPONSE', message: 'the model returned no content' })]
      return [...closed(text), ...(play.usage === false ? [] : [usage(text)]), frame({ type: 'finish', reason: { kind: 'stop' } })]
    }
    // A drill runs no tools: the model only says that it would have called one.
    case 'tool-call':
      return [...closed(text), usage(text), frame({ type: 'finish', reason: { kind: 'stop' } })]
    case 'error':
      return [failed({ code: 'PI_AI_ERROR', message: messageOf(play.error) })]
    case 'reset':
      return [failed({ code: 'TRANSPORT', message: 'terminated' })]
    case 'close':
      return [failed({ code: 'TRANSPORT', message: 'Stream ended without finish_reason' })]
    case 'hang':
      return [{ kind: 'hang' }]
  }
}

const frame = (chunk: Chunk): DrillStep => ({ kind: 'frame', chunk })
const failed = (failure: HostFailure): DrillStep => frame({ type: 'finish', reason: { kind: 'error', failure } })
const usage = (text: string): DrillStep => frame({ type: 'usage', usage: { inputTokens: 8, outputTokens: Math.max(1, text.split(' ').length) } })
const closed = (text: string): DrillStep[] => (text === '' ? [] : [frame({ type: 'block-end', index: 0, block: { type: 'text', text } })])

/** The code the host's own adapters give a status; see the classifier for what is made of it. */
function codeOf(status: number, body: unknown): string {
  if (status === 402 || JSON.stringify(body).includes('insufficient_quota')) return 'QUOTA'
  if (JSON.stringify(body).includes('context_length_exceeded')) return 'CONTEXT_WINDOW_EXCEEDED'
  if (status === 429) return 'RATE_LIMIT'
  if (status === 401 || status === 403) return 'AUTH'
  return status >= 500 ? 'SERVER' : 'INVALID_REQUEST'
}

function bodyText(body: unknown): string {
  if (body === '') return ' status code (no body)'
  if (typeof body === 'string') return ` ${body}`
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : body
  return `: ${JSON.stringify(error)}`
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string' ? error.message : JSON.stringify(error)
}

/** A stated wait travels beside the text, as the official adapter does it. */
function retryAfter(headers: Readonly<Record<string, string>> | undefined): { providerRetryAfterMs?: number } {
  const seconds = Number(headers?.['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? { providerRetryAfterMs: seconds * 1000 } : {}
}
