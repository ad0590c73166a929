// A session log for stories: events told synchronously after they are in, no append from inside one, headers and messages read back.
import type { CallConfig } from '../../../src/ports.ts'

export interface StageEvent { readonly seq: number; readonly type: string; readonly data: Readonly<Record<string, unknown>> }

export interface SessionHeader { readonly parentSession?: string; readonly origin?: string; readonly delegationDepth?: number }

export interface StageMessage { readonly id?: string; readonly role: string; readonly content: readonly unknown[]; readonly source?: Readonly<Record<string, unknown>> }

/** Event types that a session may hold and still be opened after a restart; the host refuses any other. */
const KNOWN = new Set([
  'turn/start', 'turn/end', 'step/start', 'step/end', 'user/message', 'assistant/message', 'assistant/chunk', 'request/header', 'request/context',
  'llm/retry', 'llm/retry-started', 'goal/change', 'tool/result',
])

export class StageSession {
  readonly id: string
  readonly header: SessionHeader
  readonly events: StageEvent[] = []
  readonly #known: ReadonlySet<string>
  readonly #tell: (session: StageSession, event: StageEvent) => void
  #telling = false

  constructor(id: string, header: SessionHeader, tell: (session: StageSession, event: StageEvent) => void, alsoKnown: readonly string[] = []) {
    this.id = id
    this.header = header
    this.#tell = tell
    this.#known = new Set([...KNOWN, ...alsoKnown])
  }

  append(type: string, data: Readonly<Record<string, unknown>>): StageEvent {
    if (this.#telling) throw new Error(`append cannot reenter a session while "${type}" is told`)
    if (!this.#known.has(type)) throw new Error(`session ${this.id} would hold an event of unknown type "${type}"`)
    refuseUndefined(data, type)
    const event = { seq: this.events.length + 1, type, data }
    this.events.push(event)
    this.#telling = true
    try { this.#tell(this, event) } finally { this.#telling = false }
    return event
  }

  requestHeader(): { readonly config: CallConfig } | undefined {
    return this.events.findLast(({ type }) => type === 'request/header')?.data['header'] as { config: CallConfig } | undefined
  }

  deriveMessages(): readonly StageMessage[] {
    return this.events.flatMap(({ type, data }) => (type === 'user/message' ? [data as unknown as StageMessage] : type === 'assistant/message' ? [data['message'] as StageMessage] : []))
  }

  ofType(type: string): readonly StageEvent[] { return this.events.filter((event) => event.type === type) }
}

/** The host stores JSON and refuses a field that is present but undefined. */
function refuseUndefined(value: unknown, where: string): void {
  if (typeof value !== 'object' || value === null || value instanceof AbortSignal) return
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) throw new Error(`non-JSON-serializable data in ${where}: ${key} is undefined`)
    refuseUndefined(field, `${where}.${key}`)
  }
}
