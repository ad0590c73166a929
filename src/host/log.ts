/** Our log lines through the host's logger, whatever its shape; a logger that fails is ignored. */
import type { Log } from '../ports.ts'
import { isRecord, type HostContext } from './shapes.ts'

type Level = 'info' | 'warn' | 'error'

/** A Log that writes to `ctx.logger('model-failover')` or `ctx.logger` and falls silent where neither exists. */
export function hostLog(ctx: HostContext): Log {
  const sink = findSink(ctx)
  const write = (level: Level) => (format: string, ...facts: readonly unknown[]): void => {
    try { sink?.[level]?.(`model-failover: ${format}`, ...facts) } catch { /* a broken logger must not break the work it describes */ }
  }
  return { info: write('info'), warn: write('warn'), error: write('error') }
}

type Sink = Partial<Record<Level, (...parts: readonly unknown[]) => void>>

function findSink(ctx: HostContext): Sink | null {
  try {
    const logger = ctx.logger
    if (typeof logger === 'function' && !('warn' in logger)) return (logger as (name: string) => Sink)('model-failover')
    return isRecord(logger) || typeof logger === 'function' ? (logger as unknown as Sink) : null
  } catch { return null /* no logger service on this host */ }
}
