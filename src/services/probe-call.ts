/** One probe: a tiny real call on a route, without any session, read only as far as it takes to know whether the route serves. */
import type { Route } from '../contract/route.ts'
import { failureOf, isDecisive } from '../domain/frames.ts'
import { isInconclusive } from '../domain/probe-plan.ts'
import type { CallOptions, Chunk, HostFailure, Stream, Time, Usage } from '../ports.ts'
import type { OutcomeFailure } from './health-outcomes.ts'

/** Output limit of the repeat after an answer that said nothing about the route. */
export const REPEAT_TOKENS = 64
/** After the first valid frame only the token report is of interest, and not for long. */
const TAIL_MS = 5000
const PROMPT = 'Reply with the word OK.'
/** A guess at the input tokens of that prompt, for upstreams that report none. */
const PROMPT_TOKENS = 16

/** What a probe found. Not `conclusive`: the answer says nothing about the route; `failure` null with `ok` false: it was cut off. */
export interface ProbeReply {
  readonly ok: boolean
  readonly conclusive: boolean
  readonly failure: OutcomeFailure | null
  /** Input and output together. */
  readonly tokens: number
}

/** Never rejects; ends soon after `signal` fires. */
export type ProbeCall = (route: Route, maxTokens: number, signal: AbortSignal) => Promise<ProbeReply>

export interface ProbeCallParts {
  readonly time: Time
  /** Opens a model call; may throw. */
  readonly stream: (options: CallOptions) => Stream
  readonly judge: (failure: HostFailure) => OutcomeFailure
}

const CUT_OFF: ProbeReply = { ok: false, conclusive: false, failure: null, tokens: 0 }

export function createProbeCall({ time, stream, judge }: ProbeCallParts): ProbeCall {
  let calls = 0
  return async (route, maxTokens, signal) => {
    const tail = new AbortController()
    const both = AbortSignal.any([signal, tail.signal])
    const seen = { valid: false, usage: null as Usage | null, failure: null as HostFailure | null, finished: false }
    const options: CallOptions = { provider: route.provider, model: route.model, purpose: 'probe', maxTokens, signal: both, messages: [message(++calls)] }
    let stopTail: (() => void) | null = null
    try {
      for await (const chunk of until(() => stream(options), both)) {
        note(seen, chunk)
        if (seen.valid && !stopTail) stopTail = time.after(TAIL_MS, () => tail.abort())
        if (seen.finished) break
      }
    } catch (error) {
      seen.failure = { code: 'UNKNOWN', message: error instanceof Error ? error.message : String(error) }
    }
    stopTail?.()
    return reply(seen, maxTokens, signal.aborted, judge)
  }
}

interface Seen { valid: boolean; usage: Usage | null; failure: HostFailure | null; finished: boolean }

function note(seen: Seen, chunk: Chunk): void {
  if (chunk.type === 'usage') seen.usage = chunk.usage
  if (isDecisive(chunk)) seen.valid = true
  if (chunk.type !== 'finish') return
  seen.finished = true
  seen.failure = failureOf(chunk.reason)
}

function reply(seen: Seen, maxTokens: number, aborted: boolean, judge: ProbeCallParts['judge']): ProbeReply {
  const tokens = seen.usage ? seen.usage.inputTokens + seen.usage.outputTokens : seen.valid ? PROMPT_TOKENS + maxTokens : 0
  if (seen.valid || (seen.finished && !seen.failure)) return { ok: true, conclusive: true, failure: null, tokens }
  if (aborted) return { ...CUT_OFF, tokens }
  const failure = judge(seen.failure ?? { code: 'STREAM_CLOSED', message: 'the stream ended without a finish' })
  // A model that thinks first may have spent so small a limit without a word.
  const tooSmall = failure.class === 'empty_response' && maxTokens < REPEAT_TOKENS
  return { ok: false, conclusive: !isInconclusive(failure.class) && !tooSmall, failure, tokens }
}

/** A user message in the host's shape; hosts want an id and a source on each. */
function message(serial: number): object {
  return { id: `model-failover-probe-${serial}`, role: 'user', content: [{ type: 'text', text: PROMPT }], source: { kind: 'plugin', plugin: 'model-failover' } }
}

/** The frames of a stream until the signal fires; a source that ignores the signal is left behind, not waited for. */
async function* until(open: () => Stream, signal: AbortSignal): AsyncGenerator<Chunk, void, undefined> {
  if (signal.aborted) return
  const source = open()[Symbol.asyncIterator]()
  const stop = new Promise<null>((resolve) => { signal.addEventListener('abort', () => resolve(null), { once: true }) })
  try {
    for (;;) {
      const next = source.next()
      const result = await Promise.race([next, stop])
      if (result === null) {
        next.catch(() => { /* nobody waits for this frame any more */ })
        return
      }
      if (result.done) return
      yield result.value
    }
  } finally {
    void source.return?.()?.catch(() => { /* it was left; how it ends is its own matter */ })
  }
}
