/** A real server on a free loopback port in front of the real owners of groups, bindings, settings and limits; the rest answers by rote. */
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ManualTime } from '../../../tests/support/manual-time.ts'
import { MemoryDocument, steadyRandom } from '../../../tests/support/memory-document.ts'
import { api, API_PREFIX, type OperationName } from '../../contract/api.ts'
import { readConfig } from '../../contract/config.ts'
import type { BindingsDocument, ConcurrencyDocument, DefaultBindingDocument, GroupsDocument } from '../../contract/group.ts'
import type { Mark } from '../../contract/health.ts'
import { Refusal, unknownEntry } from '../../contract/refusal.ts'
import { sameRoute, type Route } from '../../contract/route.ts'
import type { SettingsDocument } from '../../contract/settings.ts'
import { createBindings } from '../../services/bindings.ts'
import { createGroups } from '../../services/groups.ts'
import { createJournal } from '../../services/journal.ts'
import { createLimits } from '../../services/limits.ts'
import { createSettings } from '../../services/settings.ts'
import { createTransfer } from '../../services/transfer.ts'
import type { Log } from '../../ports.ts'
import { mountApi } from '../mount.ts'
import type { HostCheck } from '../fence.ts'
import type { Services } from '../services.ts'
import { idleSpeedtest, plainInfo, plainStatus } from './rote.ts'

export interface Got { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string; readonly json: unknown }
export interface Ask { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown; readonly raw?: string | Buffer; readonly setHost?: boolean }

export function createDesk() {
  const time = new ManualTime()
  const lines: string[] = []
  const log: Log = { info: () => undefined, warn: () => undefined, error: (format, ...facts) => { lines.push([format, ...facts.map(String)].join(' ')) } }
  const documents = {
    groups: new MemoryDocument<GroupsDocument>({ version: 1, groups: [] }),
    bindings: new MemoryDocument<BindingsDocument>({ version: 1, sessions: {} }),
    defaultBinding: new MemoryDocument<DefaultBindingDocument>({ version: 1, binding: null }),
    limits: new MemoryDocument<ConcurrencyDocument>({ version: 1, limits: {} }),
    settings: new MemoryDocument<SettingsDocument>({ version: 1, settings: {} }),
  }
  const groups = createGroups({ document: documents.groups, random: steadyRandom() })
  const bindings = createBindings({ document: documents.bindings, defaultDocument: documents.defaultBinding, groups, time, isSubagent: (id) => id.startsWith('sub'), groupsKnown: true })
  const limits = createLimits({ document: documents.limits })
  const settings = createSettings({ document: documents.settings, config: readConfig({}).config, configured: new Set() })
  const journal = createJournal({ time, redact: (text) => text })
  let marks: readonly Mark[] = []
  let speedtest = idleSpeedtest
  const calls: string[] = []
  const services: Services = {
    status: () => plainStatus(time.now(), { groups: groups.list(), settings: settings.current(), bindings: bindings.all(), defaultBinding: bindings.defaultBinding(), failureLog: journal.failures() }),
    models: () => ({ providers: [{ id: 'p', name: 'P', models: [{ id: 'm', name: 'M', efforts: [] }] }], failures: [] }),
    groups, bindings, settings, limits, journal,
    transfer: createTransfer({ groups, bindings, limits, settings, time }),
    sessions: {
      known: (id) => id === 's' || id.startsWith('sub'),
      info: plainInfo,
      choose: (id, route) => { calls.push(`choose ${id} ${JSON.stringify(route)}`); return plainInfo(id) },
      consent: (id, route, once) => {
        if (!groups.list().some(({ models }) => models.some((entry) => sameRoute(entry, route)))) throw unknownEntry(route)
        calls.push(`consent ${id} ${once}`)
        return plainInfo(id)
      },
      sendHome: (id) => ({ returned: id === undefined ? ['all'] : [id], failed: [] }),
      debug: () => [{ id: 's' }],
    },
    health: {
      markManual: (route) => { marks = [...marks.filter((mark) => !sameRoute(mark, route)), { ...route, class: null, code: 'MANUAL', reason: null, count: 1, at: time.now(), manual: true }] },
      restore: (route: Route | null) => { marks = route ? marks.filter((mark) => !sameRoute(mark, route)) : [] },
      failed: () => marks.map((mark) => ({ ...mark, clears: 'day' as const, until: time.now() })),
    },
    metrics: {
      query: ({ since, until }) => ({ since, until, rows: [], series: [], unit: 'day' }),
      * exportLines({ since }) { yield `{"since":${JSON.stringify(since)}}\n`; yield '{"n":2}\n' },
    },
    speedtest: {
      snapshot: () => speedtest,
      start: (input) => {
        if (speedtest.running) throw new Refusal('conflict', 'SPEEDTEST_RUNNING', 'a speed test is running')
        calls.push(`speedtest ${input.timeoutMs} ${input.parallel}`)
        speedtest = { ...idleSpeedtest, running: true }
        return speedtest
      },
      cancel: () => { speedtest = idleSpeedtest; return speedtest },
    },
    explain: {
      explain: () => ({ class: 'quota', scope: 'route', hold: null, until: null, mark: true, breakerWeight: 0, structural: 0, rule: 'x', takeOver: 'at-once' }),
      replay: () => ({ replays: [] }),
      preview: () => [],
    },
  }
  return { time, lines, documents, groups, bindings, settings, limits, services, calls, log, state: () => JSON.stringify([Object.values(documents).map(({ value }) => value), marks, speedtest, calls]) }
}

export type Desk = ReturnType<typeof createDesk>

/** Serves the desk like the host does: one handler below the prefix. */
export async function serve(desk: Desk, options: { readonly trustedHosts?: readonly string[]; readonly hostCheck?: HostCheck } = {}) {
  let handler: Parameters<Parameters<typeof mountApi>[0]['register']>[0]['handler'] | null = null
  const unmount = mountApi({ register: (route) => { handler = route.handler; return () => { handler = null } } }, {
    services: desk.services, time: desk.time, log: desk.log, trustedHosts: () => options.trustedHosts ?? [], hostCheck: () => options.hostCheck,
  })
  const server: Server = createServer((request, response) => {
    if (handler) void handler(request, response)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  const { port } = server.address() as AddressInfo
  return {
    port,
    unmount,
    ask: (path: string, options: Ask = {}) => ask(port, `${API_PREFIX}${path}`, options),
    /** Calls an operation of the table. */
    call: (name: OperationName, { params = {}, query = '', ...options }: Ask & { readonly params?: Readonly<Record<string, string>>; readonly query?: string } = {}) => (
      ask(port, `${API_PREFIX}${api[name].path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''))}${query}`, { method: api[name].method, ...options })
    ),
    close: async () => {
      await unmount()
      server.closeAllConnections()
      await new Promise<void>((resolve) => { server.close(() => { resolve() }) })
    },
  }
}

export function ask(port: number, path: string, { method = 'GET', headers = {}, body, raw, setHost = true }: Ask): Promise<Got> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      port, host: '127.0.0.1', path, method, setHost, agent: false,
      headers: { ...(payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }), ...headers },
    }, (response) => {
      const parts: Buffer[] = []
      response.on('error', reject).on('data', (part: Buffer) => parts.push(part)).on('end', () => {
        const text = Buffer.concat(parts).toString('utf8')
        let json: unknown
        try { json = JSON.parse(text) } catch { json = undefined /* not every reply is JSON */ }
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json })
      })
    })
    request.on('error', reject)
    request.end(payload)
  })
}
