// The host's live feed: collects the session events of its WebSocket and lets a caller wait for one.

/** An event of a session's log, as the feed carries it. */
export interface SessionEvent {
  readonly sessionId: string
  readonly seq: number
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface Feed {
  /** Every session event so far, oldest first. */
  readonly events: readonly SessionEvent[]
  /** The first event from index `from` on that fits; rejects after `ms` with what came instead. */
  wait(fits: (event: SessionEvent) => boolean, what: string, ms?: number, from?: number): Promise<SessionEvent>
  close(): void
}

interface Frame {
  readonly method?: string
  readonly payload?: { readonly sessionId?: string; readonly event?: Omit<SessionEvent, 'sessionId'> }
}

function read(text: string): SessionEvent | null {
  const frame = JSON.parse(text) as Frame
  const { sessionId, event } = frame.payload ?? {}
  return frame.method === 'session/event' && sessionId !== undefined && event ? { ...event, sessionId } : null
}

/** Hears every session event of a host and keeps none of them; `url` is the host's http address. */
export async function followFeed(url: string, hear: (event: SessionEvent) => void): Promise<{ close(): void }> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/api/events.mux`)
  socket.addEventListener('message', ({ data }) => {
    const event = read(String(data))
    if (event) hear(event)
  })
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true })
    socket.addEventListener('error', () => reject(new Error(`no feed at ${url}`)), { once: true })
  })
  return { close: () => socket.close() }
}

/** Opens the feed of a host; `url` is the host's http address. */
export async function openFeed(url: string): Promise<Feed> {
  const events: SessionEvent[] = []
  const waiting = new Set<() => void>()
  const { close } = await followFeed(url, (event) => {
    events.push(event)
    for (const look of waiting) look()
  })
  return {
    events,
    wait: (fits, what, ms = 20_000, from = 0) => new Promise((resolve, reject) => {
      let next = from
      const look = () => {
        for (; next < events.length; next += 1) {
          const event = events[next]
          if (!event || !fits(event)) continue
          settle()
          resolve(event)
          return
        }
      }
      const timer = setTimeout(() => {
        settle()
        reject(new Error(`no ${what} within ${ms} ms; the last events: ${events.slice(-12).map(({ type }) => type).join(', ') || 'none'}`))
      }, ms)
      const settle = () => {
        clearTimeout(timer)
        waiting.delete(look)
      }
      waiting.add(look)
      look()
    }),
    close,
  }
}
