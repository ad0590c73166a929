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
  return word(`reason.${why}`, word(`why.${why}`, classWord(why)))
}

/** A reasoning effort in words; unknown ones keep their id. */
export function effortWord(effort: string): string {
  return word(`effort.${effort.toLowerCase()}`, effort)
}

/** Why a candidate is passed over or stands behind others; "available" without a reason. */
export function obstacleWord(verdict: Pick<CandidateVerdict, 'why' | 'class' | 'routable'>): string {
  if (verdict.why === null) return t(verdict.routable ? 'why.none' : 'why.unknown')
  const text = word(`why.${verdict.why}`, verdict.why)
  return verdict.class !== null && ['failed', 'held', 'open', 'quarantined'].includes(verdict.why) ? t('why.because', { why: text, class: classWord(verdict.class) }) : text
}

/** What a person is told when the host half refused or did not answer. */
export function refusalText(error: ApiError): string {
  return word(`refusal.${error.code}`, t('refusal.other', { message: error.message }), { message: error.message })
}

export interface RouteName { readonly provider: string; readonly model: string }

/** Names of provider and model as the host shows them; ids where it knows none. */
export function routeName(models: ModelsReply | null, route: Route): RouteName {
  const provider = models?.providers.find(({ id }) => id === route.provider)
  return {
    provider: provider?.name ?? route.provider,
    model: provider?.models.find(({ id }) => id === route.model)?.name ?? route.model,
  }
}

/** `provider · model`, with the effort where one is named. */
export function routeText(models: ModelsReply | null, route: EffortRoute): string {
  const { provider, model } = routeName(models, route)
  return [provider, model, ...(route.effort ? [effortWord(route.effort)] : [])].join(' · ')
}

export const sameRoute = (a: Route | null | undefined, b: Route | null | undefined): boolean => !!a && !!b && a.provider === b.provider && a.model === b.model

/** A key for lists; not the key of the host's files. */
export const keyOf = (route: Route): string => `${route.provider}\n${route.model}`

/** Why a session is away from its home model. */
export function moveReason(kind: MoveKind | null, cause: FailureClass | null): string {
  return cause === null ? word(`move.${kind ?? 'failure'}`, t('move.failure')) : classWord(cause)
}
