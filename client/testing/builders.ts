/** Values of the contract for tests and pictures: complete, plausible, and changed field by field. */
import type { Group } from '../../src/contract/group.ts'
import type { MetricRow } from '../../src/contract/metrics.ts'
import type { ModelsReply } from '../../src/contract/models.ts'
import type { Entry, Route } from '../../src/contract/route.ts'
import type { CandidateVerdict, DecisionRecord, SessionInfo, StatusReply } from '../../src/contract/status.ts'

/** 2026-11-30 09:00:00 Beijing time. */
export const NOW = Date.UTC(2026, 10, 30, 1)
export const VERSION = '0.0.0-test'

export function entry(over: Partial<Entry> & Route): Entry {
  return { priority: 1, ...over }
}

export function group(over: Partial<Group> = {}): Group {
  return { id: 'g-1', rev: 1, name: 'Everyday', enabled: true, models: [], ...over }
}

export function models(over: Partial<ModelsReply> = {}): ModelsReply {
  return {
    providers: [
      { id: 'alpha', name: 'Alpha', models: [{ id: 'a-1', name: 'Alpha One', efforts: ['low', 'high'], contextWindow: 128_000, inputs: ['text', 'image'] }, { id: 'a-2', name: 'Alpha Two', efforts: [], contextWindow: 64_000 }] },
      { id: 'beta', name: 'Beta', models: [{ id: 'b-1', name: 'Beta One', efforts: [], contextWindow: 1_000_000 }, { id: 'b-2', name: 'Beta Two', efforts: [] }] },
      { id: 'gamma', name: 'Gamma', models: [{ id: 'c-1', name: 'Gamma One', efforts: ['low', 'medium', 'high'] }] },
    ],
    failures: [],
    ...over,
  }
}

/** A host with many models: `providers` × `each`. */
export function manyModels(providers: number, each: number): ModelsReply {
  return models({
    providers: Array.from({ length: providers }, (_, p) => ({
      id: `p${p}`, name: `Provider ${p}`, models: Array.from({ length: each }, (_, m) => ({ id: `m-${p}-${m}`, name: `Model ${p}.${m}`, efforts: [], contextWindow: 128_000 })),
    })),
  })
}

export function status(over: Partial<StatusReply> = {}): StatusReply {
  return {
    version: VERSION, enabled: true, configErrors: [], storeProblems: [], dataDir: '/home/user/.dsh/model-failover', now: NOW, usageDay: '2026-11-30', usageDayEndsAt: NOW + 23 * 3_600_000, failResetHour: 8,
    abilities: { switch: 'request-override', sameStep: true, silentView: true, handPickSensor: 'pass-through', goals: true, skills: true, hostFence: false, loader: true, accountPool: false, tokenMeter: true, reduced: [] },
    groups: [], failed: [], bindings: [], defaultBinding: null, failureLog: [],
    settings: { dialogMode: true, metricsSort: null, notifyUser: true, ledgerRecovery: 'evidence', takeOverModelSeat: true, drill: false, patience: 'exhaust', stripReasoningEffort: true, enableProbe: true, defaultConcurrency: 0, compactionGuard: true, sources: { dialogMode: 'ui', patience: 'config' } },
    health: { breakers: [], endpoints: [], holds: [], rests: [], outage: { active: false, since: null }, probes: [], probeTokens: {} },
    concurrency: [], capacitySwitches: [], continuations: [], ofmHandoffExcludeProviders: ['codearts'],
    neighbours: { accountPool: { present: false, handoffs: 0, lastAt: null, lastError: null }, codearts: { present: false, heals: 0, failures: 0, lastAt: null, lastError: null } },
    compressionGuard: { enabled: true, biliActive: false, uncompressedProviders: ['qoder', 'qodercn'], shimCovered: [], downgradedModels: [], degradedSessions: [], lastDiagnosis: null },
    qoderShim: { enabled: true, installed: false, effective: false, liveSeen: false, port: 47_001, wasmPath: null, targets: [], intercepted: 0, forwarded: 0, compacted: 0, folded: 0, fallback: 0, adoptTicks: 0, adoptedAt: null, hookRepair: { state: 'absent', detail: '', copies: [] }, portals: 0, seenRequests: 0, recentExchanges: [], lastExchange: null, lastError: null, lastAt: null },
    ...over,
  }
}

