/** How views reach what they share. */
import { createContext } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import type { App } from './app.ts'
import type { Dashboard } from './dashboard.ts'
import type { GroupActs } from './groups.ts'
import type { RouteActs } from './routes.ts'
import type { SessionModel } from './session.ts'

export interface Shared {
  readonly app: App
  readonly groups: GroupActs
  readonly routes: RouteActs
  readonly dashboard: Dashboard
  /** The model of a session; the same one as long as somebody holds it. */
  session(id: string): SessionModel
}

export const SharedContext = createContext<Shared | null>(null)

export function useShared(): Shared {
  const shared = useContext(SharedContext)
  if (shared === null) throw new Error('no shared model around this view')
  return shared
}

/** Watches something for as long as the view is mounted. */
export function useWatch(watch: () => () => void): void {
  useEffect(watch, [watch])
}
