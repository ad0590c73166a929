/** Words for the codes of the contract: classes, obstacles, moves, refusals; and names of routes. */
import type { FailureClass } from '../src/contract/failure.ts'
import type { MoveKind } from '../src/contract/group.ts'
import type { ModelsReply } from '../src/contract/models.ts'
import type { EffortRoute, Route } from '../src/contract/route.ts'
import type { CandidateVerdict } from '../src/contract/status.ts'
import type { ApiError } from './api.ts'
import { classText, t, word } from './text.ts'

/** A failure class in words. */
export function classWord(kind: string | null): string {
  return classText(kind ?? 'unknown')
}

/** Why a decision was taken: a class, an obstacle, or a reason of its own. */
export function reasonWord(why: string): string {
  return word(`why.${why}`, classWord(why))
}

/** A reasoning effort in words; unknown ones keep their id. */
export function effortWord(effort: string): string {
  return effort === '' ? t('effort.default') : word(`effort.${effort}`, effort)
}

/** Efforts to choose from, the model's own default first. */
export function effortOptions(efforts: readonly string[]): { readonly value: string; readonly text: string }[] {
  return ['', ...efforts].map((value) => ({ value, text: effortWord(value) }))
}

/** Why a candidate is passed over or stands behind others; "available" without a reason. */
export function obstacleWord(verdict: Pick<CandidateVerdict, 'why' | 'class' | 'routable'>): string {
  const { why, class: cause } = verdict
  if (why === null) return t(verdict.routable ? 'why.available' : 'why.unavailable')
  const text = word(`why.${why}`, why)
  return cause && ['failed', 'held', 'open', 'quarantined'].includes(why) ? `${text} · ${classWord(cause)}` : text
}

const INNER = /\{.*?"message":"(.+?)(?<!\\)".*\}/s

/** The sentence inside of an error object, which is all of it that people read. */
export const sentence = (text: string): string => text.replace(INNER, '$1')

/** What a person is told when the host half refused or did not answer. */
export function refusalText(error: ApiError): string {
  return error.status === 0 ? t('state.offline') : word(`refusal.${error.code}`, t('refusal.other', { message: error.message }), { message: error.message })
}

export interface RouteName { readonly provider: string; readonly model: string; readonly efforts: readonly string[] }

/** What the host shows for a route: names (ids where it knows none), and the efforts to choose from. */
export function routeName(models: ModelsReply | null, route: Route): RouteName {
  const provider = models?.providers.find(({ id }) => id === route.provider)
  const model = provider?.models.find(({ id }) => id === route.model)
  return { provider: provider?.name ?? route.provider, model: model?.name ?? route.model, efforts: model?.efforts ?? [] }
}

/** Provider, model, and the effort where one is named. */
export function routeParts(models: ModelsReply | null, route: EffortRoute): readonly string[] {
  const { provider, model } = routeName(models, route)
  return route.effort ? [provider, model, effortWord(route.effort)] : [provider, model]
}

/** The same in one text, `provider · model · effort`. */
export function routeText(models: ModelsReply | null, route: EffortRoute): string {
  return routeParts(models, route).join(' · ')
}

export const sameRoute = (a: Route | null | undefined, b: Route | null | undefined): boolean => !!a && !!b && a.provider === b.provider && a.model === b.model

/** A key for lists; not the key of the host's files. */
export const keyOf = (route: Route): string => `${route.provider}\n${route.model}`

/** Why a session is away from its home model. */
export function moveReason(kind: MoveKind | null, cause: FailureClass | null): string {
  return cause === null ? reasonWord(kind ?? 'failure') : classWord(cause)
}
