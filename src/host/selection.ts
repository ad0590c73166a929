/**
 * The host's own idea of a session's model: sensing the user's hand picks, and showing a route there without making it
 * anybody's default. Both lean on properties of two host services; where those differ, the ability is simply absent.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { EffortRoute } from '../contract/route.ts'
import type { Dispose } from '../ports.ts'
import { isRecord, service, type HostContext } from './shapes.ts'

interface SelectRequest { readonly rpcId: string; readonly payload: { readonly sessionId: string; readonly provider: string; readonly model: string; readonly reasoningEffort?: string } }
interface SelectReply { readonly result?: { readonly ok?: boolean; readonly value?: { readonly selected?: { readonly provider: string; readonly model: string; readonly reasoningEffort?: string } } } }
type SelectModel = (request: SelectRequest, ...rest: readonly unknown[]) => Promise<SelectReply>
interface Sessions { selectModel: SelectModel }
interface DefaultModel { saveSelection(selection: unknown): Promise<void> }

export interface Selection {
  /** True when `show` can work on this host now. */
  canShow(): boolean
  /** True while hand picks are sensed exactly. */
  senses(): boolean
  show(id: string, route: EffortRoute): Promise<boolean>
  /** Starts sensing when the service is there; restored on disposal. */
  sense(onPick: (session: string, route: EffortRoute) => void): Dispose
}

/** Wraps `apiProxy.sessions.selectModel` (0.1 hosts). Our own selects are told apart by an async context, never by timing. */
export function createSelection(ctx: HostContext): Selection {
  const ours = new AsyncLocalStorage<true>()
  let sensing = false
  const sessions = (): Sessions | null => {
    try {
      const proxy = ctx.get('apiProxy')
      const found = isRecord(proxy) ? proxy.sessions : null
      return isRecord(found) && typeof found.selectModel === 'function' ? (found as unknown as Sessions) : null
    } catch { return null /* not on this host */ }
  }
  const defaults = (): (DefaultModel & Record<string, unknown>) | null => service(ctx, 'agentDefaultModel', 'saveSelection')

  return {
    canShow: () => sessions() !== null && defaults() !== null,
    senses: () => sensing,
    async show(id, route) {
      const target = sessions()
      const saver = defaults()
      if (!target || !saver) return false
      const undo = muteOwnSaves(saver, ours)
      if (!undo) return false
      try {
        const payload = { sessionId: id, provider: route.provider, model: route.model, ...(route.effort === undefined ? {} : { reasoningEffort: route.effort }) }
        const reply = await ours.run(true, () => target.selectModel({ rpcId: `model-failover-${id}`, payload }))
        return reply.result?.ok === true
      } catch { return false /* the view stays as it was; failover does not depend on it */ } finally { undo() }
    },
    sense(onPick) {
      const target = sessions()
      if (!target) return () => {}
      const original = target.selectModel
      const had = Object.hasOwn(target, 'selectModel')
      const wrapped: SelectModel = async function (this: unknown, request, ...rest) {
        const reply = await original.call(this, request, ...rest)
        if (!ours.getStore()) report(request, reply, onPick)
        return reply
      }
      try { target.selectModel = wrapped } catch { return () => {} /* a frozen service: the header comparison remains */ }
      if (ownValue(target, 'selectModel') !== wrapped) return () => {}
      sensing = true
      return () => {
        sensing = false
        // Only what is still ours is restored: another plugin may have wrapped us meanwhile.
        if (ownValue(target, 'selectModel') !== wrapped) return
        if (had) target.selectModel = original
        else delete (target as Partial<Sessions>).selectModel
      }
    },
  }
}

function report(request: SelectRequest, reply: SelectReply, onPick: (session: string, route: EffortRoute) => void): void {
  const selected = reply.result?.ok === true ? reply.result.value?.selected : undefined
  if (!selected) return
  try {
    onPick(request.payload.sessionId, {
      provider: selected.provider,
      model: selected.model,
      ...(selected.reasoningEffort === undefined ? {} : { effort: selected.reasoningEffort }),
    })
  } catch { /* the user's pick succeeded; our book-keeping may not turn it into a failure */ }
}

const muted = new WeakMap<object, { count: number; undo: Dispose }>()

/**
 * Puts a pass-through over `saveSelection` that swallows only calls from inside our own select. Several selects may
 * overlap; the last one out removes it. Null when the property cannot be set.
 */
function muteOwnSaves(saver: DefaultModel & Record<string, unknown>, ours: AsyncLocalStorage<true>): Dispose | null {
  const held = muted.get(saver)
  if (held) {
    held.count += 1
    return () => release(saver)
  }
  const original = saver.saveSelection
  const had = Object.hasOwn(saver, 'saveSelection')
  const passThrough = (selection: unknown): Promise<void> => (ours.getStore() ? Promise.resolve() : original.call(saver, selection))
  try { saver.saveSelection = passThrough } catch { return null /* frozen: showing would rewrite the user's default, so it is off */ }
  // A service may hand out wrapped methods, so only the property itself tells what is set.
  if (ownValue(saver, 'saveSelection') !== passThrough) return null
  const undo = (): void => {
    if (ownValue(saver, 'saveSelection') !== passThrough) return
    if (had) saver.saveSelection = original
    else delete (saver as Partial<DefaultModel>).saveSelection
  }
  muted.set(saver, { count: 1, undo })
  return () => release(saver)
}

function ownValue(object: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(object, key)?.value
}

function release(saver: object): void {
  const held = muted.get(saver)
  if (!held) return
  held.count -= 1
  if (held.count > 0) return
  muted.delete(saver)
  held.undo()
}
