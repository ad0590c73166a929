// One world for a test on the real host: a scripted upstream, a home of its own with the plugin installed, a running host.
import { inject } from 'vitest'
import { makeHome } from '../../dev/home.mts'
import type { Home, HomeOptions } from '../../dev/home.mts'
import { bootHost } from '../../dev/host.mts'
import type { Host } from '../../dev/host.mts'
import type { DemoProvider } from '../../dev/upstream/catalogue.ts'
import { startUpstream } from '../../dev/upstream/index.ts'
import type { Upstream } from '../../dev/upstream/index.ts'

export interface World {
  readonly upstream: Upstream
  readonly home: Home
  /** The host that runs now. */
  host: Host
  /** Ends the host by SIGTERM and boots a new one on the same home. */
  restart(): Promise<Host>
  /** Ends everything and deletes the home. */
  close(): Promise<void>
}

export interface WorldOptions extends Omit<HomeOptions, 'template' | 'upstream'> {
  /** False: the home has no plugin. */
  readonly plugin?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** The catalogue of the upstream; the demo's when absent. */
  readonly upstreamProviders?: readonly DemoProvider[]
  /** Orders of the upstream's models by `provider/model`. */
  readonly script?: NonNullable<Parameters<typeof startUpstream>[0]>['script']
  /** What else the home needs before the host starts. */
  readonly prepare?: (home: Home) => void
}

/** Opens a world; the caller closes it in `afterEach` or `afterAll`. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { plugin = true, env = {}, script, upstreamProviders, prepare, ...rest } = options
  const upstream = await startUpstream({ ...(script ? { script } : {}), ...(upstreamProviders ? { providers: upstreamProviders } : {}) })
  const home = makeHome({ ...rest, upstream, ...(plugin ? { template: { path: inject('template') } } : {}) })
  prepare?.(home)
  const start = () => bootHost({ home, env, plugin })
  const world: World = {
    upstream, home,
    host: await start(),
    restart: async () => {
      await world.host.stop()
      world.host = await start()
      return world.host
    },
    close: async () => {
      await world.host.stop()
      await upstream.close()
      home.remove()
    },
  }
  return world
}

/** A group as `POST /groups` takes it, from `provider/model` names in order of priority. Answers its id. */
export async function makeGroup(host: Host, name: string, routes: readonly string[]): Promise<string> {
  const models = routes.map((route, index) => {
    const cut = route.indexOf('/')
    return { provider: route.slice(0, cut), model: route.slice(cut + 1), priority: index + 1 }
  })
  const { status, body } = await host.api('/groups', { body: { name, models } })
  const id = (body as { readonly group?: { readonly id?: string } } | null)?.group?.id
  if (status !== 200 || id === undefined) throw new Error(`no group: ${status} ${JSON.stringify(body)}`)
  return id
}
