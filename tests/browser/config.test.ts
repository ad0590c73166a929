// What the page says when the plugin's row keeps it from working: a value that is refused, and the switch in the row itself.
import { afterEach, expect, it } from 'vitest'
import { openPage, say, seeText } from '../support/page.ts'
import { openWorld, type World } from '../support/world.ts'
import { openPanel, openSettings, violations } from './panel.ts'

let world: World
afterEach(() => world.close())

it('names a refused value and a misspelt key with what would be right, and lets every request pass', async () => {
  world = await openWorld({ rowConfig: { patience: 'forever', enableProb: false } })
  const { page, trouble } = await openPage(world.host.url)
  const panel = await openPanel(page, 'Models')
  await panel.getByText(/patience = "?forever"? is refused: .*exhaust.*ride/).waitFor()
  await panel.getByText(/enableProb .*Did you mean enableProbe\?/).waitFor()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await say(page, 'hello')
  await seeText(page, 'Here is alpha/a-1. You wrote: hello')
  const section = await openSettings(page)
  await section.getByText(/Routing is off/).first().waitFor()
  expect(trouble).toEqual([])
})

it('says that it is switched off by its row, and only watches', async () => {
  world = await openWorld({ rowConfig: { enabled: false } })
  const { page, trouble } = await openPage(world.host.url)
  const section = await openSettings(page)
  await section.getByText('Switched off in the config (enabled: false); it only watches.').waitFor()
  expect(await violations(page)).toEqual([])
  expect(trouble).toEqual([])
})
