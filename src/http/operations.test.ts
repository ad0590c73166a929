import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { api, errorReply, type OperationName } from '../contract/api.ts'
import type { Group } from '../contract/group.ts'
import { createDesk, serve, type Ask, type Desk, type Got } from './testing/desk.ts'

let desk: Desk
let web: Awaited<ReturnType<typeof serve>>
let daily: Group

type Case = Ask & { readonly params?: Readonly<Record<string, string>>; readonly query?: string }
const route = { provider: 'p', model: 'm' }
const entry = (model: string, more: object = {}) => ({ provider: 'p', model, priority: 1, ...more })
const config = (more: object = {}) => ({ format: 'model-failover-config', version: 1, groups: [], ...more })

beforeEach(async () => {
  desk = createDesk()
  web = await serve(desk)
  daily = await desk.groups.create({ name: 'Daily', models: [{ ...route, priority: 3 }] })
})
afterEach(() => web.close())

/** A legal call of every operation. */
const happy = (): Record<OperationName, Case> => ({
  status: {}, models: {}, settings: { body: { drill: true, metricsSort: null } },
  groups: {}, createGroup: { body: { name: 'New', models: [entry('m', { windows: '', until: null, effort: '', disabled: null })] } },
  updateGroup: { body: { id: daily.id, rev: daily.rev, name: 'Renamed' } }, deleteGroup: { params: { id: daily.id } },
  modelDisabled: { body: { ...route, disabled: true } }, reorder: { body: { groupId: daily.id, order: [route] } },
  sessionGroup: { query: '?sessionId=s' }, bindSession: { body: { sessionId: 's', groupId: daily.id, mode: 'route' } },
  defaultGroup: {}, setDefaultGroup: { body: { groupId: daily.id, mode: 'failover' } },
  sessionInfo: { query: '?sessionId=s' }, sessionModel: { body: { sessionId: 'sub1', ...route } }, consent: { body: { sessionId: 's', ...route, once: true } },
  sendHome: { body: {} }, markFailed: { body: route }, resetFailed: { body: {} }, concurrency: { body: { ...route, concurrency: 3 } },
  metrics: { query: '?since=2025-03-01&until=nonsense' }, metricsExport: { query: '?since=2025-03-01' },
  speedtest: {}, startSpeedtest: { body: { models: [route] } }, cancelSpeedtest: {}, explain: { body: { code: 'QUOTA', message: null, sessionId: 's', groupId: daily.id } },
  decisions: { query: '?sessionId=s' }, dryRun: { body: { groupId: daily.id } }, preview: { body: { groupId: daily.id } },
  exportConfig: {}, importConfig: { query: '?dryRun=1', body: config() }, debugSessions: {}, debugStatusLog: { query: '?sessionId=&limit=' },
})

