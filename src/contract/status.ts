/** The reply the page polls, the session view, and the records of decisions. */
import * as z from 'zod'
import { failureClassSchema, scopeSchema } from './failure.ts'
import { bindingMode, defaultBindingSchema, groupSchema, moveKind, overrideSchema } from './group.ts'
import { healthStatus, markSchema } from './health.ts'
import { effortRouteSchema, routeSchema } from './route.ts'
import { settingsReply } from './settings.ts'

export const obstacleKind = z.enum([
  'disabled', 'window', 'expired', 'ask', 'failed', 'held', 'quarantined', 'rejected', 'visited',
  'unknown-model', 'too-small', 'no-images', 'open', 'trial', 'resting', 'suspect', 'uncompressed', 'pinned',
])
/** Why a route was passed over, or (open, trial, resting, suspect, uncompressed) why it stands behind others. */
export type ObstacleKind = z.infer<typeof obstacleKind>

export const verdictSchema = z.object({
  route: effortRouteSchema, priority: z.number(), routable: z.boolean(),
  why: obstacleKind.nullable(), class: failureClassSchema.nullable(), until: z.number().nullable(), tier: z.number().nullable(),
})
/** One candidate: `routable` now or not, the first reason, and when that reason ends (epoch ms; null = not by time). */
export type CandidateVerdict = Readonly<z.infer<typeof verdictSchema>>

export const failureLogEntry = z.object({
  at: z.number(), session: z.string().nullable(), class: failureClassSchema, code: z.string().nullable(), message: z.string().nullable(),
  from: routeSchema, to: routeSchema.nullable(), why: z.string(), uncompressed: z.boolean().optional(),
})
export type FailureLogEntry = Readonly<z.infer<typeof failureLogEntry>>

export const decisionSchema = z.object({
  at: z.number(), session: z.string(), turn: z.number().nullable(), kind: z.enum(['turn-start', 'failure', 'return', 'hand-pick', 'auxiliary', 'registry', 'consent', 'remedy']),
  from: effortRouteSchema.nullable(), to: effortRouteSchema.nullable(), moveKind: moveKind.nullable(),
  class: failureClassSchema.nullable(), code: z.string().nullable(), message: z.string().nullable(), rule: z.string().nullable(),
  why: z.string(), until: z.number().nullable().describe('earliest return'),
  candidates: z.array(verdictSchema), calls: z.number().describe('upstream calls this step had cost by then'), tookMs: z.number(),
})
/** One decision as "why this model?" shows it. */
export type DecisionRecord = Readonly<z.infer<typeof decisionSchema>>

export const abilitySchema = z.object({
  switch: z.enum(['request-override', 'select-for-next-request', 'model-select']),
  sameStep: z.boolean(), silentView: z.boolean(), handPickSensor: z.enum(['event', 'pass-through', 'header']),
  goals: z.boolean(), skills: z.boolean(), hostFence: z.boolean(), loader: z.boolean(), accountPool: z.boolean(), tokenMeter: z.boolean(),
  reduced: z.array(z.string()).describe('what the missing abilities cost, one plain sentence key each'),
})
export type Abilities = Readonly<z.infer<typeof abilitySchema>>

export const continuationStatus = z.object({ session: z.string(), queuedAt: z.number(), attempts: z.number(), reason: z.string() })
export const capacitySwitch = z.object({ session: z.string(), from: routeSchema, to: routeSchema, at: z.number(), revertAt: z.number() })

export const sessionInfo = z.object({
  sessionId: z.string(),
  group: groupSchema.nullable(), inheritedFrom: z.string().nullable(), mode: bindingMode.nullable(), pinned: z.boolean(),
  route: effortRouteSchema.nullable(), home: effortRouteSchema.nullable(), override: overrideSchema.nullable(),
  verdicts: z.array(verdictSchema), subagent: z.boolean(),
  offer: z.array(routeSchema).describe('`ask` entries that consent would admit now; empty while the session can go on without'),
})
export type SessionInfo = Readonly<z.infer<typeof sessionInfo>>

export const bindingReply = z.object({ sessionId: z.string(), groupId: z.string().nullable(), mode: bindingMode, pin: z.boolean() })

export const uncompressedReason = z.enum(['off', 'absent', 'hook', 'waiting', 'port', 'not-covered'])
/**
 * Why a provider gets no compression: the shim is switched off, found no encryptor, has no way to the one in use, has
 * not adopted it yet, cannot listen, or does not know this provider.
 */
export type UncompressedReason = z.infer<typeof uncompressedReason>

