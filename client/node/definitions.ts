/** What the plugin reads from a session's own events: moves between models, and turns that ended in an error. Nothing is written. */

/** The events of the host that are read here, as far as they are read. */
export interface SessionEvent {
  readonly seq: number
  readonly time: number
  readonly type: string
  readonly data: {
    readonly header?: { readonly config?: { readonly provider?: string; readonly model?: string; readonly reasoningEffort?: string } }
    readonly turn?: number
    readonly reason?: { readonly kind?: string; readonly error?: { readonly message?: string; readonly code?: string } }
  }
}

interface Match { readonly event: SessionEvent; readonly location: unknown }

/** A context of the host's conversation engine. */
export interface NodeContext<S> {
  readonly key: string
  readonly id: string
  readonly matches: readonly Match[]
  readonly start: Match | undefined
  readonly state: S | undefined
}

export interface Definition<S> {
  readonly kind: string
  readonly target: 'chat'
  match(event: SessionEvent): { readonly id: string; readonly role: 'start' | 'update' } | null
  start(context: NodeContext<S>, match: Match, reader: { previous(kind: string): { readonly state: S } | undefined }): S
  update(context: NodeContext<S> & { readonly state: S }, match: Match): S
  buildViewNode(context: NodeContext<S>): object | null
}

export interface ModelRef { readonly provider: string; readonly model: string }

/** A request on another route than the one before it; `from` null = the first one that is loaded. */
export interface MoveData { readonly from: ModelRef | null; readonly to: ModelRef; readonly at: number }

/** A turn that ended in an error; `retried`: the host shows its retry row instead of the error. */
export interface EndData { readonly turn: number; readonly at: number; readonly message: string; readonly code: string | null; readonly retried: boolean }

export const MOVE_KIND = 'model-failover-move'
export const END_KIND = 'model-failover-end'

interface MoveState { readonly from: ModelRef | null; readonly to: ModelRef; readonly at: number; readonly seq: number }

function routeOf({ type, data }: SessionEvent): ModelRef | null {
  const { provider, model } = (type === 'request/header' && data.header?.config) || {}
  return provider && model ? { provider, model } : null
}

function viewNode(context: NodeContext<unknown>, kind: string, anchorSeq: number, data: unknown): object {
  const { key, id, start, matches } = context
  return { key, id, kind, target: 'chat', anchorSeq, location: (start ?? matches[0])?.location, visibility: 'visible', data }
}

export const moveDefinition: Definition<MoveState> = {
  kind: MOVE_KIND,
  target: 'chat',
  match: (event) => routeOf(event) && { id: `${event.seq}`, role: 'start' },
  start: (_context, { event }, reader) => ({
    from: reader.previous(MOVE_KIND)?.state.to ?? null,
    to: routeOf(event) as ModelRef,
    at: event.time,
    seq: event.seq,
  }),
  update: ({ state }) => state,
  buildViewNode: (context) => {
    const { state } = context
    if (!state || (state.from?.provider === state.to.provider && state.from.model === state.to.model)) return null
    const data: MoveData = { from: state.from, to: state.to, at: state.at }
    return viewNode(context, MOVE_KIND, state.seq, data)
  },
}

const retried = ({ type }: SessionEvent): boolean => type === 'llm/retry' || type === 'llm/retry-started'
const failed = ({ type, data }: SessionEvent): boolean => type === 'turn/end' && data.reason?.kind === 'error'

export const endDefinition: Definition<null> = {
  kind: END_KIND,
  target: 'chat',
  match: (event) => {
    const start = event.type === 'turn/start'
    return start || retried(event) || failed(event) ? { id: `${event.data.turn}`, role: start ? 'start' : 'update' } : null
  },
  start: () => null,
  update: () => null,
  // The evidence itself is read, not a state: the start may lie outside of the part of the log that is loaded.
  buildViewNode: (context) => {
    const end = context.matches.find(({ event }) => failed(event))?.event
    if (!end) return null
    const { turn = 0, reason } = end.data
    const { message = '', code = null } = reason?.error ?? {}
    const data: EndData = { turn, at: end.time, message, code, retried: context.matches.some(({ event }) => retried(event)) }
    return viewNode(context, END_KIND, end.seq + 0.05, data)
  },
}
