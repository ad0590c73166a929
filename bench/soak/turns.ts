/** Turns as they end, straight from the host's feed; only the turns under way are kept in memory. */
import { followFeed, type SessionEvent } from '../../dev/feed.mts'

export interface Ended {
  readonly session: string
  /** `completed`, `aborted`, `error`, …; `stuck` = no end within the time allowed. */
  readonly end: string
  readonly text: string
  /** Models whose answers are in the turn. */
  readonly answers: number
  readonly headers: readonly string[]
  readonly compacted: boolean
  readonly toolCalls: number
  readonly startedAt: number
  readonly endedAt: number
  /** The message of the error it ended with. */
  readonly error: string | null
}

export interface Turns {
  /** The next turn of the session that ends. */
  next(session: string, ms: number): Promise<Ended>
  /** Forgets the session. */
  drop(session: string): void
  close(): void
}

interface Data {
  readonly message?: { readonly content?: readonly { readonly type: string; readonly text?: string }[] }
  readonly header?: { readonly config?: { readonly provider: string; readonly model: string } }
  readonly reason?: { readonly kind: string; readonly error?: { readonly message?: string } }
}

interface Open { startedAt: number; text: string; answers: number; headers: string[]; compacted: boolean; toolCalls: number }
const fresh = (): Open => ({ startedAt: Date.now(), text: '', answers: 0, headers: [], compacted: false, toolCalls: 0 })

function add(open: Open, { type, data }: SessionEvent): void {
  const { message, header } = data as Data
  if (type === 'turn/start') Object.assign(open, fresh())
  else if (type === 'request/header') open.headers.push(`${header?.config?.provider ?? '?'}/${header?.config?.model ?? '?'}`)
  else if (type === 'tool/call') open.toolCalls += 1
  else if (type.startsWith('compact')) open.compacted = true
  else if (type === 'assistant/message') {
    open.answers += 1
    open.text = (message?.content ?? []).filter((block) => block.type === 'text').map(({ text }) => text ?? '').join('')
  }
}

export async function watchTurns(url: string): Promise<Turns> {
  const open = new Map<string, Open>()
  const waiting = new Map<string, (ended: Ended) => void>()
  const feed = await followFeed(url, (event) => {
    const state = open.get(event.sessionId) ?? fresh()
    open.set(event.sessionId, state)
    add(state, event)
    if (event.type !== 'turn/end') return
    const { reason } = event.data as Data
    open.delete(event.sessionId)
    waiting.get(event.sessionId)?.({ session: event.sessionId, end: reason?.kind ?? 'unknown', ...state, endedAt: Date.now(), error: reason?.error?.message ?? null })
  })
  return {
    next: (session, ms) => new Promise((resolve) => {
      const asked = Date.now()
      const settle = (ended: Ended): void => {
        clearTimeout(timer)
        waiting.delete(session)
        resolve(ended)
      }
      const timer = setTimeout(() => { settle({ session, end: 'stuck', ...(open.get(session) ?? { ...fresh(), startedAt: asked }), endedAt: Date.now(), error: `no end within ${ms} ms` }) }, ms)
      waiting.set(session, settle)
    }),
    drop: (session) => { open.delete(session) },
    close: () => { feed.close() },
  }
}