export const compressionGuardStatus = z.object({
  enabled: z.boolean(), biliActive: z.boolean(), uncompressedProviders: z.array(z.string()), shimCovered: z.array(z.string()),
  downgradedModels: z.array(z.object({ groupId: z.string(), provider: z.string(), model: z.string() })),
  degradedSessions: z.array(z.object({ sessionId: z.string(), provider: z.string(), model: z.string() })),
  lastDiagnosis: z.object({ at: z.number(), provider: z.string(), model: z.string(), code: z.string().nullable(), hint: z.string(), reason: uncompressedReason }).nullable(),
})
export type CompressionGuardStatus = Readonly<z.infer<typeof compressionGuardStatus>>

const exchange = z.object({ beforeCount: z.number(), afterCount: z.number(), beforeContent: z.number(), afterContent: z.number(), shrank: z.boolean() })
export const qoderShimStatus = z.object({
  enabled: z.boolean(), installed: z.boolean(), effective: z.boolean(), liveSeen: z.boolean(), port: z.number(), wasmPath: z.string().nullable(),
  targets: z.array(z.string()), intercepted: z.number(), forwarded: z.number(), compacted: z.number(), folded: z.number(), fallback: z.number(),
  adoptTicks: z.number(), adoptedAt: z.string().nullable(),
  hookRepair: z.object({
    state: z.enum(['ok', 'repaired', 'stale', 'skipped', 'failed', 'pending-restart', 'absent']), detail: z.string(),
    copies: z.array(z.object({ scope: z.string(), state: z.string() })),
  }),
  portals: z.number(), seenRequests: z.number(), recentExchanges: z.array(exchange),
  lastExchange: z.object({
    beforeCount: z.number(), afterCount: z.number(), beforeContent: z.number(), afterContent: z.number(), contentShrank: z.boolean(), changed: z.boolean(),
    diff: z.array(z.object({ index: z.number(), kind: z.enum(['added', 'removed', 'shrunk', 'grown', 'changed']), role: z.string().nullable(), beforeLen: z.number(), afterLen: z.number(), delta: z.number() })),
  }).nullable(),
  lastError: z.string().nullable(), lastAt: z.number().nullable(),
})
export type QoderShimStatus = Readonly<z.infer<typeof qoderShimStatus>>

export const neighboursStatus = z.object({
  accountPool: z.object({ present: z.boolean(), handoffs: z.number(), lastAt: z.number().nullable(), lastError: z.string().nullable() }),
  codearts: z.object({ present: z.boolean(), heals: z.number(), failures: z.number(), lastAt: z.number().nullable(), lastError: z.string().nullable() }),
})
export type NeighboursStatus = Readonly<z.infer<typeof neighboursStatus>>

export const statusReply = z.object({
  version: z.string(), enabled: z.boolean(),
  configErrors: z.array(z.object({ key: z.string(), value: z.string(), message: z.string(), nearest: z.string().nullable() })),
  storeProblems: z.array(z.object({ file: z.string(), problem: z.string(), at: z.number() })),
  dataDir: z.string(),
  abilities: abilitySchema, now: z.number(), usageDay: z.string(), usageDayEndsAt: z.number(), failResetHour: z.number(),
  groups: z.array(groupSchema), failed: z.array(markSchema.extend({ clears: z.enum(['day', 'evidence']), until: z.number() })),
  bindings: z.array(bindingReply), defaultBinding: defaultBindingSchema.nullable(),
  failureLog: z.array(failureLogEntry), settings: settingsReply, health: healthStatus,
  concurrency: z.array(z.object({ provider: z.string(), model: z.string(), limit: z.number().nullable(), effectiveLimit: z.number(), running: z.number(), queued: z.number() })),
  capacitySwitches: z.array(capacitySwitch), continuations: z.array(continuationStatus),
  ofmHandoffExcludeProviders: z.array(z.string()),
  neighbours: neighboursStatus, compressionGuard: compressionGuardStatus, qoderShim: qoderShimStatus,
})
export type StatusReply = Readonly<z.infer<typeof statusReply>>

export const explainReply = z.object({
  class: failureClassSchema, scope: scopeSchema, hold: z.object({ scope: z.enum(['route', 'provider']), until: z.number() }).nullable(),
  until: z.number().nullable(), mark: z.boolean(), breakerWeight: z.number(), structural: z.number(), rule: z.string(), takeOver: z.enum(['at-once', 'after-first', 'after-host-retries', 'never', 'host-first']),
  move: z.object({ to: effortRouteSchema.nullable(), verdicts: z.array(verdictSchema) }).optional(),
})
export type ExplainReply = Readonly<z.infer<typeof explainReply>>

export const runStateEvent = z.object({ seq: z.number(), at: z.number(), session: z.string(), event: z.string(), detail: z.string().nullable() })
export type RunStateEvent = Readonly<z.infer<typeof runStateEvent>>
