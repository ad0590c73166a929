/**
 * Between the encryptor's `ask` and a plain chat-completions request: there so that a compactor can read it, and back
 * with what the compactor left. Pure; whatever is not understood is a doubt, and doubt means the untouched ask.
 */

/** One message in OpenAI shape; unknown fields travel along. */
export interface PlainMessage { readonly role: string; readonly content?: unknown; readonly [field: string]: unknown }

/** What is asked of the encryptor. `history` holds the whole conversation, `userText` its last user text. */
export interface Ask {
  readonly modelKey: string
  readonly userText?: unknown
  readonly systemText?: unknown
  readonly history?: readonly PlainMessage[]
  readonly tools?: unknown
  readonly [field: string]: unknown
}

export interface PlainRequest {
  readonly model: string
  readonly messages: readonly PlainMessage[]
  readonly stream: true
  readonly [field: string]: unknown
}

/** Plain name ↔ name in the ask, for values that are the same on both sides, and the type both must have. */
const PARAMETERS: readonly (readonly [plain: string, ask: string, type: 'number' | 'string'])[] = [
  ['max_tokens', 'maxTokens', 'number'],
  ['temperature', 'temperature', 'number'],
  ['top_p', 'topP', 'number'],
  ['reasoning_effort', 'reasoningEffort', 'string'],
]

/** The value as an ask, or null when it has not the shape an ask must have. */
export function readAsk(value: unknown): Ask | null {
  if (!isObject(value) || typeof value.modelKey !== 'string' || value.modelKey === '') return null
  const { history } = value
  if (history !== undefined && (!Array.isArray(history) || !history.every(isMessage))) return null
  if ((history?.length ?? 0) === 0 && (typeof value.userText !== 'string' || value.userText === '')) return null
  return value as unknown as Ask
}

/** The messages of an ask: its system text first, then the history, or the user text when there is no history. */
export function messagesOf(ask: Ask): PlainMessage[] {
  const system = typeof ask.systemText === 'string' && ask.systemText !== '' ? [{ role: 'system', content: ask.systemText }] : []
  const history = ask.history?.length ? ask.history : [{ role: 'user', content: ask.userText }]
  return [...system, ...history]
}

/** The ask as a chat-completions request, without anything secret. */
export function plainRequest(ask: Ask): PlainRequest {
  const parameters = PARAMETERS.flatMap(([plain, name, type]) => (typeof ask[name] === type ? [[plain, ask[name]] as const] : []))
  return {
    model: ask.modelKey,
    messages: messagesOf(ask),
    stream: true,
    ...(Array.isArray(ask.tools) && ask.tools.length > 0 ? { tools: ask.tools } : {}),
    ...Object.fromEntries(parameters),
  }
}

export type Rebuilt =
  | { readonly kind: 'ask'; readonly ask: Ask; readonly messages: readonly PlainMessage[] }
  | { readonly kind: 'doubt'; readonly why: string }

/** The ask with the messages, tools and parameters of a request that came back; the very same ask if nothing changed. */
export function rebuild(ask: Ask, body: unknown): Rebuilt {
  if (!isObject(body)) return { kind: 'doubt', why: 'the body that came back is not a JSON object' }
  const messages: unknown = body.messages
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isMessage)) {
    return { kind: 'doubt', why: 'the body that came back has no list of messages' }
  }
  if (!messages.some((message) => message.role !== 'system')) return { kind: 'doubt', why: 'only system messages came back' }
  const sent = plainRequest(ask)
  const same = JSON.stringify(messages) === JSON.stringify(sent.messages)
  const changes = { ...(same ? {} : conversation(ask, messages)), ...tools(sent, body), ...parameters(sent, body) }
  return { kind: 'ask', ask: Object.keys(changes).length === 0 ? ask : { ...ask, ...changes }, messages }
}

/**
 * Leading system messages that the history had none of become the system text again; the rest is the history. A system
 * text that vanished on the way is kept: no compactor has a reason to drop it.
 */
function conversation(ask: Ask, messages: readonly PlainMessage[]): Partial<Ask> {
  const extra = Math.max(0, leading(messages) - leading(ask.history ?? []))
  const system = messages.slice(0, extra).map((message) => textOf(message.content)).filter((text) => text !== '')
  const history = messages.slice(extra)
  const user = history.findLast((message) => message.role === 'user')
  const userText = user ? textOf(user.content) : ''
  return {
    history,
    ...(system.length > 0 ? { systemText: system.join('\n\n') } : {}),
    ...(userText !== '' ? { userText } : {}),
  }
}

function tools(sent: PlainRequest, body: Record<string, unknown>): { readonly tools?: readonly unknown[] } {
  if (!Array.isArray(body.tools) || JSON.stringify(body.tools) === JSON.stringify(sent.tools ?? [])) return {}
  return { tools: body.tools }
}

function parameters(sent: PlainRequest, body: Record<string, unknown>): Record<string, unknown> {
  const changed = PARAMETERS.filter(([plain, , type]) => typeof body[plain] === type && body[plain] !== sent[plain])
  return Object.fromEntries(changed.map(([plain, name]) => [name, body[plain]]))
}

function leading(messages: readonly PlainMessage[]): number {
  const first = messages.findIndex((message) => message.role !== 'system')
  return first < 0 ? messages.length : first
}

/** The text of a content: itself, or the text parts of a list joined. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: unknown) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('')
}

function isMessage(value: unknown): value is PlainMessage {
  return isObject(value) && typeof value.role === 'string' && value.role !== ''
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
