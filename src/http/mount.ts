/** Puts the interface on the host's web server and takes it off again. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { API_PREFIX } from '../contract/api.ts'
import type { Log, Time } from '../ports.ts'
import { createFence, type HostCheck } from './fence.ts'
import { createHandlers } from './handlers.ts'
import { createRouter } from './router.ts'
import type { Services } from './services.ts'

/** The part of the host's `webServer` in use; `register` throws when the path is taken. */
export interface WebServer {
  register(route: {
    readonly kind: 'prefix'
    readonly path: string
    readonly handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  }): () => void
}

export interface MountDeps {
  readonly services: Services
  readonly time: Pick<Time, 'after'>
  readonly log: Log
  /** Hosts the configuration or the host itself trusts, besides loopback. */
  readonly trustedHosts: () => readonly string[]
  /** `connection.requestRejection` of a host that has one, bound to its service. */
  readonly hostCheck?: () => HostCheck | undefined
}

/** Mounts the interface; the returned function unmounts it and resolves when nothing is under way any more. */
export function mountApi(webServer: WebServer, deps: MountDeps): () => Promise<void> {
  const router = createRouter({
    handlers: createHandlers(deps.services),
    fence: createFence({ trustedHosts: deps.trustedHosts, hostCheck: deps.hostCheck ?? (() => undefined) }),
    time: deps.time,
    log: deps.log,
  })
  const unregister = webServer.register({ kind: 'prefix', path: API_PREFIX, handler: (request, response) => router.handle(request, response) })
  return async () => {
    unregister()
    await router.close()
  }
}
