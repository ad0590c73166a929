/** One model per session, shared by everything on the page that shows the session. */
import type { App } from './app.ts'
import { createSession } from './session.ts'
import type { SessionModel } from './session.ts'
import type { Directory } from '../host.ts'

/** What the host knows of a session's own model selection. */
export interface Source {
  readonly directory: Directory | null
  readonly subagent: boolean
}

/** Sessions kept although nobody watches them at the moment. */
const SPARE = 20

export interface Sessions {
  get(id: string): SessionModel
  close(): void
}

export function createSessions(app: App, source: (id: string) => Source): Sessions {
  const kept = new Map<string, { readonly model: SessionModel; readonly directory: Directory | null; watchers: number }>()
  const trim = (): void => {
    for (const [id, entry] of kept) {
      if (kept.size <= SPARE) return
      if (entry.watchers > 0) continue
      entry.directory?.close()
      kept.delete(id)
    }
  }
  const make = (id: string): SessionModel => {
    const { directory, subagent } = source(id)
    const model = createSession(app, id, directory, subagent)
    const entry = {
      directory,
      watchers: 0,
      model: {
        ...model,
        watch: () => {
          const end = model.watch()
          void directory?.load()
          entry.watchers += 1
          return () => {
            end()
            entry.watchers -= 1
          }
        },
      },
    }
    kept.set(id, entry)
    trim()
    return entry.model
  }
  return {
    get: (id) => kept.get(id)?.model ?? make(id),
    close: () => {
      for (const { directory } of kept.values()) directory?.close()
      kept.clear()
    },
  }
}
