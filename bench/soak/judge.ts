/** Who is to blame for a lost turn: the promise is broken if one of the first four routable routes was fine all the while. */
import type { Host } from '../../dev/host.mts'
import { nameOf, rankOf, type Weather } from './weather.ts'
import type { Ended } from './turns.ts'

/** One call and three more: the default of `routingChainMax`. */
const REACH = 4
const KEEP_MS = 120_000

interface Snapshot { readonly at: number; readonly routable: readonly string[] }

export interface Judge {
  /** Notes which routes would be tried now, in order. */
  look(): Promise<void>
  /** The routes that should have saved the turn; empty = nothing could. `current` is the route its session ran on. */
  couldHave(ended: Ended, current: string | null): readonly string[]
}

/** For a host without the plugin: nobody looks, nothing could have helped. */
export const NO_JUDGE: Judge = { look: async () => {}, couldHave: () => [] }

interface Verdict { readonly route: { readonly provider: string; readonly model: string }; readonly routable: boolean }

export function makeJudge(host: Pick<Host, 'api'>, groupId: string, weather: Pick<Weather, 'fairThroughout'>): Judge {
  let snapshots: Snapshot[] = []
  return {
    async look() {
      const { status, body } = await host.api('/chain/preview', { body: { groupId } })
      if (status !== 200) throw new Error(`the preview answered ${status}: ${JSON.stringify(body)}`)
      const { verdicts } = body as { readonly verdicts: readonly Verdict[] }
      const at = Date.now()
      snapshots = [...snapshots.filter((one) => at - one.at < KEEP_MS), { at, routable: verdicts.filter(({ routable }) => routable).map(({ route }) => nameOf(route)) }]
    },
    couldHave(ended, current) {
      const before = snapshots.findLast(({ at }) => at <= ended.startedAt) ?? snapshots[0]
      if (!before) return []
      const first = current !== null && before.routable.includes(current) ? [current] : []
      const tried = [...new Set([...first, ...before.routable])].slice(0, REACH)
      const able = tried.filter((name) => weather.fairThroughout(name, before.at, ended.endedAt))
      // An overflow is no fault of the route: only a larger window helps.
      const overflown = /maximum context length/.test(ended.error ?? '') ? Math.max(...ended.headers.map(rankOf), rankOf(current ?? '')) : -1
      return able.filter((name) => rankOf(name) > overflown)
    },
  }
}