describe.each(Object.keys(api) as OperationName[])('%s', (name) => {
  it('answers a legal call in the shape of the table', async () => {
    const got = await web.call(name, happy()[name])
    expect(got.status, got.text).toBe(200)
    if (!('lines' in api[name])) api[name].reply.parse(got.json)
    expect(got.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    expect(got.headers['content-type']).toMatch('lines' in api[name] ? /ndjson; charset=utf-8$/ : /^application\/json; charset=utf-8$/)
    expect(desk.lines).toEqual([])
  })

  const method = api[name].method
  if (method === 'POST' || method === 'PUT') {
    it('names an unknown field and what is known, and changes nothing', async () => {
      const before = desk.state()
      const got = await web.call(name, { ...happy()[name], body: { ...happy()[name].body as object, surprise: [1] } })
      refused(got, 400, 'surprise')
      expect(detailsOf(got)[0]).toMatchObject({ message: 'unknown field', received: 'list' })
      expect(desk.state()).toBe(before)
    })

    it.each<[string, Ask, number]>([
      ['a text', { body: 'x' }, 400], ['a list', { body: [] }, 400], ['null', { raw: 'null' }, 400], ['broken', { raw: '{"a":1,}' }, 400], ['not UTF-8', { raw: Buffer.from([0x22, 0xff, 0x22]) }, 400],
      ['of another type', { raw: '{}', headers: { 'content-type': 'text/plain' } }, 415], ['a form', { raw: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
      ['in another charset', { raw: '{}', headers: { 'content-type': 'application/json; charset=latin1' } }, 415], ['compressed', { raw: '{}', headers: { 'content-encoding': 'gzip' } }, 415],
      ['with a polluting key', { raw: '{"__proto__":{"polluted":1}}' }, 400],
    ])('refuses a body that is %s and changes nothing', async (_what, options, status) => {
      const before = desk.state()
      refused(await web.call(name, { ...(happy()[name].query === undefined ? {} : { query: happy()[name].query! }), ...options }), status)
      expect(desk.state()).toBe(before)
      expect(({} as { polluted?: number }).polluted).toBeUndefined()
    })
  }

  it('answers a wrong method with those it takes', async () => {
    const got = await web.call(name, { ...happy()[name], method: 'PATCH' })
    refused(got, 405)
    expect(String(got.headers.allow).split(', ')).toContain(method)
  })
})

function refused(got: Got, status: number, path?: string): void {
  expect(got.status, got.text).toBe(status)
  const { error } = errorReply.parse(got.json)
  expect(error.code).toMatch(/^[A-Z][A-Z_]+$/)
  expect(error.message).not.toBe('')
  if (path !== undefined) expect(detailsOf(got).map((detail) => detail.path)).toContain(path)
}

function detailsOf(got: Got): { path: string; message: string; received: string; allowed: string | null }[] {
  return (got.json as { error: { details: { path: string; message: string; received: string; allowed: string | null }[] } }).error.details
}

describe('every bad input is named and changes nothing', () => {
  const models = (...list: unknown[]) => ({ name: 'x', models: list })
  it.each<[OperationName, object | (() => object), string, string?]>([
    ['createGroup', {}, 'name'], ['createGroup', { name: '' }, 'name'], ['createGroup', { name: '   ' }, 'name'], ['createGroup', { name: 'x'.repeat(81) }, 'name', '1–80'], ['createGroup', { name: 7 }, 'name', 'a text'],
    ['createGroup', { name: 'daily ' }, 'name'], ['createGroup', { name: 'x', enabled: 'yes' }, 'enabled', 'true or false'],
    ['createGroup', models(entry('m'), entry('n'), entry('m')), 'models[2]'],
    ['createGroup', models(entry('m', { priority: 0 })), 'models[0].priority', '1–999'], ['createGroup', models(entry('m', { priority: 1000 })), 'models[0].priority', '1–999'],
    ['createGroup', models(entry('m', { priority: 1.5 })), 'models[0].priority', 'whole number'], ['createGroup', models(entry('m', { priority: '1' })), 'models[0].priority', '1–999'], ['createGroup', models({ provider: 'p', model: 'm' }), 'models[0].priority'],
    ['createGroup', models(entry('m', { windows: [{ from: 24, to: 1 }] })), 'models[0].windows[0].from', '0–23'], ['createGroup', models(entry('m', { windows: [{ from: 1, to: 2 }, { from: -1, to: 1 }] })), 'models[0].windows[1].from', '0–23'],
    ['createGroup', models(entry('m', { windows: [{ from: 5 }] })), 'models[0].windows[0].to', '0–23'], ['createGroup', models(entry('m', { windows: [{ to: 5 }] })), 'models[0].windows[0].from'], ['createGroup', models(entry('m', { windows: [{ from: 1.5, to: 2 }] })), 'models[0].windows[0].from'],
    ['createGroup', models(entry('m', { windows: [{ from: 1, to: 2, x: 3 }] })), 'models[0].windows[0].x'], ['createGroup', models(entry('m', { windows: 'noon' })), 'models[0].windows'],
    ['createGroup', models(entry('m', { until: '2025-02-30' })), 'models[0].until'], ['createGroup', models(entry('m', { until: '2025-1-1' })), 'models[0].until'], ['createGroup', models(entry('m', { until: 20251231 })), 'models[0].until'],
    ['createGroup', models(entry('m', { colour: 1 })), 'models[0].colour', 'provider'], ['createGroup', models(entry('')), 'models[0].model'], ['createGroup', models(entry(' m')), 'models[0].model'], ['createGroup', models({ provider: 'p\n', model: 'm', priority: 1 }), 'models[0].provider'],
    ['createGroup', models('p/m'), 'models[0]', 'an object'], ['createGroup', { name: 'x', models: {} }, 'models', 'a list'],
    ['updateGroup', () => ({ id: daily.id }), 'rev'], ['updateGroup', () => ({ id: daily.id, rev: 0 }), 'rev'], ['updateGroup', { rev: 1 }, 'id'], ['updateGroup', () => ({ id: daily.id, rev: 1, name: '' }), 'name'],
    ['modelDisabled', { ...route }, 'disabled'], ['modelDisabled', { ...route, disabled: 1 }, 'disabled'], ['modelDisabled', { provider: 'p', disabled: true }, 'model'],
    ['reorder', () => ({ groupId: daily.id, start: 0, order: [] }), 'start', '1–999'], ['reorder', () => ({ groupId: daily.id, start: 1.5, order: [] }), 'start'], ['reorder', () => ({ groupId: daily.id }), 'order'], ['reorder', () => ({ groupId: daily.id, order: [{ provider: 'p' }] }), 'order[0].model'],
    ['bindSession', { groupId: null }, 'sessionId'], ['bindSession', { sessionId: 's' }, 'groupId'], ['bindSession', () => ({ sessionId: 's', groupId: daily.id, mode: 'both' }), 'mode', 'one of "route", "failover"'], ['bindSession', () => ({ sessionId: 's', groupId: daily.id, pin: 'no' }), 'pin'], ['bindSession', { sessionId: 'x'.repeat(201), groupId: null }, 'sessionId'],
    ['setDefaultGroup', { groupId: 7 }, 'groupId'], ['setDefaultGroup', () => ({ groupId: daily.id, mode: null }), 'mode'],
    ['sessionModel', { sessionId: 's', provider: 'p' }, 'model'], ['sessionModel', { sessionId: 's', ...route, effort: '' }, 'effort'], ['consent', { sessionId: 's', ...route }, 'once'],
    ['markFailed', { provider: 'p' }, 'model'], ['resetFailed', { provider: 'p' }, 'body'],
    ['concurrency', { ...route }, 'concurrency'], ['concurrency', { ...route, concurrency: -1 }, 'concurrency', '0–1000'], ['concurrency', { ...route, concurrency: 1.5 }, 'concurrency', 'whole number'], ['concurrency', { ...route, concurrency: '3' }, 'concurrency'], ['concurrency', { ...route, concurrency: 1001 }, 'concurrency'],
    ['settings', { dialogMode: 'yes' }, 'dialogMode', 'true or false or null'], ['settings', { metricsSort: { column: 'moon', direction: 'asc' } }, 'metricsSort.column', '"ttft"'], ['settings', { patience: 'none' }, 'patience', '"exhaust"'], ['settings', { defaultConcurrency: -1 }, 'defaultConcurrency', '0–1000'],
    ['startSpeedtest', {}, 'body'], ['startSpeedtest', () => ({ groupId: daily.id, models: [route] }), 'body'], ['startSpeedtest', { models: [] }, 'models'], ['startSpeedtest', { models: [route], timeoutMs: 4999 }, 'timeoutMs', '5000–120000'], ['startSpeedtest', { models: [route], parallel: 7 }, 'parallel', '1–6'],
    ['explain', { status: 'x' }, 'status'], ['explain', { headers: { a: 1 } }, 'headers.a'], ['preview', {}, 'groupId'],
    ['importConfig', { ...config(), format: 'x' }, 'format'], ['importConfig', { ...config(), version: 2 }, 'version'], ['importConfig', config({ groups: [{ name: 'a' }] }), 'groups[0].models'], ['importConfig', config({ limits: { 'p/m': 0 } }), 'limits.p/m', '1–1000'],
    ['importConfig', config({ groups: [{ name: 'a', models: [] }, { name: 'A', models: [] }] }), 'groups[1].name'],
  ])('%s %#', async (name, body, path, allowed) => {
    const before = desk.state()
    const got = await web.call(name, { body: typeof body === 'function' ? (body as () => object)() : body })
    refused(got, 400, path)
    const detail = detailsOf(got).find((one) => one.path === path)
    expect(detail?.received).not.toBe('')
    if (allowed !== undefined) expect(`${detail?.message} ${detail?.allowed}`).toContain(allowed)
    expect(desk.state()).toBe(before)
  })

  it.each<[OperationName, string, string]>([
    ['sessionGroup', '', 'sessionId'], ['sessionInfo', '?sessionId=', 'sessionId'], ['decisions', `?sessionId=${'x'.repeat(201)}`, 'sessionId'], ['debugStatusLog', '?limit=0', 'limit'], ['debugStatusLog', '?limit=201', 'limit'], ['debugStatusLog', '?limit=1.5', 'limit'], ['debugStatusLog', '?limit=all', 'limit'],
  ])('%s%s', async (name, query, path) => {
    const got = await web.call(name, { query })
    refused(got, 400, path)
    if (name === 'debugStatusLog') expect(detailsOf(got)[0]?.message).toBe('must be a whole number, 1–200')
  })

  it('importConfig?dryRun=maybe', async () => {
    refused(await web.call('importConfig', { query: '?dryRun=maybe', body: config() }), 400, 'dryRun')
    // A dry run that is misspelt must not be a real one.
    for (const query of ['?dryrun=1', '?dry-run=1', '?dryRun=1&x=2']) refused(await web.call('importConfig', { query, body: config() }), 400)
  })
})

describe('what does not exist is 404 and changes nothing', () => {
  it.each<[OperationName, object | undefined, string?]>([
    ['updateGroup', { id: 'x', rev: 1 }], ['reorder', { groupId: 'x', order: [] }], ['bindSession', { sessionId: 's', groupId: 'x' }], ['bindSession', { sessionId: 'nobody', groupId: null }], ['setDefaultGroup', { groupId: 'x' }],
    ['modelDisabled', { provider: 'p', model: 'nobody', disabled: true }], ['sessionModel', { sessionId: 'nobody', ...route }], ['consent', { sessionId: 'nobody', ...route, once: true }], ['consent', { sessionId: 's', provider: 'p', model: 'nobody', once: true }],
    ['sendHome', { sessionId: 'nobody' }], ['startSpeedtest', { groupId: 'x' }], ['explain', { sessionId: 'nobody' }], ['explain', { groupId: 'x' }], ['dryRun', { groupId: 'x' }], ['preview', { groupId: 'x' }],
    ['sessionGroup', undefined, '?sessionId=nobody'], ['sessionInfo', undefined, '?sessionId=nobody'], ['decisions', undefined, '?sessionId=nobody'],
  ])('%s %#', async (name, body, query) => {
    const before = desk.state()
    refused(await web.call(name, { ...(body ? { body } : {}), ...(query === undefined ? {} : { query }) }), 404)
    expect(desk.state()).toBe(before)
  })

  it('deleteGroup', async () => {
    refused(await web.call('deleteGroup', { params: { id: 'g-00000000' } }), 404)
    refused(await web.call('deleteGroup', { params: { id: 'model-disabled' } }), 404)
  })
})

describe('a clash is 409', () => {
  it('a stale rev, with the group as it is', async () => {
    await desk.groups.update({ id: daily.id, rev: 1, enabled: false })
    const got = await web.call('updateGroup', { body: { id: daily.id, rev: 1, name: 'Late' } })
    refused(got, 409)
    expect(got.json).toMatchObject({ error: { code: 'STALE_REV', details: { group: { id: daily.id, rev: 2, name: 'Daily', enabled: false } } } })
  })

  it('a second speed test', async () => {
    await web.call('startSpeedtest', { body: { groupId: daily.id } })
    refused(await web.call('startSpeedtest', { body: { models: [route] } }), 409)
    expect(desk.calls).toEqual(['speedtest 45000 2'])
  })
})

it('a disk that refuses is 503, with the state unchanged', async () => {
  for (const document of Object.values(desk.documents)) document.failing = true
  const before = desk.state()
  for (const name of ['settings', 'createGroup', 'updateGroup', 'deleteGroup', 'modelDisabled', 'reorder', 'bindSession', 'setDefaultGroup', 'concurrency'] as const) {
    const got = await web.call(name, happy()[name])
    refused(got, 503)
    expect(got.json).toMatchObject({ error: { code: 'STORE_UNAVAILABLE' } })
  }
  refused(await web.call('importConfig', { body: config({ settings: { drill: true } }) }), 503)
  expect(desk.state()).toBe(before)
})

it('a fault of ours is 500, logged, and tells nothing of the inside', async () => {
  Object.assign(desk.services, { models: () => { throw new Error('inner secret') } })
  const got = await web.call('models')
  refused(got, 500)
  expect(got.text).not.toContain('secret')
  expect(desk.lines.join('\n')).toMatch(/GET .*\/models Error: inner secret/)
})

describe('what operations do', () => {
  it('a group goes through its life', async () => {
    const { group } = (await web.call('createGroup', { body: { name: 'Night', enabled: false } })).json as { group: Group }
    expect(group).toMatchObject({ rev: 1, name: 'Night', enabled: false, models: [] })
    const put = await web.call('updateGroup', { body: { id: group.id, rev: 1, models: [entry('a', { priority: 5 }), entry('b', { priority: 6 })] } })
    expect(put.json).toMatchObject({ group: { rev: 2, models: [{ model: 'a' }, { model: 'b' }] } })
    const order = await web.call('reorder', { body: { groupId: group.id, start: 10, order: [{ provider: 'p', model: 'b' }, { provider: 'p', model: 'x' }] } })
    expect(order.json).toMatchObject({ group: { models: [{ model: 'a', priority: 5 }, { model: 'b', priority: 10 }] } })
    await web.call('bindSession', { body: { sessionId: 's', groupId: group.id } })
    expect((await web.call('defaultGroup')).json).toEqual({ defaultBinding: { groupId: group.id, mode: 'failover' } })
    expect((await web.call('deleteGroup', { params: { id: group.id } })).json).toEqual({ groups: [daily] })
    expect((await web.call('sessionGroup', { query: '?sessionId=s' })).json).toEqual({ binding: null })
    expect((await web.call('defaultGroup')).json).toEqual({ defaultBinding: null })
  })

  it('marks and restores a route, or the whole day with no body at all', async () => {
    expect((await web.call('markFailed', { body: route })).json).toMatchObject({ failed: [{ ...route, code: 'MANUAL', manual: true }] })
    expect((await web.call('resetFailed', { body: route })).json).toEqual({ failed: [] })
    await web.call('markFailed', { body: route })
    expect((await web.call('resetFailed')).json).toEqual({ failed: [] })
  })

  it('sets and clears limits', async () => {
    expect((await web.call('concurrency', { body: { ...route, concurrency: 2 } })).json).toEqual({ limits: { 'p/m': 2 } })
    for (const concurrency of [0, '', null]) expect((await web.call('concurrency', { body: { ...route, concurrency } })).json).toEqual({ limits: {} })
  })

  it('imports what it exported; a dry run, however it is written, only shows', async () => {
    const document = (await web.call('exportConfig')).json as Record<string, unknown>
    expect((await web.call('importConfig', { body: document })).json).toEqual({ diff: [], applied: true })
    const before = desk.state()
    for (const query of ['?dryRun', '?dryRun=', '?dryRun=1', '?dryRun=true']) expect((await web.call('importConfig', { query, body: { ...document, groups: [] } })).json).toMatchObject({ applied: false, diff: [{ op: 'remove', path: 'groups/Daily' }] })
    expect(desk.state()).toBe(before)
    for (const query of ['?dryRun=0', '?dryRun=false', '']) expect((await web.call('importConfig', { query, body: document })).json).toMatchObject({ applied: true })
  })

  it('exports lines, and ignores a day that is none', async () => {
    expect((await web.call('metricsExport', { query: '?since=2025-02-30' })).text).toBe('{"since":null}\n{"n":2}\n')
    expect((await web.call('metrics', { query: '?since=2025-03-01&until=yesterday' })).json).toMatchObject({ since: '2025-03-01', until: null })
  })
})
