/** The health block of `/status`: what is held, how it ends, and what the probes do. */
import type { HealthStatus } from '../contract/health.ts'
import { breakerState, weightOf } from '../domain/breaker.ts'
import type { RouteState } from '../domain/health.ts'
import type { Moment } from '../domain/ledger.ts'
import type { Outage } from '../domain/outage.ts'
import { liveLease } from '../domain/permit.ts'
import { isResting } from '../domain/rest.ts'
import type { Board } from './health-board.ts'
import { endpointRecords, standingHolds } from './health-documents.ts'

/** What the probe scheduler tells of itself; instants are epoch ms. */
export interface ProbeReport {
  readonly probes: HealthStatus['probes']
  readonly tokens: Readonly<Record<string, number>>
}

interface StatusParts {
  readonly board: Board
  readonly outage: Outage
  readonly burstWindowMs: number
  readonly moment: Moment
  readonly probes: ProbeReport | null
}

export function healthStatusOf({ board, outage, burstWindowMs, moment, probes }: StatusParts): HealthStatus {
  const wall = (mono: number): number => Math.round(moment.now + mono - moment.mono)
  const status: HealthStatus = {
    breakers: [], rests: [], holds: standingHolds(board, moment.now),
    endpoints: endpointRecords(board, moment).map((record) => ({
      ...record,
      nextProbeAt: probes?.probes.find((probe) => probe.provider === record.provider && probe.model === record.lastModel)?.nextAt ?? null,
    })),
    outage: { active: outage.active !== null, since: outage.active?.at ?? null },
    probes: probes?.probes ?? [], probeTokens: { ...probes?.tokens },
  }
  for (const provider of board.providers.values()) {
    if (provider.open && moment.mono < provider.open.until) {
      status.breakers.push({ level: 'platform', provider: provider.provider, model: null, state: 'open', opens: 1, until: wall(provider.open.until), weight: 0 })
    }
    for (const state of provider.routes.values()) {
      const breaker = breakerStatusOf(state, burstWindowMs, moment.mono, wall)
      if (breaker) status.breakers.push(breaker)
      if (isResting(state.restUntil, moment.mono)) status.rests.push({ ...state.route, until: wall(state.restUntil) })
    }
  }
  return status
}

function breakerStatusOf(state: RouteState, windowMs: number, mono: number, wall: (mono: number) => number): HealthStatus['breakers'][number] | null {
  const { breaker, route } = state
  if (breaker.at === 'closed') return null
  const lease = liveLease(state.lease, mono)
  const at = breakerState(breaker, mono)
  return {
    level: 'model', provider: route.provider, model: route.model, opens: breaker.opens, weight: weightOf(breaker, windowMs, mono),
    state: lease ? 'trial' : at === 'open' ? 'open' : 'half-open',
    until: lease ? wall(lease.until) : at === 'open' ? wall(breaker.until) : null,
  }
}
