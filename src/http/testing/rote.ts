/** Replies of the services these tests do not look into, legal by the contract. */
import type { Reply } from '../../contract/api.ts'
import type { Frozen } from '../services.ts'

type Status = Frozen<Reply<'status'>>

export const idleSpeedtest: Frozen<Reply<'speedtest'>> = { running: false, startedAt: null, finishedAt: null, total: 0, done: 0, targets: [], results: [] }

export const plainInfo = (sessionId: string): Frozen<Reply<'sessionInfo'>> => ({
  sessionId, group: null, inheritedFrom: null, mode: null, pinned: false, route: null, home: null, override: null, verdicts: [], subagent: sessionId.startsWith('sub'), offer: [],
})

export const plainStatus = (now: number, own: Pick<Status, 'groups' | 'settings' | 'bindings' | 'defaultBinding' | 'failureLog'>): Status => ({
  version: '0', enabled: true, configErrors: [], storeProblems: [], dataDir: '/data',
  abilities: { switch: 'request-override', sameStep: true, silentView: true, handPickSensor: 'event', goals: true, skills: true, hostFence: false, loader: true, accountPool: false, tokenMeter: true, reduced: [] },
  now, usageDay: '2025-03-03', usageDayEndsAt: 1_741_000_000_000, failResetHour: 8, failed: [],
  health: { breakers: [], endpoints: [], holds: [], rests: [], outage: { active: false, since: null }, probes: [], probeTokens: {} },
  concurrency: [], capacitySwitches: [], continuations: [], ofmHandoffExcludeProviders: [],
  neighbours: { accountPool: { present: false, handoffs: 0, lastAt: null, lastError: null }, codearts: { present: false, heals: 0, failures: 0, lastAt: null, lastError: null } },
  compressionGuard: { enabled: false, biliActive: false, uncompressedProviders: [], shimCovered: [], downgradedModels: [], degradedSessions: [], lastDiagnosis: null },
  qoderShim: {
    enabled: false, installed: false, effective: false, liveSeen: false, port: 1024, wasmPath: null, targets: [], intercepted: 0, forwarded: 0, compacted: 0, folded: 0, fallback: 0,
    adoptTicks: 0, adoptedAt: null, hookRepair: { state: 'absent', detail: '', copies: [] }, portals: 0, seenRequests: 0, recentExchanges: [], lastExchange: null, lastError: null, lastAt: null,
  },
  ...own,
})
