// Nothing that goes wrong inside the plugin stops the host from booting, a request from being sent, or the host from exiting.
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { addEar, type Ear } from '../../dev/ear.mts'
import type { Home } from '../../dev/home.mts'
import { CONFIG_KEYS } from '../../src/contract/config.ts'
import { FILES } from '../../src/store/layout.ts'
import { smallDisk, type SmallDisk } from '../support/disks.ts'
import { sabotage, type Sabotage } from '../support/saboteur.ts'
import { makeGroup, openWorld, type World, type WorldOptions } from '../support/world.ts'

let world: World | null = null
let disk: SmallDisk | null = null
let ear: Ear

afterEach(async () => {
  await world?.close()
  disk?.remove()
  world = null
  disk = null
})

async function open(options: WorldOptions = {}): Promise<World> {
  world = await openWorld({
    ...options,
    prepare: (home) => {
      options.prepare?.(home)
      ear = addEar(home)
    },
  })
  return world
}

interface Status {
  readonly enabled: boolean
  readonly configErrors: readonly { readonly key: string; readonly value: string; readonly message: string; readonly nearest: string | null }[]
  readonly storeProblems: readonly { readonly file: string; readonly problem: string }[]
  readonly groups: readonly { readonly id: string; readonly name: string; readonly rev: number }[]
  readonly failed: readonly { readonly model: string }[]
}
const status = async ({ host }: World): Promise<Status> => (await host.api('/status')).body as Status

/** A request that works passes, and the host ends on request within two seconds. */
async function stillWorks({ host }: World): Promise<void> {
  const turn = await host.turn(await host.createSession(), 'good morning')
  expect(turn).toMatchObject({ end: 'completed', text: 'Here is alpha/a-1. You wrote: good morning' })
}

async function endsAtOnce({ host }: World): Promise<void> {
  const started = Date.now()
  expect(await host.stop()).toBe(0)
  expect(Date.now() - started).toBeLessThan(2000)
  expect(host.stderr()).toBe('')
}

const dataOf = (home: Pick<Home, 'path'>): string => join(home.path, 'model-failover')

describe('a row that is wrong', () => {
  it.each<[string, unknown, readonly Partial<Status['configErrors'][number]>[]]>([
    ['a value out of range', { failResetHour: 24 }, [{ key: 'failResetHour', value: '24', message: 'a whole number, 0–23' }]],
    ['a misspelt key', { failRestHour: 8, enabled: true }, [{ key: 'failRestHour', value: '8', nearest: 'failResetHour' }]],
    ['two keys that do not fit together', { endpoint_suspect_threshold: 5 }, [{ key: 'endpoint_quarantine_threshold', value: '4' }]],
    ['a list', ['enabled'], [{ key: '', message: 'the config must be a map of keys' }]],
    ['a text', 'enabled: true', [{ key: '' }]],
    ['wrong in every key', Object.fromEntries(CONFIG_KEYS.map((key) => [key, { wrong: true }])), CONFIG_KEYS.map((key) => ({ key, value: '{"wrong":true}' }))],
  ])('%s: mounts inert, says key, value and range, and lets requests pass', async (_what, rowConfig, errors) => {
    const here = await open({ rowConfig })
    const found = await status(here)
    expect(found.enabled).toBe(false)
    expect(new Set(found.configErrors.map(({ key }) => key))).toEqual(new Set(errors.map(({ key }) => key)))
    for (const error of errors) expect(found.configErrors).toContainEqual(expect.objectContaining(error))
    for (const { key, value, message } of found.configErrors) {
      expect(message).toMatch(/\S/)
      expect(ear.ours('error').some((line) => line.includes(`${key} = ${value}`)), key).toBe(true)
    }
    await stillWorks(here)
    // Inert means that a failure stays what the host makes of it.
    here.upstream.set('alpha', 'a-1', '404')
    await here.host.api('/default-group', { body: { groupId: await makeGroup(here.host, 'G', ['alpha/a-1', 'beta/b-1']), mode: 'failover' } })
    const turn = await here.host.turn(await here.host.createSession(), 'hello')
    expect(turn.end).toBe('error')
    expect(turn.headers).toEqual(['alpha/a-1'])
    expect((await status(here)).failed).toEqual([])
    await endsAtOnce(here)
  })
})

