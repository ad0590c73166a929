/** What a host process holds: resident memory, open handles and, through Node's inspector, its heap after a full collection. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'

export interface Reading {
  readonly at: number
  /** Bytes the kernel keeps in memory for the process; null where it does not say. */
  readonly rss: number | null
  /** Bytes of live objects after a full collection; null without an inspector. */
  readonly heap: number | null
  /** Open file descriptors, and how many of them are sockets; null where the system does not list them. */
  readonly handles: number | null
  readonly sockets: number | null
}

export interface Gauge {
  read(): Promise<Reading>
  /** Lets the process go: a host that an inspector still holds would not end. */
  close(): void
}

/** Environment of a host whose heap is to be read. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

/** What Node itself says about the inspector; not a word of the host. */
export const INSPECTOR_TALK = /^(?:Debugger (?:listening|attached|ending)|For help, see|Waiting for the debugger).*$/gm

function residentBytes(pid: number): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) * 1024
  } catch { return null /* no such file system here */ }
}

function openHandles(pid: number): { readonly handles: number; readonly sockets: number } | null {
  let names: string[]
  try { names = readdirSync(`/proc/${pid}/fd`) } catch { return null /* no such file system here */ }
  let sockets = 0
  for (const name of names) {
    try { if (readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:')) sockets += 1 } catch { /* closed meanwhile */ }
  }
  return { handles: names.length, sockets }
}

interface Answer { readonly id?: number; readonly result?: { readonly usedSize?: number } }

/** A connection to the inspector that `stderr` announces; null when there is none. */
async function inspector(stderr: string): Promise<{ ask(method: string): Promise<Answer['result']>; close(): void } | null> {
  const url = /ws:\/\/127\.0\.0\.1:\d+\/\S+/.exec(stderr)?.[0]
  if (url === undefined) return null
  const socket = new WebSocket(url)
  const waiting = new Map<number, (answer: Answer['result']) => void>()
  let calls = 0
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as Answer
    if (id === undefined) return
    waiting.get(id)?.(result)
    waiting.delete(id)
  })
  socket.addEventListener('close', () => { for (const settle of waiting.values()) settle(undefined) })
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => { resolve() }, { once: true })
    socket.addEventListener('error', () => { reject(new Error('the inspector does not answer')) }, { once: true })
  })
  return {
    ask: (method) => new Promise((resolve) => {
      calls += 1
      waiting.set(calls, resolve)
      socket.send(JSON.stringify({ id: calls, method }))
    }),
    close: () => { socket.close() },
  }
}

export async function openGauge(host: { readonly pid: number; stderr(): string }): Promise<Gauge> {
  const line = await inspector(host.stderr())
  return {
    async read() {
      await line?.ask('HeapProfiler.collectGarbage')
      const heap = (await line?.ask('Runtime.getHeapUsage'))?.usedSize ?? null
      return { at: Date.now(), rss: residentBytes(host.pid), heap, ...(openHandles(host.pid) ?? { handles: null, sockets: null }) }
    },
    close: () => { line?.close() },
  }
}
