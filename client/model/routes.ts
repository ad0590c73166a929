/** Acts on single models, whatever group holds them: day marks, the ban from all groups, the limit of concurrent calls. */
import type { Route } from '../../src/contract/route.ts'
import type { App } from './app.ts'

const plain = ({ provider, model }: Route): Route => ({ provider, model })

export interface RouteActs {
  fail(route: Route): Promise<void>
  restore(routes: readonly Route[]): Promise<void>
  /** Takes every mark of the usage day away. */
  restoreAll(): Promise<void>
  disable(route: Route, disabled: boolean): Promise<void>
  /** null gives the model back to the default limit. */
  limit(route: Route, concurrency: number | null): Promise<boolean>
}

export function createRouteActs(app: App): RouteActs {
  const reset = async (body: Route | Record<string, never>): Promise<boolean> => {
    const reply = await app.act(() => app.api.call('resetFailed', { body }))
    return reply !== null
  }
  return {
    fail: async (route) => {
      await app.act(() => app.api.call('markFailed', { body: plain(route) }))
      await app.status.refresh()
    },
    restore: async (routes) => {
      for (const route of routes) if (!await reset(plain(route))) break
      await app.status.refresh()
    },
    restoreAll: async () => {
      await reset({})
      await app.status.refresh()
    },
    disable: async (route, disabled) => {
      const reply = await app.act(() => app.api.call('modelDisabled', { body: { ...plain(route), disabled } }))
      if (reply !== null) app.adopt({ groups: reply.groups })
    },
    limit: async (route, concurrency) => {
      const reply = await app.act(() => app.api.call('concurrency', { body: { ...plain(route), concurrency } }))
      await app.status.refresh()
      return reply !== null
    },
  }
}
