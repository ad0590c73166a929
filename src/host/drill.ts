/** The built-in provider `model-failover-drill`: its model names pick the fault that is played, without any network. */
import { FAULTS, faultById } from '../contract/faults.ts'
import { DRILL_PROVIDER, drillSteps } from '../domain/drill.ts'
import type { CallOptions, Chunk, Dispose, Log, Time } from '../ports.ts'
import { service, type HostContext } from './shapes.ts'

/** How long a drill model that hangs is waited for, as an adapter with this idle limit would. */
const IDLE_MS = 5000
const NAME = 'Model Failover drill'
/** A drill is about moving on, so the host's own retries stay out of it. */
const NO_RETRIES = { mode: 'normal', maxRetries: 0, retryableCodes: [], initialDelayMs: 100, maxDelayMs: 100, jitterRatio: 0 }

interface Registry { registerAdapter(providers: readonly string[], adapter: object): () => unknown }

/** Registers the provider; the returned function takes it away again. Never throws. */
export function registerDrill(ctx: HostContext, time: Time, log: Log): Dispose {
  const llm = service<Registry>(ctx, 'llm', 'registerAdapter')
  if (!llm) return () => {}
  try {
    const undo = llm.registerAdapter([DRILL_PROVIDER], adapter(time))
    return () => { undo() }
  } catch (error) {
    log.warn('the drill provider is not offered: %o', error)
    return () => {}
  }
}

/** An adapter in the host's shape, as a plain object. */
function adapter(time: Time): object {
  const info = (model: string): object => {
    const fault = faultById(model)
    if (!fault) throw Object.assign(new Error(`the drill has no fault ${JSON.stringify(model)}; it knows ${FAULTS.map(({ id }) => id).join(', ')}`), { code: 'UNKNOWN_MODEL' })
    return { provider: DRILL_PROVIDER, id: model, name: `Drill: ${fault.title}`, inputModalities: ['text', 'image'], context: { contextWindow: 1_000_000 } }
  }
  const resolveModel = async (_provider: string, model: string): Promise<object> => info(model)
  const stream = (options: CallOptions): AsyncIterable<Chunk> => play(options, time)
  return {
    providerInfo: () => ({ id: DRILL_PROVIDER, name: NAME }),
    providerRetryPolicy: () => NO_RETRIES,
    listModels: async () => FAULTS.map(({ id, title }) => ({ provider: DRILL_PROVIDER, id, name: `Drill: ${title}` })),
    resolveModel,
    prepareCall: async (provider: string, model: string) => ({ model: await resolveModel(provider, model), stream }),
    stream,
  }
}

async function* play(options: CallOptions, time: Time): AsyncIterable<Chunk> {
  const fault = faultById(options.model)
  for (const step of fault ? drillSteps(fault) : []) {
    if (step.kind === 'frame') yield step.chunk
    else if (!(await rest(step.kind === 'pause' ? step.ms : IDLE_MS, time, options.signal))) {
      yield { type: 'finish', reason: { kind: 'aborted', failure: { code: 'ABORTED', message: 'the drill was cancelled' } } }
      return
    } else if (step.kind === 'hang') {
      yield { type: 'finish', reason: { kind: 'error', failure: { code: 'TIMEOUT', message: `no byte within ${IDLE_MS / 1000} s` } } }
      return
    }
  }
}

/** False if the signal fired first. */
function rest(ms: number, time: Time, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const done = (whole: boolean): void => {
      stop()
      signal?.removeEventListener('abort', cancel)
      resolve(whole)
    }
    const cancel = (): void => done(false)
    const stop = time.after(ms, () => done(true))
    signal?.addEventListener('abort', cancel, { once: true })
  })
}
