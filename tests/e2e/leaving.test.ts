// What stays when something goes: the plugin, a provider, a model; shown on the real host.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Home } from '../../dev/home.mts'
import { dsh, installPlugin, packPlugin, writeSettings } from '../../dev/home.mts'
import { bootHost } from '../../dev/host.mts'
import { CHAIN, openChain, order } from '../support/chain.ts'
import { makeGroup, openWorld, type World } from '../support/world.ts'

let world: World
afterEach(() => world.close())

async function bound(): Promise<void> {
  world = await openChain({ rowConfig: { enableProbe: false } })
}

/** Takes the plugin out of the profile as its removal does; the package store of a copied home cannot be changed. */
function leaveOut(home: Home): void {
  const file = join(home.path, 'profiles/web/package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { dsh: { profile: { bundles: string[] } } }
  manifest.dsh.profile.bundles = manifest.dsh.profile.bundles.filter((bundle) => bundle !== 'dsh-plugin-model-failover')
  writeFileSync(file, JSON.stringify(manifest))
  rmSync(join(home.path, 'cordis.patch.yml'), { force: true })
}

describe('without the plugin', () => {
  it('a session that had failed over still opens and answers', async () => {
    // Removing works on the package store of the installation, so this home is no copy.
    world = await openWorld({ plugin: false, script: { 'alpha/a-1': 'reset-mid' } })
    await world.host.stop()
    await installPlugin(world.home, await packPlugin(join(world.home.path, '..')))
    world.host = await bootHost({ home: world.home })
    await world.host.api('/default-group', { body: { groupId: await makeGroup(world.host, 'Chain', CHAIN), mode: 'failover' } })
    const session = await world.host.createSession()
    expect((await world.host.turn(session, 'one')).end).toBe('completed')
    await world.host.stop()
    await dsh(world.home, ['plugin', '--profile', 'web', 'remove', 'dsh-plugin-model-failover'])
    world.host = await bootHost({ home: world.home, plugin: false })
    expect((await world.host.turn(session, 'two')).end).toBe('completed')
  }, 240_000)
})

describe('sending sessions home', () => {
  it('holds across a restart and without the plugin, also for a session nobody has opened since', async () => {
    await bound()
    order(world, ['alpha/a-1'], '500')
    const sessions = [await world.host.createSession(), await world.host.createSession()]
    for (const session of sessions) expect((await world.host.turn(session, 'one')).text).toContain('alpha/a-2')
    await world.restart()
    await world.host.rpc('session.models', { sessionId: sessions[0] })
    const sent = (await world.host.api('/send-home', { body: {} })).body as { readonly returned: readonly string[]; readonly failed: readonly unknown[] }
    expect(sent.returned.toSorted()).toEqual(sessions.toSorted())
    expect(sent.failed).toEqual([])
    await world.host.stop()
    leaveOut(world.home)
    world.upstream.clear()
    world.host = await bootHost({ home: world.home, plugin: false })
    expect((await world.host.api('/status')).status).toBe(404)
    for (const session of sessions) expect((await world.host.turn(session, 'two')).text).toContain('alpha/a-1')
  })
})

describe('providers that come and go', () => {
  it('moves a session whose whole provider vanished, before its next prompt is refused', async () => {
    await bound()
    const session = await world.host.createSession()
    await world.host.turn(session, 'one')
    writeSettings(world.home, world.upstream, { providers: world.upstream.providers.filter(({ id }) => id !== 'alpha'), defaultModel: { provider: 'beta', model: 'b-1' } })
    await expect.poll(async () => ((await world.host.api('/models')).body as { readonly providers: readonly { readonly id: string }[] }).providers.some(({ id }) => id === 'alpha'), { timeout: 10_000 }).toBe(false)
    const turn = await world.host.turn(session, 'two')
    expect(turn.end).toBe('completed')
    expect(turn.text).toMatch(/beta|gamma/)
  })

  it('moves in the same step when the session\'s own model was taken out of the settings', async () => {
    await bound()
    const session = await world.host.createSession()
    await world.host.turn(session, 'one')
    writeSettings(world.home, world.upstream, { providers: world.upstream.providers.map((provider) => ({ ...provider, models: provider.models.filter(({ id }) => id !== 'a-1') })), defaultModel: { provider: 'alpha', model: 'a-2' } })
    await expect.poll(async () => JSON.stringify((await world.host.api('/models')).body).includes('"a-1"'), { timeout: 10_000 }).toBe(false)
    const turn = await world.host.turn(session, 'two')
    expect(turn.end).toBe('completed')
    expect(turn.text).toContain('alpha/a-2')
  })

  it('skips a group entry the host does not know', async () => {
    world = await openWorld({ rowConfig: { enableProbe: false }, script: { 'alpha/a-1': '500' } })
    const groupId = await makeGroup(world.host, 'Ghosts', ['alpha/a-1', 'nowhere/x', 'alpha/no-such-model', 'beta/b-1'])
    await world.host.api('/default-group', { body: { groupId, mode: 'failover' } })
    const turn = await world.host.turn(await world.host.createSession(), 'hello')
    expect(turn.text).toContain('beta/b-1')
    expect(world.upstream.routes()).not.toContain('alpha/no-such-model')
  })
})
