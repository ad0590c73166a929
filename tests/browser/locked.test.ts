// A seat that the host locks: here by taking the workspace of a session that has not begun.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPage } from '../support/page.ts'
import { openWorld, type World } from '../support/world.ts'
import { badge, dialog, openPanel, trigger, violations } from './panel.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ rowConfig: { enableProbe: false } })
})

afterAll(async () => {
  await world.close()
})

it('closes what was open, shows the model, and answers neither the mouse nor the keyboard', async () => {
  const { page, trouble } = await openPage(world.host.url)
  await openPanel(page, 'Models')
  const { items } = await world.host.rpc<{ readonly items: readonly { readonly workspaceId: string }[] }>('workspace.list', {})
  await world.host.rpc('workspace.delete', { workspaceId: items[0]?.workspaceId })
  await dialog(page).waitFor({ state: 'detached' })
  expect(await trigger(page).isDisabled()).toBe(true)
  expect(await badge(page).isDisabled()).toBe(true)
  expect(await trigger(page).getAttribute('aria-label')).toBe('Choose a model, now Alpha Cloud · Alpha One')
  await trigger(page).click({ force: true })
  await trigger(page).focus()
  await page.keyboard.press('Enter')
  // The host may offer its own way out of the lock.
  expect(await page.locator('dialog.mf, .mf [role=dialog]').count()).toBe(0)
  expect(await violations(page)).toEqual([])
  expect(trouble).toEqual([])
  await page.context().close()
})
