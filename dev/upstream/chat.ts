// Plays one fault as the reply to one chat completion request.
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { FAULT_TOOL } from '../../src/contract/faults.ts'
import type { Fault, ReplyPlay, StreamPlay } from '../../src/contract/faults.ts'
import type { Purpose, ToolCall } from './script.ts'

/** The parts of an OpenAI chat completion request that the demo looks at. */
export interface ChatRequest {
  readonly model: string
  readonly stream?: boolean
  readonly messages?: readonly { readonly role: string; readonly content?: unknown }[]
  readonly tools?: readonly unknown[]
}

/** The text of a message, whatever form its content has. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: unknown) => (typeof part === 'object' && part !== null && 'text' in part ? String(part.text) : '')).join(' ')
}

/** Recognised by the host's own instructions: a conversation offers tools, a title request names its task first, a compaction last. */
export function purposeOf(request: ChatRequest): Purpose {
  const texts = (request.messages ?? []).map(({ content }) => textOf(content))
  if (/\bcompaction engine\b/i.test(texts.at(-1) ?? '')) return 'compaction'
  if ((request.tools ?? []).length > 0) return 'chat'
  return /\btitle\b/i.test(texts[0] ?? '') ? 'title' : 'other'
}

/** The last thing the user wrote; the host adds notes of its own in the user's name. */
function question(request: ChatRequest): string {
  const said = (request.messages ?? []).filter(({ role }) => role === 'user').map(({ content }) => textOf(content))
  const last = said.findLast((text) => !text.startsWith('Current runtime context') && !text.startsWith('<')) ?? ''
  return last.replaceAll(/\s+/g, ' ').trim().slice(0, 80)
}

/** Names the model that speaks and repeats the question: the same request always gets the same answer. */
function answer(provider: string, request: ChatRequest, purpose: Purpose): string {
  switch (purpose) {
    case 'title': return `A title by ${provider}/${request.model}`
    case 'compaction': return `Summary by ${provider}/${request.model}: the user and the assistant talked.`
    case 'other':
    case 'chat': return `Here is ${provider}/${request.model}. You wrote: ${question(request)}`
  }
}

const words = (text: string) => text.match(/\S+\s*/g) ?? []

/** Rough and deterministic: four characters are one token. */
const tokens = (text: string) => Math.max(1, Math.ceil(text.length / 4))

function usageOf(request: ChatRequest, text: string) {
  const prompt = tokens(JSON.stringify(request.messages ?? []))
  return { prompt_tokens: prompt, completion_tokens: tokens(text), total_tokens: prompt + tokens(text), prompt_tokens_details: { cached_tokens: 0 } }
}

function sendReply(res: ServerResponse, play: ReplyPlay): void {
  const text = typeof play.body === 'string' ? play.body : JSON.stringify(play.body)
  res.writeHead(play.status, { 'content-type': 'application/json', ...play.headers })
  res.end(text)
}

/** Ends the connection with a TCP reset rather than a clean close. */
function reset(res: ServerResponse): void {
  res.socket?.resetAndDestroy()
}

export interface Scene {
  readonly provider: string
  readonly request: ChatRequest
  readonly purpose: Purpose
  readonly fault: Fault
  /** What the fault `tool-call` calls instead of its usual tool. */
  readonly tool: ToolCall | null
  /** Aborts when the client leaves or the upstream closes. */
  readonly signal: AbortSignal
}

async function sendStream(res: ServerResponse, play: StreamPlay, scene: Scene): Promise<void> {
  const { provider, request, purpose, signal } = scene
  const tool = scene.tool ?? FAULT_TOOL
  const head = { id: `chatcmpl-${provider}-${request.model}`, object: 'chat.completion.chunk', created: 0, model: request.model }
  const send = (data: unknown) => res.write(`data: ${JSON.stringify(data)}\n\n`)
  const delta = (value: unknown, finish: string | null = null) => send({ ...head, choices: [{ index: 0, delta: value, finish_reason: finish }] })
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  res.flushHeaders()
  const text = play.text ?? answer(provider, request, purpose)
  const calls = play.ending === 'tool-call' && purpose === 'chat' && request.messages?.at(-1)?.role !== 'tool'
  for (const word of calls ? [] : words(text).slice(0, play.words ?? undefined)) {
    delta({ role: 'assistant', content: word })
    if (play.pauseMs > 0) await pause(play.pauseMs, undefined, { signal })
  }
  switch (play.ending) {
    case 'tool-call':
    case 'finish':
      if (calls) delta({ role: 'assistant', tool_calls: [{ index: 0, id: `call_${tokens(text)}`, type: 'function', function: { name: tool.name, arguments: JSON.stringify(tool.arguments) } }] })
      delta({}, calls ? 'tool_calls' : play.finishReason ?? 'stop')
      if (play.usage !== false) send({ ...head, choices: [], usage: usageOf(request, play.words === 0 ? '' : text) })
      res.end('data: [DONE]\n\n')
      return
    case 'error':
      send({ error: play.error })
      res.end()
      return
    case 'close':
      res.end()
      return
    case 'reset':
      // Let the words reach the client first: a reset discards what the socket still holds.
      await pause(30, undefined, { signal })
      reset(res)
      return
    case 'hang':
      return
  }
}

function sendWhole(res: ServerResponse, scene: Scene): void {
  const text = answer(scene.provider, scene.request, scene.purpose)
  sendReply(res, {
    kind: 'reply', status: 200,
    body: { id: 'chatcmpl-demo', object: 'chat.completion', created: 0, model: scene.request.model, choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }], usage: usageOf(scene.request, text) },
  })
}

/** Answers a request with its fault; resolves when there is nothing left to send (a hanging one resolves at once, unanswered). */
export async function perform(res: ServerResponse, scene: Scene): Promise<void> {
  const { play } = scene.fault
  switch (play.kind) {
    case 'reply': return sendReply(res, play)
    case 'reset': return reset(res)
    case 'hang': return
    case 'stream': return scene.request.stream === true ? sendStream(res, play, scene) : sendWhole(res, scene)
  }
}
