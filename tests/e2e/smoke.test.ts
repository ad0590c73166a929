// The plugin, installed as a user installs it, lives and dies with the real host.
import { afterEach, expect, it } from 'vitest'
import { openWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'

let world: World | null = null

afterEach(async () => {
  await world?.close()
  world = null
})

it('boots with the host, lets a healthy turn pass and ends with exit code 0', async () => {
  world = await openWorld()
  const { host, upstream } = world
  const turn = await host.turn(await host.createSession(), 'good morning')
  expect(turn.end).toBe('completed')
  expect(turn.text).toBe('Here is alpha/a-1. You wrote: good morning')
  expect(turn.headers).toEqual(['alpha/a-1'])
  expect(upstream.routes()).toEqual(['alpha/a-1'])
  expect(await host.stop()).toBe(0)
  expect(host.stderr()).toBe('')
})

it('answers under its own prefix', async () => {
  world = await openWorld()
  const { status, body } = await world.host.api('/status')
  expect(status).toBe(200)
  expect(body).toMatchObject({ enabled: true, configErrors: [] })
})