/** Every data file and the samples, written by `text` before the first start. */
const everyFile = (text: (name: string) => string) => (home: Home): void => {
  mkdirSync(join(dataOf(home), 'metrics'), { recursive: true })
  for (const name of Object.values(FILES)) writeFileSync(join(dataOf(home), name), text(name))
  writeFileSync(join(dataOf(home), 'metrics', '2025-03-03.jsonl'), text('2025-03-03.jsonl'))
}

describe('data files that are wrong', () => {
  it('are set aside when they are broken, byte for byte, and everything works anew', async () => {
    const here = await open({ prepare: everyFile((name) => `{"version":1,"broken ${name}`) })
    const problems = (await status(here)).storeProblems
    for (const name of Object.values(FILES)) {
      expect(problems.some(({ file, problem }) => file === name && problem.includes('broken')), name).toBe(true)
      const kept = readdirSync(dataOf(here.home)).filter((entry) => entry.startsWith(`${name}.broken-`))
      expect(kept.map((entry) => readFileSync(join(dataOf(here.home), entry), 'utf8'))).toEqual([`{"version":1,"broken ${name}`])
    }
    await makeGroup(here.host, 'New', ['alpha/a-1', 'beta/b-1'])
    await stillWorks(here)
    await endsAtOnce(here)
  })

  it('stay untouched when a newer version wrote them: the plugin reads what it can and writes nothing', async () => {
    const newer = (name: string): string => JSON.stringify({ version: 99, ...(name === FILES.groups ? { groups: [{ id: 'g-1', name: 'Theirs', enabled: true, rev: 3, models: [{ provider: 'beta', model: 'b-1', priority: 1 }] }] } : {}), more: { name } })
    const here = await open({ prepare: everyFile(newer) })
    const found = await status(here)
    expect(found.groups).toMatchObject([{ id: 'g-1', name: 'Theirs' }])
    expect(found.storeProblems.filter(({ problem }) => problem.includes('version 99')).length).toBeGreaterThanOrEqual(Object.values(FILES).length)
    expect(await here.host.api('/groups', { body: { name: 'Mine' } })).toMatchObject({ status: 503, body: { error: { code: 'STORE_READ_ONLY' } } })
    here.upstream.set('alpha', 'a-1', '500')
    await here.host.turn(await here.host.createSession(), 'hello')
    here.upstream.clear()
    await here.host.api('/failed/reset', { body: {} })
    await stillWorks(here)
    await endsAtOnce(here)
    for (const name of Object.values(FILES)) expect(readFileSync(join(dataOf(here.home), name), 'utf8'), name).toBe(newer(name))
  })

  it('are left alone when they cannot be read', async () => {
    const here = await open({
      prepare: (home) => {
        mkdirSync(join(dataOf(home), FILES.groups), { recursive: true })
        mkdirSync(join(dataOf(home), 'metrics', '2025-03-03.jsonl'), { recursive: true })
        writeFileSync(join(dataOf(home), FILES.failed), '{}')
        chmodSync(join(dataOf(home), FILES.failed), 0)
      },
    })
    const { storeProblems } = await status(here)
    expect(storeProblems.some(({ file, problem }) => file === FILES.groups && problem.includes('EISDIR'))).toBe(true)
    expect(await here.host.api('/groups', { body: { name: 'Mine' } })).toMatchObject({ status: 503 })
    await stillWorks(here)
    await endsAtOnce(here)
  })
})

