// The dashboard on the real host: figures of real calls, sort, dates, limits, speed tests.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { openPage } from '../support/page.ts'
import type { OpenPage } from '../support/page.ts'
import { makeGroup, openWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'
import { dialog, openPanel, violations } from './panel.ts'

let world: World
let open: OpenPage
let page: Page

beforeAll(async () => {
  world = await openWorld({ script: { 'beta/b-2': 'slow' } })
  const id = await makeGroup(world.host, 'Everyday', ['alpha/a-1', 'alpha/a-2', 'beta/b-1'])
  await makeGroup(world.host, 'Night', ['beta/b-2'])
  await world.host.api('/default-group', { body: { groupId: id, mode: 'failover' } })
  const session = await world.host.createSession()
  await world.host.turn(session, 'one')
  world.upstream.set('alpha', 'a-1', '500')
  await world.host.turn(session, 'two')
  open = await openPage(world.host.url)
  page = open.page
})

afterAll(async () => {
  await world.close()
})

const rows = (): Locator => dialog(page).locator('tbody th[scope=row]')

it('draws a row per model and group, with what was measured', async () => {
  const panel = await openPanel(page, 'Dashboard')
  await expect.poll(() => rows().count()).toBe(4)
  const first = panel.getByRole('row', { name: /Alpha One/ })
  await expect.poll(async () => (await first.textContent()) ?? '').toMatch(/failed today.*Restore/)
  expect(await panel.getByRole('img', { name: /calls: \d+, failures: \d+/ }).count()).toBe(1)
  expect(await violations(page)).toEqual([])
})

it('keeps the chosen sort over a reload', async () => {
  await dialog(page).getByRole('button', { name: 'First token' }).click()
  await dialog(page).getByRole('columnheader', { name: 'First token' }).and(page.locator('[aria-sort=ascending]')).waitFor()
  await dialog(page).getByRole('button', { name: 'First token' }).click()
  await page.reload()
  await openPanel(page, 'Dashboard')
  await dialog(page).getByRole('columnheader', { name: 'First token' }).and(page.locator('[aria-sort=descending]')).waitFor()
  await dialog(page).getByRole('button', { name: 'First token' }).click()
  await expect.poll(() => dialog(page).locator('[aria-sort=none]').count()).toBe(8)
})

it('counts other days when they are chosen', async () => {
  const panel = dialog(page)
  await panel.getByRole('textbox', { name: 'First day' }).fill('2020-01-01')
  await page.keyboard.press('Enter')
  await panel.getByRole('textbox', { name: 'Last day' }).fill('2020-01-02')
  await page.keyboard.press('Enter')
  await panel.getByText('No calls in these days yet').waitFor()
  await panel.getByRole('button', { name: 'Today' }).click()
  await panel.getByText('No calls in these days yet').waitFor({ state: 'detached' })
})

it('sets a limit in place', async () => {
  const limit = dialog(page).getByRole('textbox', { name: 'Concurrency limit of Beta One' }).first()
  await limit.fill('3')
  await limit.press('Enter')
  await expect.poll(async () => JSON.stringify((await world.host.api('/status')).body)).toContain('"model":"b-1","limit":3')
})

it('tests one model, and a group with a way to cancel', async () => {
  const panel = dialog(page)
  await panel.getByRole('button', { name: 'Test Beta One' }).first().click()
  await panel.getByRole('row', { name: /Beta One/ }).getByText(/ms · .*tok\/s|s · .*tok\/s/).waitFor()
  world.upstream.set('beta', 'b-2', 'hang')
  await panel.getByRole('combobox', { name: 'Choose a group' }).selectOption({ label: 'Night' })
  await expect.poll(() => panel.getByRole('button', { name: 'Test speed' }).isVisible()).toBe(true)
  await panel.getByRole('button', { name: 'Test speed' }).click()
  await panel.getByRole('button', { name: /^Cancel test/ }).click()
  await panel.getByRole('button', { name: 'Test speed' }).waitFor()
})

it('numbers a group by the order on screen and restores what failed in it', async () => {
  const panel = dialog(page)
  await panel.getByRole('combobox', { name: 'Choose a group' }).selectOption({ label: 'Everyday' })
  await panel.getByRole('textbox', { name: 'Start at' }).fill('10')
  await page.keyboard.press('Enter')
  await panel.getByRole('button', { name: /^Number by this order/ }).click()
  await expect.poll(async () => JSON.stringify((await world.host.api('/groups')).body)).toContain('"priority":10')
  await panel.getByRole('button', { name: /^Restore failed in group/ }).click()
  await expect.poll(async () => ((await world.host.api('/status')).body as { failed: unknown[] }).failed).toEqual([])
})

it('left no trouble of its own on the page', () => {
  expect(open.trouble).toEqual([])
})
