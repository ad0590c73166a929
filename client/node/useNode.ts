/** The session behind a line of the conversation, looked at anew while the line is fresh. */
import type { ReadonlySignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { useShared } from '../model/context.ts'
import type { Shared } from '../model/context.ts'
import type { SessionModel } from '../model/session.ts'

export interface NodeProps<D> { readonly sessionId: string; readonly node: { readonly data: D } }

/** @param freshMs how long after the event the session may still be changing because of it. */
export function useNode<D extends { readonly at: number }>(props: ReadonlySignal<NodeProps<D>>, freshMs: number): Shared & { readonly node: SessionModel; readonly data: D; readonly fresh: boolean } {
  const shared = useShared()
  const { app } = shared
  const { sessionId, node: { data } } = props.value
  const node = useMemo(() => shared.session(sessionId), [sessionId])
  const fresh = app.now.value - data.at < freshMs
  useEffect(() => {
    if (fresh) void node.info.refresh()
    if (fresh || !(node.decisions.data.peek() || node.decisions.loading.peek())) void node.decisions.refresh()
    if (!app.models.data.peek()) void app.models.refresh()
  }, [node, data.at])
  return { ...shared, node, data, fresh }
}
