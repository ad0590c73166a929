// From a stranger's first minute to the day he takes the plugin out again: install, upgrade, removal and repair on the real host.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { dsh, installPlugin, packPlugin } from '../../dev/home.mts'
import { bootHost } from '../../dev/host.mts'
import { temporaryFolder } from '../../dev/lifetime.mts'
import manifest from '../../package.json' with { type: 'json' }
import { makeGroup, openWorld, type World } from '../support/world.ts'

const NEXT_VERSION = '99.0.1'
const CHAIN = ['alpha/a-1', 'beta/b-1', 'gamma/c-1']

const bench = temporaryFolder('packages')
let tarball = ''
let nextTarball = ''

/** The same package under another version, as the next release would come. */
function bumped(from: string): string {
  const folder = join(bench.path, 'next')
  mkdirSync(folder)
  execFileSync('tar', ['xzf', from, '-C', folder])
  const file = join(folder, 'package', 'package.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')) as object, version: NEXT_VERSION }, null, 2))
  const bundle = join(folder, 'package', 'lib', 'host.mjs')
  writeFileSync(bundle, readFileSync(bundle, 'utf8').replaceAll(manifest.version, NEXT_VERSION))
  const target = join(bench.path, `${manifest.name}-${NEXT_VERSION}.tgz`)
  execFileSync('tar', ['czf', target, '-C', folder, 'package'])
  return target
}

beforeAll(async () => {
  tarball = await packPlugin(bench.path)
  nextTarball = bumped(tarball)
}, 240_000)
afterAll(() => { bench.remove() })

let world: World
afterEach(() => world.close())

const add = (file: string): Promise<void> => installPlugin(world.home, file)
const remove = async (): Promise<void> => { await dsh(world.home, ['plugin', '--profile', 'web', 'remove', manifest.name]) }
const file = (...parts: string[]): string => join(world.home.path, ...parts)
const text = (...parts: string[]): string => readFileSync(file(...parts), 'utf8')
const version = async (): Promise<unknown> => ((await world.host.api('/status')).body as { readonly version: string }).version

/** Stops the host, changes the installation, and starts it again. */
async function between(work: () => Promise<void> | void, plugin = true): Promise<void> {
  expect(await world.host.stop()).toBe(0)
  await work()
  world.host = await bootHost({ home: world.home, plugin })
}

/** A clean home with the plugin just added, a group that is the default, and nothing else. */
async function installed(): Promise<void> {
  world = await openWorld({ plugin: false })
  await between(() => add(tarball))
  await world.host.api('/default-group', { body: { groupId: await makeGroup(world.host, 'Chain', CHAIN), mode: 'failover' } })
}

/** A session that had to leave alpha/a-1 and runs on beta/b-1; alpha/a-1 is fine again then. */
async function movedSession(): Promise<string> {
  world.upstream.set('alpha', 'a-1', '500')
  const session = await world.host.createSession()
  expect((await world.host.turn(session, 'one')).text).toContain('beta/b-1')
  world.upstream.clear()
  return session
}

