// The life of a model seat: a group from nothing, a failure that the work survives, the reason, the way back.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { openPage, say, seeText } from '../support/page.ts'
import type { OpenPage } from '../support/page.ts'
import { openWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'
import { badge, dialog, openPanel, trigger, violations } from './panel.ts'

let world: World
let open: OpenPage
let page: Page

beforeAll(async () => {
  world = await openWorld()
  open = await openPage(world.host.url)
  page = open.page
})

afterAll(async () => {
  await world.close()
})

const label = (): Promise<string | null> => trigger(page).getAttribute('aria-label')
const groups = async () => ((await world.host.api('/groups')).body as { groups: { id: string; name: string; models: { model: string; priority: number; windows?: unknown; disabled?: boolean }[] }[] }).groups

it('shows what the session runs on, and makes a first group from the user\'s providers', async () => {
  await trigger(page).waitFor()
  await expect.poll(label).toBe('Choose a model, now Alpha Cloud · Alpha One')
  const panel = await openPanel(page, 'Routing groups')
  expect(await violations(page)).toEqual([])
  await panel.getByRole('button', { name: /^Make a group from my providers/ }).click()
  await panel.getByRole('textbox', { name: 'Name of the group' }).waitFor()
  const [group] = await groups()
  expect(group?.models[0]?.model).toBe('a-1')
  await expect.poll(() => panel.getByRole('button', { name: 'Fallback' }).getAttribute('aria-pressed')).toBe('true')
})

it('orders entries by number and by keyboard, and sets hours', async () => {
  const panel = dialog(page)
  const priority = panel.getByRole('textbox', { name: 'Priority of Beta One' })
  await priority.fill('2')
  await priority.press('Enter')
  await panel.getByRole('button', { name: 'Move DeepSeek-V4-Flash' }).press('Alt+ArrowDown')
  await expect.poll(async () => (await groups())[0]?.models.toSorted((a, b) => a.priority - b.priority).slice(0, 3).map(({ model }) => model)).toEqual(['a-1', 'b-1', 'deepseek-v4-flash'])
  await panel.getByRole('button', { name: /^Beta Two/ }).click()
  const editor = page.getByRole('dialog', { name: 'Beta Labs · Beta Two' })
  await editor.getByRole('textbox', { name: 'Hours' }).fill('22-6')
  await page.keyboard.press('Enter')
  await editor.getByText('22–6 crosses midnight').waitFor()
  expect(await violations(page)).toEqual([])
  // Escape belongs to the innermost dialog.
  await page.keyboard.press('Escape')
  await editor.waitFor({ state: 'detached' })
  expect(await panel.isVisible()).toBe(true)
  await panel.getByText('22–6').waitFor()
})

it('carries the work to the next model when one fails, and says so in the seat, the conversation and a message', async () => {
  await page.keyboard.press('Escape')
  world.upstream.set('alpha', 'a-1', 'quota')
  await say(page, 'please go on')
  await seeText(page, 'Here is beta/b-1. You wrote: please go on')
  await expect.poll(label).toBe('Choose a model, now Beta Labs · Beta One')
  await expect.poll(() => badge(page).getAttribute('aria-label')).toContain('Away from Alpha Cloud · Alpha One')
  await page.locator('summary', { hasText: 'Alpha Cloud · Alpha One → Beta Labs · Beta One: quota used up' }).waitFor()
  await page.getByRole('status').filter({ hasText: '→ Beta Labs · Beta One' }).first().waitFor()
  expect(await violations(page)).toEqual([])
})

it('explains why this is the model, with every candidate', async () => {
  await badge(page).click()
  const why = page.getByRole('dialog', { name: 'Why is this the model' })
  await why.getByText('Alpha Cloud · Alpha One → Beta Labs · Beta One').first().waitFor()
  await why.getByText('failed today · quota used up').first().waitFor()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await why.waitFor({ state: 'detached' })
  // The focus is back where it came from.
  expect(await badge(page).evaluate((element) => element === document.activeElement)).toBe(true)
})

it('restores a failed model and comes home with the next message', async () => {
  world.upstream.set('alpha', 'a-1', 'ok')
  const panel = await openPanel(page, /^Failed models/)
  await panel.getByText('QUOTA', { exact: true }).waitFor()
  expect(await violations(page)).toEqual([])
  await panel.getByRole('button', { name: 'Restore Alpha Cloud · Alpha One' }).click()
  await panel.getByText('No model has failed today.').waitFor()
  await page.keyboard.press('Escape')
  await say(page, 'and home')
  await seeText(page, 'Here is alpha/a-1. You wrote: and home')
  await expect.poll(label).toBe('Choose a model, now Alpha Cloud · Alpha One')
  await page.locator('summary', { hasText: 'Back on Alpha Cloud · Alpha One' }).waitFor()
})

it('tells it all again after a reload, from the session\'s own log', async () => {
  await page.reload()
  await page.locator('summary', { hasText: 'Alpha Cloud · Alpha One → Beta Labs · Beta One: quota used up' }).waitFor()
  await page.locator('summary', { hasText: 'Back on Alpha Cloud · Alpha One' }).waitFor()
})

it('takes a choice by hand for the new home', async () => {
  const panel = await openPanel(page, 'Models')
  await panel.getByRole('textbox', { name: 'Search names and ids' }).fill('gamma two')
  await panel.getByRole('combobox', { name: 'Effort of Gamma Two' }).selectOption('high')
  expect(await violations(page)).toEqual([])
  await panel.getByRole('button', { name: /^Gamma Two/ }).click()
  await panel.waitFor({ state: 'detached' })
  await expect.poll(label).toBe('Choose a model, now Gamma Works · Gamma Two · High')
  await say(page, 'by hand')
  await seeText(page, 'Here is gamma/c-2. You wrote: by hand')
  await expect.poll(label).toBe('Choose a model, now Gamma Works · Gamma Two · High')
})

it('shows the final error where the host hides it behind its retries', async () => {
  for (const { id, models } of world.upstream.providers) for (const model of models) world.upstream.set(id, model.id, '500')
  for (const model of ['deepseek-v4-flash', 'deepseek-v4-pro']) world.upstream.set('deepseek-official', model, '500')
  await say(page, 'all down')
  await page.getByText(/This turn failed/).first().waitFor({ timeout: 40_000 })
  await page.getByText(/Tried: gamma\/c-2/).first().waitFor()
  expect(await violations(page)).toEqual([])
})

it('survives a restart of the host while the page is open', async () => {
  const { port } = new URL(world.host.url)
  await world.host.stop()
  await expect.poll(() => badge(page).getAttribute('aria-label'), { timeout: 20_000 }).toContain('does not answer')
  const { bootHost } = await import('../../dev/host.mts')
  world.host = await bootHost({ home: world.home, port: Number(port) })
  await expect.poll(() => badge(page).getAttribute('aria-label'), { timeout: 20_000 }).not.toContain('does not answer')
  await expect.poll(label).toMatch(/^Choose a model, now .* · /)
})

it('left no trouble of its own on the page', () => {
  expect(open.trouble.filter((text) => !/Failed to load resource|net::|WebSocket/.test(text))).toEqual([])
})
