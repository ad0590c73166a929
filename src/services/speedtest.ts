/**
 * Speed tests: one minimal request to each of some models, in the background, one run at a time. A test takes a slot
 * like any call and becomes a sample, but moves nothing: no mark, no breaker, no other route in its place.
 */
import type { Group } from '../contract/group.ts'
import type { Sample, SpeedtestInput, SpeedtestSnapshot } from '../contract/metrics.ts'
import { Refusal, unknownGroup } from '../contract/refusal.ts'
import { routeKey, type Route } from '../contract/route.ts'
import type { CallOptions, Stream, Time } from '../ports.ts'

/** Longest answer of a test, in tokens. */
export const SPEEDTEST_TOKENS = 64
const PROMPT = 'Count from one to thirty in English words, separated by single spaces. Write nothing else.'

type Result = SpeedtestSnapshot['results'][number]

export interface SpeedtestDeps {
  readonly time: Time
  readonly groups: () => readonly Group[]
  /** Opens a call that is measured under purpose `speedtest`; its sample comes back through {@link Speedtest.recorded}. */
  readonly open: (options: CallOptions) => Stream
}

export interface Speedtest {
  snapshot(): SpeedtestSnapshot
  /** Starts a run and answers at once; refuses while one runs (conflict) and an unknown group. */
  start(input: SpeedtestInput): SpeedtestSnapshot
  cancel(): SpeedtestSnapshot
  /** A call of purpose `speedtest` has been booked. */
  recorded(sample: Sample): void
  /** Ends the run, if any; resolves when nothing of it is left. */
  dispose(): Promise<void>
}

interface Run {
  readonly startedAt: number
  readonly targets: readonly Route[]
  readonly results: Result[]
  readonly abort: AbortController
  finishedAt: number | null
  work: Promise<void>
}

export function createSpeedtest(deps: SpeedtestDeps): Speedtest {
  let run: Run | null = null
  let closed = false

  const snapshot = (): SpeedtestSnapshot => ({
    running: run !== null && run.finishedAt === null, startedAt: run?.startedAt ?? null, finishedAt: run?.finishedAt ?? null,
    total: run?.targets.length ?? 0, done: run?.results.length ?? 0, targets: [...run?.targets ?? []], results: [...run?.results ?? []],
  })

  /** Samples of the tests that are running, by route key; a route is tested once in a run. */
  const samples = new Map<string, Sample>()

  const cancel = (): SpeedtestSnapshot => {
    run?.abort.abort()
    return snapshot()
  }

  return {
    snapshot,
    cancel,
    recorded: (sample) => { samples.set(routeKey(sample), sample) },
    start(input) {
      if (closed) throw new Refusal('unavailable', 'STOPPING', 'the plugin is being stopped')
      if (run && run.finishedAt === null) throw new Refusal('conflict', 'SPEEDTEST_RUNNING', 'a speed test is running; wait for it or cancel it')
      const targets = targetsOf(input, deps.groups())
      const next: Run = { startedAt: deps.time.now(), targets, results: [], abort: new AbortController(), finishedAt: null, work: Promise.resolve() }
      run = next
      samples.clear()
      next.work = work(deps, next, input, samples)
      return snapshot()
    },
    async dispose() {
      closed = true
      cancel()
      await run?.work
    },
  }
}

/** The models to test, each once; a group leaves out its disabled entries, a list of names does not. */
function targetsOf(input: SpeedtestInput, groups: readonly Group[]): Route[] {
  const group = input.groupId === undefined ? null : groups.find(({ id }) => id === input.groupId)
  if (group === undefined) throw unknownGroup(input.groupId ?? '')
  const named = group === null ? input.models ?? [] : group.models.filter((entry) => entry.disabled !== true).sort((a, b) => a.priority - b.priority)
  return [...new Map(named.map(({ provider, model }) => [routeKey({ provider, model }), { provider, model }])).values()]
}

async function work(deps: SpeedtestDeps, run: Run, input: SpeedtestInput, samples: ReadonlyMap<string, Sample>): Promise<void> {
  const waiting = [...run.targets]
  const lane = async (): Promise<void> => {
    for (let target = waiting.shift(); target; target = waiting.shift()) {
      const broken = await test(deps, target, run.abort.signal, input.timeoutMs)
      run.results.push(resultOf(target, samples.get(routeKey(target)) ?? null, run.abort.signal.aborted ? 'CANCELLED' : broken))
    }
  }
  await Promise.all(Array.from({ length: Math.min(input.parallel, run.targets.length) }, lane))
  run.finishedAt = deps.time.now()
}

/** A user message in the host's shape, marked as ours. */
const message = (id: string): unknown => ({
  id: `model-failover-speedtest-${id}`, role: 'user', content: [{ type: 'text', text: PROMPT }], source: { kind: 'plugin', plugin: 'model-failover' },
})

/** One test, ended by its time limit at the latest; what it threw, as a code, or null. The figures are in its sample. */
async function test(deps: SpeedtestDeps, route: Route, cancelled: AbortSignal, timeoutMs: number): Promise<string | null> {
  const limit = new AbortController()
  const stop = deps.time.after(timeoutMs, () => limit.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError')))
  const signal = AbortSignal.any([cancelled, limit.signal])
  try {
    if (!signal.aborted) await drain(deps.open({ ...route, maxTokens: SPEEDTEST_TOKENS, messages: [message(`${deps.time.now()}-${routeKey(route)}`)], signal }), signal)
    return limit.signal.aborted ? 'TIMEOUT' : null
  } catch (error) {
    return codeOf(error)
  } finally {
    stop()
  }
}

/** Reads to the end, but no longer than the signal lets it: an adapter may ignore it. */
async function drain(stream: Stream, signal: AbortSignal): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]()
  let ended: () => void = () => {}
  const aborted = new Promise<'aborted'>((resolve) => { ended = () => resolve('aborted') })
  signal.addEventListener('abort', ended, { once: true })
  try {
    for (;;) {
      const next = iterator.next()
      const result = await Promise.race([next, aborted])
      // Left behind when the signal was first; what it still throws concerns nobody.
      if (result === 'aborted') next.catch(() => {})
      if (result === 'aborted' || result.done) return
    }
  } finally {
    signal.removeEventListener('abort', ended)
    // Not awaited: a source that hangs answers this only when it stops hanging.
    void Promise.resolve(iterator.return?.()).catch(() => {})
  }
}

function resultOf(route: Route, sample: Sample | null, error: string | null): Result {
  const ok = error === null && sample?.outcome === 'ok'
  return {
    provider: route.provider, model: route.model, ok,
    ttftMs: sample?.ttft ?? null, tps: sample?.speed ?? null, inTokens: sample?.in ?? null, outTokens: sample?.out ?? null,
    errorCode: ok ? null : error === 'CANCELLED' ? error : sample?.code ?? error ?? 'UNKNOWN',
  }
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null
  return typeof code === 'string' && code !== '' ? code : 'UNKNOWN'
}