describe('installing', () => {
  it('adds one package to a clean home, which then answers, shows its page and works', async () => {
    world = await openWorld({ plugin: false })
    const settings = text('settings.yaml')
    await between(() => add(tarball))
    expect(await version()).toBe(manifest.version)
    const page = await fetch(`${world.host.url}/plugins/${manifest.name}/client.js`)
    expect(page.status).toBe(200)
    expect(await page.text()).toMatch(/^window\.__ModuleLoader__\.load\(/)
    expect(JSON.parse(text('profiles', 'web', 'package.json'))).toMatchObject({ dsh: { profile: { bundles: expect.arrayContaining([manifest.name]) as unknown } } })
    expect((await world.host.turn(await world.host.createSession(), 'hello')).end).toBe('completed')
    expect(text('settings.yaml')).toBe(settings)
    expect(world.host.stderr()).toBe('')
  }, 240_000)

  it.each(['over the old one', 'after removing the old one'])('upgrades %s and keeps groups, bindings, marks and homes', async (how) => {
    await installed()
    const session = await movedSession()
    const before = (await world.host.api('/status')).body as { readonly groups: unknown; readonly failed: unknown; readonly bindings: unknown }
    await between(async () => {
      if (how.startsWith('after')) await remove()
      await add(nextTarball)
    })
    expect(await version()).toBe(NEXT_VERSION)
    const { groups, failed } = (await world.host.api('/status')).body as typeof before
    expect({ groups, failed }).toEqual({ groups: before.groups, failed: before.failed })
    expect((await world.host.api(`/session-info?sessionId=${session}`)).body).toMatchObject({ home: { model: 'a-1' }, override: { model: 'b-1' }, mode: 'failover' })
    expect((await world.host.turn(session, 'two')).text).toContain('beta/b-1')
  }, 240_000)
})

describe('removing', () => {
  it('leaves sessions that load, the host\'s files as they were, and the data folder for another time', async () => {
    world = await openWorld({ plugin: false })
    const before = ['settings.yaml', 'profiles/web/cordis.yml', 'profiles/web/cordis.patch.yml', 'profiles/web/package.json'].map((name) => {
      try { return [name, text(name)] as const } catch { return [name, null] as const /* made by the installer */ }
    })
    await between(() => add(tarball))
    await world.host.api('/default-group', { body: { groupId: await makeGroup(world.host, 'Chain', CHAIN), mode: 'failover' } })
    const session = await movedSession()
    await between(remove, false)
    for (const [name, content] of before) if (content !== null && name !== 'profiles/web/package.json') expect(text(name), name).toBe(content)
    expect(text('profiles', 'web', 'package.json')).not.toContain(manifest.name)
    expect(readdirSync(file('model-failover'))).toContain('groups.json')
    expect((await world.host.api('/status')).status).not.toBe(200)
    // The host takes the last model of the log for the user's choice, so this session stays where it was.
    expect(await world.host.turn(session, 'two')).toMatchObject({ end: 'completed', text: 'Here is beta/b-1. You wrote: two' })
    await between(() => add(tarball))
    expect(((await world.host.api('/status')).body as { readonly groups: readonly unknown[] }).groups).toMatchObject([{ name: 'Chain' }])
  }, 240_000)

  it('leaves sessions on their own model when they were sent home first', async () => {
    await installed()
    const sessions = [await movedSession(), await movedSession()]
    await between(() => {})
    const sent = (await world.host.api('/send-home', { body: {} })).body as { readonly returned: readonly string[]; readonly failed: readonly unknown[] }
    expect(sent.failed).toEqual([])
    expect(new Set(sent.returned)).toEqual(new Set(sessions))
    await between(remove, false)
    for (const session of sessions) expect(await world.host.turn(session, 'two')).toMatchObject({ end: 'completed', text: 'Here is alpha/a-1. You wrote: two' })
  }, 240_000)
})

describe('repairing', () => {
  it('takes a file back that was set aside, once it is whole again', async () => {
    await installed()
    const good = text('model-failover', 'groups.json')
    await between(() => { writeFileSync(file('model-failover', 'groups.json'), good.slice(0, -20)) })
    const { groups, storeProblems } = (await world.host.api('/status')).body as { readonly groups: readonly unknown[]; readonly storeProblems: readonly { readonly problem: string }[] }
    expect(groups).toEqual([])
    const aside = readdirSync(file('model-failover')).find((name) => name.startsWith('groups.json.broken-')) ?? ''
    expect(storeProblems[0]?.problem).toContain(aside)
    expect(text('model-failover', aside)).toBe(good.slice(0, -20))
    await between(() => {
      renameSync(file('model-failover', aside), file('model-failover', 'groups.json'))
      writeFileSync(file('model-failover', 'groups.json'), good)
    })
    expect(((await world.host.api('/status')).body as { readonly groups: readonly unknown[] }).groups).toMatchObject([{ name: 'Chain' }])
    expect((await world.host.api('/default-group')).body).toMatchObject({ defaultBinding: { mode: 'failover' } })
    const session = await movedSession()
    expect((await world.host.turn(session, 'two')).end).toBe('completed')
  }, 240_000)
})
