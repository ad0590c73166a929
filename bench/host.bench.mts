/** Rows 4 and 11: the request listener on the real framework, and the reply the page polls, with 50 groups of 200 models. */
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Context } from '@deepseek-ai/cordis'
import { openStage, type EntryInput, type Root, type Stage } from '../tests/support/stage/index.ts'
import { cpuMs, interleave, typical, type BenchRow } from './row.ts'

const GROUPS = 50
const MODELS = 200

const model = (group: number, n: number): string => `provider-${group % 10}/model-${group}-${n}`

/** Every entry a route of its own; a third with hours, some with a last day. */
function groups(): Record<string, readonly EntryInput[]> {
  return Object.fromEntries(Array.from({ length: GROUPS }, (_, group) => [`g${group}`, Array.from({ length: MODELS }, (_unused, n): EntryInput => ({
    route: model(group, n), priority: 1 + (n >> 1),
    ...(n % 3 === 1 ? { windows: [{ from: 9, to: 17 }, { from: 22, to: 6 }] } : {}), ...(n % 5 === 2 ? { until: '2035-12-31' } : {}),
  }))]))
}

async function stageWith(failed: number): Promise<Stage> {
  const routes = Object.fromEntries(Array.from({ length: MODELS }, (_, n) => [model(0, n), {}]))
  const stage = await openStage({ groups: groups(), routes: { 'alpha/a-1': {}, ...routes }, defaultBinding: { groupId: 'g0', mode: 'failover' } })
  for (let n = 0; n < failed; n++) {
    const [provider, name] = model(n % GROUPS, MODELS - 1 - Math.floor(n / GROUPS)).split('/')
    await stage.api('/failed/mark', { provider, model: name })
  }
  return stage
}

let turns = 0
/** ns per `agent/request`, four steps to a turn. */
async function requests(root: Root, agent: unknown, times: number): Promise<number> {
  const config = { provider: 'provider-0', model: 'model-0-0' }
  const { signal } = new AbortController()
  const next = (): Promise<typeof config> => Promise.resolve(config)
  const batch = async (): Promise<void> => {
    for (let n = 0; n < 100; n++) await root.waterfall('agent/request', { agent, turn: turns + (n >> 2), step: n & 3, signal }, next)
    turns += 25
  }
  return (await typical(times, batch) * 1e6) / 100
}

/**
 * Milliseconds of this thread per GET /status, asked by another process: with the whole reply, and with a matching ETag; beside
 * it, a bare server that sends the same text.
 */
async function polled(stage: Stage): Promise<{ whole: number; unchanged: number; floor: number }> {
  const own = await addressOf(stage)
  const text = await (await fetch(own)).text()
  const bare = createServer((_request, response) => { response.writeHead(200, { 'content-length': String(Buffer.byteLength(text)) }).end(text) })
  await new Promise<void>((resolve) => { bare.listen(0, '127.0.0.1', resolve) })
  const plain = `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`
  const ask = async (url: string, times: number, matching: boolean): Promise<number> => {
    const script = `const url = ${JSON.stringify(url)}
      const { headers } = await fetch(url)
      for (let n = 0; n < ${times}; n++) await (await fetch(url, ${matching ? "{ headers: { 'if-none-match': headers.get('etag') } }" : '{}'})).arrayBuffer()`
    const start = cpuMs()
    await new Promise<void>((resolve, reject) => {
      execFile(process.execPath, ['--input-type=module', '-e', script], (error) => { if (error) reject(error); else resolve() })
    })
    return cpuMs() - start
  }
  const { none, whole, unchanged, floor } = await interleave(7, {
    none: () => ask(own, 0, false), whole: () => ask(own, 40, false), unchanged: () => ask(own, 40, true), floor: () => ask(plain, 40, false),
  })
  bare.close()
  bare.closeAllConnections()
  return { whole: (whole - none) / 40, unchanged: (unchanged - none) / 40, floor: (floor - none) / 40 }
}

/** Where the stage's interface listens, as its own client sees it. */
async function addressOf(stage: Stage): Promise<string> {
  const { fetch } = globalThis
  let seen = ''
  globalThis.fetch = (input, init) => {
    seen = input instanceof Request ? input.url : String(input)
    return fetch(input, init)
  }
  // Twice, because the first may meet a connection that the server has just given up.
  try { await stage.api('/status').catch(() => stage.api('/status')) } finally { globalThis.fetch = fetch }
  return seen
}

export async function hostRows(quick: boolean): Promise<BenchRow[]> {
  const stage = await stageWith(quick ? 200 : 1000)
  const few = await stageWith(0)
  const plain = new Context() as unknown as Root
  plain.on('agent/request', (async (_payload: unknown, next: () => Promise<unknown>) => {
    const base = await next()
    return base
  }))
  const agents = { ours: await stage.session({ model: model(0, 0) }), few: await few.session({ model: model(0, 0) }) }
  const count = quick ? 60 : 200
  const four = await interleave(quick ? 9 : 15, {
    ours: () => requests(stage.root, agents.ours, count),
    few: () => requests(few.root, agents.few, count),
    floor: () => requests(plain, agents.ours, count),
  })
  const eleven = await polled(stage)
  await stage.close()
  await few.close()
  const met = four.ours <= 1.1 * four.floor && four.few <= 1.1 * four.floor
  return [
    { id: 4, work: `agent/request listener, many routes held (none: ${four.few.toFixed(0)} ns)`, ours: four.ours, floor: four.floor, naive: null, unit: 'ns', target: '≤ 1.1 × floor', met },
    { id: 11, work: `GET /status, ${GROUPS} × ${MODELS} entries (unchanged: ${eleven.unchanged.toFixed(1)} ms)`, ours: eleven.whole, floor: eleven.floor, naive: null, unit: 'ms', target: '≤ 5 ms', met: eleven.whole <= 5 },
  ]
}
