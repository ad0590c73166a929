// @vitest-environment happy-dom
import { signal } from '@preact/signals'
import { afterEach, expect, it } from 'vitest'
import { NOW, decision, info } from '../testing/builders.ts'
import { draw } from '../testing/draw.tsx'
import type { Drawn } from '../testing/draw.tsx'
import { createWorld } from '../testing/world.ts'
import type { MockState } from '../testing/mock.ts'
import { EndNode } from './EndNode.tsx'
import { MoveNode } from './MoveNode.tsx'

let drawn: Drawn
afterEach(() => drawn.close())

const a = { provider: 'alpha', model: 'a-1' }
const b = { provider: 'beta', model: 'b-1' }

async function move(decisions: MockState['decisions'], from: typeof a | null = a) {
  const world = createWorld({ decisions })
  await world.ready()
  drawn = await draw(<MoveNode props={signal({ sessionId: 's-1', node: { data: { from, to: b, at: NOW } } })} />, world)
  return world
}
async function end(over: Partial<Parameters<typeof EndNode>[0]['props']['value']['node']['data']>, state: Partial<MockState> = {}) {
  const world = createWorld(state)
  await world.ready()
  drawn = await draw(<EndNode props={signal({ sessionId: 's-1', node: { data: { turn: 3, at: NOW, message: 'boom\n[Model Failover] Tried: alpha/a-1.', code: 'QUOTA', retried: true, ...over } } })} />, world)
  return world
}

it('says which model answers from here on, why, and when home may be back', async () => {
  await move([decision({ at: NOW - 100 })])
  expect(drawn.text()).toContain('Alpha · Alpha One → Beta · Beta One: quota used up (earliest return 10:00)')
  expect(drawn.text()).toContain('Alpha · Alpha Two: failed today · server error')
})

it('says that it is back', async () => {
  await move([decision({ at: NOW - 100, kind: 'return', class: null, moveKind: null, why: 'home-again', from: a })])
  expect(drawn.text()).toContain('Back on Beta · Beta One, left Alpha · Alpha One')
})

it('tells a bare change where no reason is known any more, and nothing of a choice by hand', async () => {
  await move([])
  expect(drawn.text()).toBe('Model changed from Alpha · Alpha One to Beta · Beta One')
  drawn.close()
  await move([decision({ at: NOW - 100, kind: 'hand-pick', class: null, moveKind: null, why: 'hand-pick' })])
  expect(drawn.text()).toBe('')
})

it('tells a first request that went elsewhere, and nothing of one that did not', async () => {
  await move([decision({ at: NOW - 100, kind: 'turn-start', why: 'failed' })], null)
  expect(drawn.text()).toContain('Alpha · Alpha One → Beta · Beta One: quota used up')
  drawn.close()
  await move([], null)
  expect(drawn.text()).toBe('')
})

it('is silent where the user wants no notices', async () => {
  const { app } = await move([decision({ at: NOW - 100 })])
  await drawn.change(() => app.saveSettings({ notifyUser: false }))
  expect(drawn.text()).toBe('')
})

it('draws the final error where the host hides it, in two parts, without the wrapping of the upstream', async () => {
  await end({ message: '500: {"type":"x","message":"It is \\"broken\\"","code":null}\n[Model Failover] Tried: alpha/a-1.' })
  expect(drawn.text()).toBe('This turn failed 500: It is \\"broken\\" QUOTATried: alpha/a-1.')
})

it('leaves an error alone that the host shows, but for an offer that helps', async () => {
  await end({ retried: false })
  expect(drawn.text()).toBe('')
  drawn.close()
  const { mock } = await end({ retried: false }, { sessions: { 's-1': info({ offer: [b] }) } })
  await drawn.press('This session')
  expect(mock.log.find(({ path }) => path === '/consent')?.body).toMatchObject({ ...b, once: false })
})