describe('a data folder that is none', () => {
  it('is only a file: edits are refused, yet a failing turn is saved from memory', async () => {
    const here = await open({
      rowConfig: { dataDir: '$DSH_HOME/occupied/data', fallbacks: [{ provider: 'beta', model: 'b-1' }] },
      prepare: (home) => { writeFileSync(join(home.path, 'occupied'), 'somebody else') },
    })
    expect((await status(here)).storeProblems[0]?.problem).toContain('ENOTDIR')
    expect(await here.host.api('/groups', { body: { name: 'Mine' } })).toMatchObject({ status: 503, body: { error: { code: 'STORE_UNAVAILABLE' } } })
    await stillWorks(here)
    here.upstream.set('alpha', 'a-1', '500')
    expect(await here.host.turn(await here.host.createSession(), 'hello')).toMatchObject({ end: 'completed', text: 'Here is beta/b-1. You wrote: hello' })
    await endsAtOnce(here)
    expect(readFileSync(join(here.home.path, 'occupied'), 'utf8')).toBe('somebody else')
  })
})

describe('a disk that fails', () => {
  it.for(['full', 'read-only'] as const)('is %s: edits are refused, turns are saved, and all is well when it recovers', async (kind, { skip }) => {
    disk = smallDisk()
    if (!disk) return skip('no disk may be mounted here')
    const here = await open({ rowConfig: { dataDir: `${disk.path}/data`, enableProbe: false } })
    const groupId = await makeGroup(here.host, 'Before', ['alpha/a-1', 'beta/b-1'])
    await here.host.api('/default-group', { body: { groupId, mode: 'failover' } })
    if (kind === 'full') disk.fill()
    else disk.lock(true)

    const before = await status(here)
    const refused = await here.host.api('/groups', { method: 'PUT', body: { id: groupId, rev: before.groups[0]?.rev, name: 'x'.repeat(80), models: Array.from({ length: 200 }, (_, n) => ({ provider: 'p', model: `m-${n}`, priority: 1 })) } })
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'STORE_UNAVAILABLE' } } })
    expect((await status(here)).groups).toEqual(before.groups)
    await stillWorks(here)
    here.upstream.set('alpha', 'a-1', '500')
    expect(await here.host.turn(await here.host.createSession(), 'hello')).toMatchObject({ end: 'completed', text: 'Here is beta/b-1. You wrote: hello' })
    expect((await status(here)).failed).toMatchObject([{ model: 'a-1' }])
    expect((await status(here)).storeProblems.some(({ problem }) => problem.includes(kind === 'full' ? 'ENOSPC' : 'EROFS'))).toBe(true)

    if (kind === 'full') disk.free()
    else disk.lock(false)
    expect(await here.host.api('/groups', { method: 'PUT', body: { id: groupId, rev: before.groups[0]?.rev, name: 'After' } })).toMatchObject({ status: 200 })
    await expect.poll(async () => (await status(here)).storeProblems, { timeout: 40_000, interval: 250 }).toEqual([])
    await here.host.kill()
    expect(readdirSync(`${disk.path}/data`).filter((name) => name.includes('.broken-'))).toEqual([])
    await here.restart()
    expect(await status(here)).toMatchObject({ groups: [{ name: 'After' }], failed: [{ model: 'a-1' }] })
    await endsAtOnce(here)
  })

  it('is full to the end: the host exits all the same', async ({ skip }) => {
    disk = smallDisk()
    if (!disk) return skip('no disk may be mounted here')
    const here = await open({ rowConfig: { dataDir: `${disk.path}/data` } })
    await here.host.api('/default-group', { body: { groupId: await makeGroup(here.host, 'Before', ['alpha/a-1', 'beta/b-1']), mode: 'failover' } })
    disk.fill()
    here.upstream.set('alpha', 'a-1', '500')
    expect(await here.host.turn(await here.host.createSession(), 'hello')).toMatchObject({ end: 'completed' })
    await endsAtOnce(here)
  })
})

