/** The own limit of concurrent calls of a model; empty or 0 follows the default. */
import type { VNode } from 'preact'
import type { Route } from '../../src/contract/route.ts'
import { useShared } from '../model/context.ts'
import { t } from '../text.ts'
import { routeName } from '../words.ts'
import { Input } from './Input.tsx'

/** A limit as typed: a whole number 1–1000, null for "follows the default", undefined for anything else. */
export function limitOf(text: string): number | null | undefined {
  if (!/^\d{0,4}$/.test(text) || Number(text) > 1000) return undefined
  return Number(text) || null
}

export function LimitInput({ route, limit, tabIndex }: { readonly route: Route; readonly limit: number | null; readonly tabIndex?: number }): VNode {
  const { app, routes } = useShared()
  const commit = (text: string): string | null => {
    const value = limitOf(text)
    if (value === undefined) return t('limit.wrong')
    void routes.limit(route, value)
    return null
  }
  return <Input width={48} label={t('limit.of', { model: routeName(app.models.data.value, route).model })} tip={t('limit.tip')} value={`${limit ?? ''}`} placeholder={t('limit.auto')} onCommit={commit} tabIndex={tabIndex} />
}