export function mark(over: Partial<StatusReply['failed'][number]> & Route): StatusReply['failed'][number] {
  return { class: 'quota', code: 'QUOTA', reason: '429: You exceeded your current quota, please check your plan and billing details', count: 2, at: NOW - 600_000, manual: false, clears: 'evidence', until: NOW + 23 * 3_600_000, ...over }
}

export function verdict(route: Route, over: Partial<CandidateVerdict> = {}): CandidateVerdict {
  return { route, priority: 1, routable: true, why: null, class: null, until: null, tier: 0, ...over }
}

export function info(over: Partial<SessionInfo> = {}): SessionInfo {
  return { sessionId: 's-1', group: null, inheritedFrom: null, mode: null, pinned: false, route: { provider: 'alpha', model: 'a-1' }, home: { provider: 'alpha', model: 'a-1' }, override: null, verdicts: [], subagent: false, offer: [], ...over }
}

export function decision(over: Partial<DecisionRecord> = {}): DecisionRecord {
  return {
    at: NOW - 60_000, session: 's-1', turn: 3, kind: 'failure', from: { provider: 'alpha', model: 'a-1' }, to: { provider: 'beta', model: 'b-1' }, moveKind: 'failure', class: 'quota', code: 'QUOTA',
    message: '429: You exceeded your current quota', rule: 'code.quota', why: 'quota', until: NOW + 3_600_000, candidates: [verdict({ provider: 'alpha', model: 'a-2' }, { routable: false, why: 'failed', class: 'server', until: NOW + 7_200_000 }), verdict({ provider: 'beta', model: 'b-1' }, { priority: 3 })], calls: 2, tookMs: 240, ...over,
  }
}

export function row(over: Partial<MetricRow> & Route): MetricRow {
  return {
    groups: [], samples: 0, rated: 0, successes: 0, ttft: { p50: null, p90: null }, speed: { p50: null, p90: null }, wait: { p50: null, p90: null },
    inTokens: null, outTokens: null, cacheReadTokens: null, cacheWriteTokens: null, tokenSamples: 0,
    lifetimeInTokens: null, lifetimeOutTokens: null, lifetimeCacheReadTokens: null, lifetimeCacheWriteTokens: null, lifetimeTokenSamples: 0, lifetimeSamples: 0,
    probeTokens: 0, lastErrorCode: null, lastErrorMessage: null, lastUsedAt: null, limit: null, effectiveLimit: 0, running: 0, queued: 0, restMs: 0, until: null, state: 'normal', ...over,
  }
}

/** A row that was used: figures that differ by `n`. */
export function usedRow(route: Route, n: number, over: Partial<MetricRow> = {}): MetricRow {
  const samples = 20 + n * 7
  return row({
    ...route, samples, rated: samples, successes: samples - (n % 5), ttft: { p50: 240 + n * 37, p90: 900 + n * 110 }, speed: { p50: 40 + n * 3.3, p90: 60 + n * 4 }, wait: { p50: n * 12, p90: n * 30 },
    inTokens: 12_000 * (n + 1), outTokens: 1_900 * (n + 1), cacheReadTokens: 44_000 * n, cacheWriteTokens: n === 0 ? null : 800, tokenSamples: samples - 1,
    lifetimeInTokens: 120_000 * (n + 1), lifetimeOutTokens: 19_000 * (n + 1), lifetimeCacheReadTokens: 440_000 * n, lifetimeCacheWriteTokens: null, lifetimeTokenSamples: samples * 9, lifetimeSamples: samples * 10,
    lastUsedAt: NOW - n * 900_000, effectiveLimit: 0, ...over,
  })
}
