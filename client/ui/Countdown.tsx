/** How long until an instant, going on by itself. */
import type { VNode } from 'preact'
import { span } from '../format.ts'
import { useShared, useWatch } from '../model/context.ts'
import { t } from '../text.ts'

export function Countdown({ until }: { readonly until: number }): VNode {
  const { app } = useShared()
  useWatch(app.tick)
  const left = until - app.now.value
  return <span>{left <= 0 ? t('count.due') : t('count.left', { span: span(left) })}</span>
}
