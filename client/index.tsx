/** Entry of the browser half: the only file that sees the host's context. */
import { computed, effect, untracked } from '@preact/signals'
import { render } from 'preact'
import type { ComponentType, VNode } from 'preact'
import { createApi } from './api.ts'
import { followDirectory } from './host.ts'
import type { Directory, HostDirectory, Snapshot } from './host.ts'
import { island } from './island.ts'
import type { IslandProps } from './island.ts'
import { createApp } from './model/app.ts'
import { pageClock } from './model/clock.ts'
import { SharedContext } from './model/context.ts'
import type { Shared } from './model/context.ts'
import { createDashboard } from './model/dashboard.ts'
import { createGroupActs } from './model/groups.ts'
import { createRouteActs } from './model/routes.ts'
import { createSession } from './model/session.ts'
import type { SessionModel } from './model/session.ts'
import { END_KIND, MOVE_KIND, endDefinition, moveDefinition } from './node/definitions.ts'
import { EndNode } from './node/EndNode.tsx'
import { MoveNode } from './node/MoveNode.tsx'
import { Seat } from './seat/Seat.tsx'
import { SettingsPage } from './settings/SettingsPage.tsx'
import { installSheet } from './sheet.ts'
import { language, languageOf, title } from './text.ts'
import { installTips } from './ui/tips.ts'
import { Toaster } from './ui/Toaster.tsx'

/** Put in by the build: the version of the package. */
declare const MODEL_FAILOVER_VERSION: string

export const inject: readonly string[] = ['slots']

type Dispose = () => void

/** The host's client context, as far as it is used. */
interface Ctx {
  readonly slots: {
    inject(name: string, run: () => Dispose): Dispose
    register(options: Readonly<Record<string, unknown>>, component: unknown): Dispose
  }
  inject(services: readonly string[], run: (scope: Scope) => void): unknown
  effect(run: () => Dispose): unknown
}

interface Scope extends Ctx {
  readonly locale?: Snapshot<{ readonly active: string }>
  readonly sessions?: { subagentAddress?(id: string): unknown }
  readonly modelDirectories?: { directoryFor(id: string): HostDirectory }
  readonly conversationEvents?: { register(definition: unknown): Dispose }
}

/** Draws a view with everything it shares around it. */
function framed<P extends object>(shared: Shared, View: ComponentType<IslandProps<P>>): ComponentType<IslandProps<P>> {
  return (props: IslandProps<P>): VNode => <SharedContext.Provider value={shared}><View {...props} /></SharedContext.Provider>
}

function followLocale(scope: Scope): Dispose {
  const { locale } = scope
  if (!locale) return () => undefined
  const read = (): void => { language.value = languageOf(locale.getSnapshot().active) }
  read()
  return locale.subscribe(read)
}

/** Takes the model seat while the settings say so. */
function holdSeat(scope: Scope, shared: Shared): Dispose {
  const component = island(framed(shared, Seat), 'mf-island')
  const register = (): Dispose => {
    for (const priority of [-1, -2, -3]) {
      try {
        return scope.slots.register({ name: 'conversation.input.model', priority }, component)
      } catch { /* another plugin holds this rank: one lower still comes first */ }
    }
    return () => undefined
  }
  // Other settings may change without a new seat.
  const wanted = computed(() => shared.app.settings.value?.takeOverModelSeat)
  return effect(() => {
    if (!wanted.value) return undefined
    return untracked(() => scope.slots.inject('conversation.input.model', register))
  })
}

/** A root of the plugin's own, so that a message outlives the view that caused it. */
function installToaster({ app }: Shared): Dispose {
  const node = document.createElement('div')
  document.body.append(node)
  render(<Toaster notices={app.notices} />, node)
  return () => {
    render(null, node)
    node.remove()
  }
}

export function apply(ctx: Ctx): void {
  const clock = pageClock(document)
  const app = createApp(createApi((input, init) => fetch(input, init)), clock, MODEL_FAILOVER_VERSION)
  let directoryOf: (id: string) => Directory | null = () => null
  const sessions = new Map<string, { readonly model: SessionModel; readonly directory: Directory | null }>()
  const session = (id: string): SessionModel => {
    const known = sessions.get(id)
    if (known) return known.model
    const directory = directoryOf(id)
    const model = createSession(app, id, directory)
    sessions.set(id, { model, directory })
    return model
  }
  const shared: Shared = { app, groups: createGroupActs(app), routes: createRouteActs(app), dashboard: createDashboard(app), session }

  ctx.effect(() => installSheet(document))
  ctx.effect(() => installTips(document))
  ctx.effect(() => installToaster(shared))
  ctx.effect(() => clock.close)
  ctx.effect(() => () => {
    for (const { directory } of sessions.values()) directory?.close()
  })
  ctx.effect(app.watch)
  ctx.inject(['locale'], (scope) => { scope.effect(() => followLocale(scope)) })

  ctx.slots.inject('settings.section', () => ctx.slots.register({ name: 'settings.section', id: 'model-failover', order: 12, label: title }, island(framed(shared, SettingsPage as ComponentType<IslandProps<object>>), 'mf-island')))

  ctx.inject(['conversationEvents'], (scope) => {
    for (const definition of [moveDefinition, endDefinition]) scope.effect(() => scope.conversationEvents?.register(definition) ?? (() => undefined))
    scope.slots.inject('conversation.chat.node', () => scope.slots.register({ name: 'conversation.chat.node', key: MOVE_KIND }, island(framed(shared, MoveNode), 'mf-island')))
    scope.slots.inject('conversation.chat.node', () => scope.slots.register({ name: 'conversation.chat.node', key: END_KIND }, island(framed(shared, EndNode), 'mf-island')))
  })

  // Hosts differ in what the directory needs around it; the first of the two sets that is there holds the seat.
  let held = false
  for (const services of [['modelDirectories', 'remote', 'remote.session'], ['modelDirectories', 'connection']]) {
    ctx.inject([...services, 'sessions'], (scope) => {
      if (held) return
      held = true
      directoryOf = (id) => {
        // The host's own selection refuses subagents; the plugin's interface serves them.
        if (!scope.modelDirectories || scope.sessions?.subagentAddress?.(id)) return null
        try {
          return followDirectory(scope.modelDirectories.directoryFor(id))
        } catch {
          return null // A session the host does not list yet.
        }
      }
      scope.effect(() => {
        const release = holdSeat(scope, shared)
        return () => {
          held = false
          release()
        }
      })
    })
  }
}
