// A subagent's session in the browser: the host's own selector hides there, the plugin's seat shows what the child runs on and lets it be changed.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPage, say, seeText } from '../support/page.ts'
import { makeGroup, openWorld, type World } from '../support/world.ts'
import { badge, dialog, openPanel, trigger, violations } from './panel.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ rowConfig: { enableProbe: false } })
  const groupId = await makeGroup(world.host, 'Chain', ['alpha/a-1', 'beta/b-1', 'gamma/c-1'])
  await world.host.api('/default-group', { body: { groupId, mode: 'failover' } })
})

afterAll(async () => {
  await world.close()
})

it('shows, explains and changes the model of a child session, and leaves the parent alone', async () => {
  world.upstream.set('alpha', 'a-1', [{ fault: 'tool-call', times: 1, purpose: 'chat', tool: { name: 'subagent', arguments: { description: 'Do a part', prompt: 'please do the part' } } }, { fault: 'quota', purpose: 'chat' }])
  const { page, trouble } = await openPage(world.host.url)
  const label = (): Promise<string | null> => trigger(page).getAttribute('aria-label')
  await say(page, 'delegate this')
  await seeText(page, 'Here is beta/b-1. You wrote: delegate this')

  await page.getByRole('button', { name: /1 subagent/ }).click()
  await page.getByRole('treeitem', { name: /Do a part/ }).click()
  await seeText(page, 'please do the part')
  await expect.poll(label).toBe('Choose a model, now Beta Labs · Beta One')
  expect(await violations(page)).toEqual([])

  await badge(page).click()
  const why = page.getByRole('dialog', { name: 'Why is this the model' })
  await why.getByText('(inherited)').waitFor()
  await why.getByText('failed today · quota used up').first().waitFor()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')

  const panel = await openPanel(page, 'Models')
  await panel.getByRole('button', { name: /^Gamma One/ }).click()
  await dialog(page).waitFor({ state: 'detached' })
  await expect.poll(label).toBe('Choose a model, now Gamma Works · Gamma One')
  await say(page, 'and this')
  await seeText(page, 'Here is gamma/c-1. You wrote: and this')

  expect(trouble).toEqual([])
  await page.context().close()
})
