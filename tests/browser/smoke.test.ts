// The browser half loads into the real page and disturbs nothing.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPage, say, seeText } from '../support/page.ts'
import { openWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
})

afterAll(async () => {
  await world.close()
})

it.each(['en', 'zh'] as const)('draws the host page without an error (%s) and answers a message', async (language) => {
  const { page, trouble } = await openPage(world.host.url, language)
  await say(page, `hello in ${language}`)
  await seeText(page, `Here is alpha/a-1. You wrote: hello in ${language}`)
  expect(trouble).toEqual([])
})
