/** The ways in which a model can fail, as plain data. The demo upstream plays them over HTTP, the drill provider plays them in process. */

/** The HTTP reply replaces the stream. A text body is sent as it is, anything else as JSON. */
export interface ReplyPlay {
  readonly kind: 'reply'
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** How a stream that was opened comes to its end; `error` sends an error object inside the stream. */
export type Ending = 'finish' | 'tool-call' | 'error' | 'reset' | 'close' | 'hang'

/** A stream of words. */
export interface StreamPlay {
  readonly kind: 'stream'
  /** Words sent before the ending; null = the whole answer. */
  readonly words: number | null
  /** Milliseconds between two words. */
  readonly pauseMs: number
  readonly ending: Ending
  /** Replaces the usual answer. */
  readonly text?: string
  /** False leaves the usage report out. */
  readonly usage?: boolean
  /** Value of the stream's last `finish_reason`; default `stop`. */
  readonly finishReason?: string
  /** The error object of the ending `error`. */
  readonly error?: unknown
}

/** The connection breaks, or nothing ever comes, before any header. */
export interface SilentPlay {
  readonly kind: 'reset' | 'hang'
}

export type Play = ReplyPlay | StreamPlay | SilentPlay

export interface Fault {
  /** Also the ending of a model name that plays it: `fault-<id>`. */
  readonly id: string
  readonly title: string
  readonly play: Play
}

const reply = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): ReplyPlay => ({ kind: 'reply', status, headers, body })
const error = (message: string, type: string, code: string | null = null) => ({ error: { message, type, param: null, code } })
const stream = (play: Partial<StreamPlay>): StreamPlay => ({ kind: 'stream', words: null, pauseMs: 0, ending: 'finish', ...play })

/** The tool call of the fault `tool-call`: harmless, and offered by the host's standard preset. */
export const FAULT_TOOL = { name: 'bash', arguments: { command: 'pwd', description: 'Show the working folder' } } as const

export const FAULTS = [
  { id: 'ok', title: 'answers at once', play: stream({}) },
  { id: 'slow', title: 'answers slowly, word by word', play: stream({ pauseMs: 250 }) },
  { id: 'tool-call', title: 'calls a tool, then answers', play: stream({ ending: 'tool-call' }) },
  { id: '429', title: 'rate limit without a reset', play: reply(429, error('Rate limit reached for requests', 'rate_limit_error', 'rate_limit_exceeded')) },
  { id: '429-retry-after', title: 'rate limit for 20 seconds', play: reply(429, error('Rate limit reached, please try again in 20s', 'rate_limit_error', 'rate_limit_exceeded'), { 'retry-after': '20' }) },
  { id: '429-zh', title: 'concurrency limit, told in Chinese', play: reply(429, { error: { code: '1302', message: '当前并发数过高，请降低并发后重试' } }) },
  { id: 'quota', title: 'quota used up', play: reply(429, error('You exceeded your current quota, please check your plan and billing details', 'insufficient_quota', 'insufficient_quota')) },
  { id: 'quota-reset', title: 'quota used up until a stated time', play: reply(429, error('Usage limit reached. Your limit resets in 3 hours', 'usage_limit_reached'), { 'retry-after': '10800' }) },
  { id: 'quota-zh', title: 'account in arrears, told in Chinese', play: reply(429, { error: { code: '1113', message: '账户余额不足，请充值后再试' } }) },
  { id: '402', title: 'payment required', play: reply(402, error('Insufficient Balance', 'payment_required')) },
  { id: '401', title: 'key refused', play: reply(401, error('Incorrect API key provided', 'authentication_error', 'invalid_api_key')) },
  { id: '403', title: 'model not in the plan', play: reply(403, error('Your plan does not include access to this model', 'permission_error')) },
  { id: '404', title: 'model not found', play: reply(404, error('The model does not exist or you do not have access to it', 'invalid_request_error', 'model_not_found')) },
  { id: '410', title: 'model retired', play: reply(410, error('This model has reached its end of life', 'invalid_request_error', 'model_deprecated')) },
  { id: '400-context', title: 'context too long', play: reply(400, error("This model's maximum context length is 8192 tokens, however you requested 9001 tokens", 'invalid_request_error', 'context_length_exceeded')) },
  { id: '400-unavailable', title: 'model unavailable', play: reply(400, error('The requested model is currently unavailable', 'invalid_request_error')) },
  { id: '400-parameter', title: 'parameter refused', play: reply(400, error("Unsupported value: 'temperature' does not support 7", 'invalid_request_error', 'unsupported_value')) },
  { id: '400-image', title: 'images not accepted', play: reply(400, error('This model does not support image input', 'invalid_request_error')) },
  { id: '400-filter', title: 'content refused by policy', play: reply(400, error('The request was rejected by our content policy', 'invalid_request_error', 'content_filter')) },
  { id: '500', title: 'server error', play: reply(500, error('The server had an error while processing your request', 'server_error')) },
  { id: '500-empty', title: 'server error without a body', play: reply(500, '') },
  { id: '502-html', title: 'gateway error as a web page', play: reply(502, '<html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>', { 'content-type': 'text/html' }) },
  { id: '503', title: 'unavailable for 5 seconds', play: reply(503, error('Service temporarily unavailable', 'server_error'), { 'retry-after': '5' }) },
  { id: '504', title: 'gateway timeout', play: reply(504, error('Upstream request timed out', 'timeout')) },
  { id: '529', title: 'overloaded', play: reply(529, error('Overloaded', 'overloaded_error')) },
  { id: 'reset', title: 'connection reset before any header', play: { kind: 'reset' } },
  { id: 'reset-mid', title: 'connection reset in the middle of the answer', play: stream({ words: 3, ending: 'reset' }) },
  { id: 'close-mid', title: 'stream closed without an end', play: stream({ words: 3, ending: 'close' }) },
  { id: 'error-first', title: 'error inside the stream, before any content', play: stream({ words: 0, ending: 'error', error: error('Upstream overloaded, please retry', 'overloaded_error').error }) },
  { id: 'error-mid', title: 'error inside the stream, after some content', play: stream({ words: 3, ending: 'error', error: error('Internal error while generating', 'server_error').error }) },
  { id: 'error-as-text', title: 'error text posing as the answer', play: stream({ text: 'Error: insufficient balance, please recharge your account', usage: false }) },
  { id: 'filtered', title: 'answer withheld by a filter', play: stream({ words: 0, finishReason: 'content_filter' }) },
  { id: 'empty', title: 'ends without content', play: stream({ words: 0 }) },
  { id: 'hang', title: 'never sends a byte', play: { kind: 'hang' } },
  { id: 'hang-mid', title: 'stops in the middle of the answer', play: stream({ words: 3, ending: 'hang' }) },
] as const satisfies readonly Fault[]

export type FaultId = (typeof FAULTS)[number]['id']

/** The fault of that id, or null. */
export function faultById(id: string): Fault | null {
  return FAULTS.find((fault) => fault.id === id) ?? null
}

/** The fault a model name asks for by ending in `fault-<id>`, or null. */
export function faultOfModel(model: string): Fault | null {
  const at = model.lastIndexOf('fault-')
  return at < 0 ? null : faultById(model.slice(at + 'fault-'.length))
}