describe('a service of the host that throws at us', () => {
  const TARGETS: Readonly<Record<string, Sabotage>> = {
    'the model registry': { methods: { llm: ['resolveModelInfo', 'listConfigurableProviders', 'listProviders', 'listModels'] } },
    'the list of agents': { methods: { agents: ['list', 'get'] } },
    'meter, goals, settings and skills': { methods: { tokenMeter: ['measure'], goals: ['get', 'resume'], settings: ['get'], skills: ['register'] } },
    'a listener of our events': { events: ['model-failover/failover', 'model-failover/circuit-opened', 'model-failover/endpoint-changed', 'model-failover/probe'] },
  }
  it.each(Object.entries(TARGETS))('%s: requests pass, a failing turn ends as it would without us or better, and the host lives', async (_name, plan) => {
    let deeds: () => readonly string[] = () => []
    const here = await open({ rowConfig: { modelCircuitThreshold: 1, enableProbe: false }, prepare: (home) => { deeds = sabotage(home, plan) } })
    await here.host.api('/default-group', { body: { groupId: await makeGroup(here.host, 'G', ['alpha/a-1', 'beta/b-1']), mode: 'failover' } })
    await stillWorks(here)
    here.upstream.set('alpha', 'a-1', '500')
    const turn = await here.host.turn(await here.host.createSession(), 'hello', 60_000)
    if (turn.end === 'completed') expect(turn.text).toContain('beta/b-1')
    else expect(turn.events.at(-1)?.data).toMatchObject({ reason: { error: { message: expect.stringMatching(/^500: /) as unknown } } })
    expect((await here.host.api('/status')).status).toBe(200)
    expect(deeds().filter((deed) => deed.startsWith('missing'))).toEqual([])
    expect(deeds().some((deed) => deed.startsWith('threw'))).toBe(true)
    await endsAtOnce(here)
  })

  it('the web server: there is no interface, and everything else goes on', async () => {
    let deeds: () => readonly string[] = () => []
    const here = await open({ rowConfig: { fallbacks: [{ provider: 'beta', model: 'b-1' }] }, prepare: (home) => { deeds = sabotage(home, { methods: { webServer: ['register'] } }) } })
    expect((await here.host.api('/status')).status).not.toBe(200)
    await stillWorks(here)
    here.upstream.set('alpha', 'a-1', '500')
    expect(await here.host.turn(await here.host.createSession(), 'hello')).toMatchObject({ end: 'completed', text: 'Here is beta/b-1. You wrote: hello' })
    expect(deeds()).toEqual(['threw webServer.register'])
    await endsAtOnce(here)
  })
})

describe('ending', () => {
  it('takes less than two seconds while models hang, probes run and a page keeps asking', async () => {
    const here = await open({ idleTimeoutMs: 60_000, rowConfig: { ledgerEvidenceGapMs: 1000 } })
    await here.host.api('/default-group', { body: { groupId: await makeGroup(here.host, 'G', ['alpha/a-1', 'beta/b-1']), mode: 'failover' } })
    for (const [provider, model] of [['beta', 'b-1'], ['gamma', 'c-1']] as const) here.upstream.set(provider, model, 'hang')
    here.upstream.set('alpha', 'a-1', [{ fault: '500', purpose: 'chat' }, { fault: 'hang', purpose: 'other' }])
    const sessions = await Promise.all(Array.from({ length: 4 }, () => here.host.createSession()))
    for (const session of sessions) await here.host.prompt(session, 'hello')
    await expect.poll(() => here.upstream.routes().filter((route) => route === 'beta/b-1').length, { timeout: 30_000 }).toBeGreaterThanOrEqual(1)
    await here.host.api('/speedtest', { body: { models: [{ provider: 'gamma', model: 'c-1' }] } })
    const page = Array.from({ length: 5 }, () => here.host.api('/status').catch(() => null))
    await endsAtOnce(here)
    await Promise.all(page)
  })
})
