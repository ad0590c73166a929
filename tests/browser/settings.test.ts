// The settings page on the real host; both languages, both themes, the keyboard alone, and a narrow window.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPage } from '../support/page.ts'
import { makeGroup, openWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'
import { badge, openPanel, openSettings, trigger, violations } from './panel.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ rowConfig: { patience: 'ride', drill: true } })
  await makeGroup(world.host, 'Everyday', ['alpha/a-1', 'beta/b-1'])
  await world.host.api('/failed/mark', { body: { provider: 'beta', model: 'b-1' } })
})

afterAll(async () => {
  await world.close()
})

/** Axe takes a second or more for a screen. */
const SLOW = 240_000

const TABS = [/^(?:General|常规)/, /^(?:Routing|路由分组)/, /^(?:Failed|失败模型)/, /^(?:Dashboard|数据看板)/, /^(?:Try|试错)/, /^(?:Drill|演练)/, /^(?:Neighbours|邻居)/, /^(?:Import|导入)/]

// The colours are the same in both languages, so the second one is looked at in one theme.
describe.each([['en', false], ['zh', true]] as const)('in %s', (language, once) => {
  it('passes axe on every tab of the seat\'s dialogs', async () => {
    const { page, trouble } = await openPage(world.host.url, language)
    await trigger(page).waitFor()
    expect(await violations(page, once)).toEqual([])
    await openPanel(page, /^(?:Models|模型)$/)
    for (const tab of [/^(?:Models|模型)$/, ...TABS.slice(1, 4)]) {
      await page.getByRole('tab', { name: tab }).click()
      await page.waitForTimeout(300)
      expect(await violations(page, once), String(tab)).toEqual([])
    }
    await page.keyboard.press('Escape')
    await badge(page).click()
    expect(await violations(page, once)).toEqual([])
    expect(trouble).toEqual([])
    await page.context().close()
  }, SLOW)

  it('passes axe on every tab of the settings', async () => {
    const { page, trouble } = await openPage(world.host.url, language)
    await trigger(page).waitFor()
    const section = await openSettings(page)
    for (const tab of TABS) {
      await section.getByRole('tab', { name: tab }).click()
      await page.waitForTimeout(300)
      expect(await violations(page, once), String(tab)).toEqual([])
    }
    expect(trouble).toEqual([])
    await page.context().close()
  }, SLOW)
})

it('says which values come from the config, and leaves the stock selector when the seat is given back', async () => {
  const { page } = await openPage(world.host.url)
  await trigger(page).waitFor()
  const section = await openSettings(page)
  await section.locator('.mf-setting', { hasText: 'Patience' }).getByText('from the config').waitFor()
  await section.getByRole('switch', { name: 'Take over the model seat' }).click()
  await trigger(page).waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Select model, current/ }).waitFor()
  await world.host.api('/settings', { body: { takeOverModelSeat: null } })
  await trigger(page).waitFor()
  await page.context().close()
})

it('exports a document that imports again with a difference shown first', async () => {
  const { page } = await openPage(world.host.url)
  const section = await openSettings(page, /^Import/)
  await section.getByText(join(world.home.path, 'model-failover')).waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), section.getByRole('button', { name: 'Export' }).click()])
  const document = JSON.parse(readFileSync(await download.path(), 'utf8')) as { groups: { name: string }[] }
  document.groups[0]!.name = 'Renamed'
  const file = join(world.home.work, 'config.json')
  writeFileSync(file, JSON.stringify(document))
  await section.locator('input[type=file]').setInputFiles(file)
  const preview = page.getByRole('dialog', { name: 'The import would change this' })
  await preview.getByText(/Renamed|name/).first().waitFor()
  expect(await violations(page)).toEqual([])
  await preview.getByRole('button', { name: /^Apply/ }).click()
  await preview.waitFor({ state: 'detached' })
  expect(JSON.stringify((await world.host.api('/groups')).body)).toContain('Renamed')
  await page.context().close()
})

it('judges a pasted error without changing anything', async () => {
  const { page } = await openPage(world.host.url)
  const section = await openSettings(page, /^Try/)
  await section.getByRole('textbox', { name: 'Error text' }).fill('429 {"error":{"message":"insufficient_quota: you exceeded your current quota"}}')
  await section.getByRole('button', { name: 'Judge', exact: true }).click()
  await section.getByText('quota used up').waitFor()
  await page.context().close()
})

it('is used with the keyboard alone', async () => {
  const { page, trouble } = await openPage(world.host.url)
  await trigger(page).focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('dialog')
  await panel.waitFor()
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Search names and ids')
  await page.keyboard.type('beta one')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Beta One/)
  await page.keyboard.press('Enter')
  await panel.waitFor({ state: 'detached' })
  expect(await trigger(page).evaluate((element) => element === document.activeElement)).toBe(true)
  await expect.poll(() => trigger(page).getAttribute('aria-label')).toContain('Beta One')
  await page.keyboard.press('Enter')
  await panel.getByRole('tab', { name: 'Models', exact: true }).focus()
  await page.keyboard.press('End')
  await panel.getByRole('tab', { name: 'Dashboard' }).and(page.locator('[aria-selected=true]')).waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  expect(trouble).toEqual([])
  await page.context().close()
})

it('fits a window of 360 pixels', async () => {
  const { page } = await openPage(world.host.url)
  await page.setViewportSize({ width: 360, height: 740 })
  for (const tab of ['Models', 'Routing groups', /^Failed/, 'Dashboard']) {
    const panel = await openPanel(page, tab)
    await page.waitForTimeout(300)
    const box = await panel.boundingBox()
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= 360, String(tab)).toBe(true)
    expect(await panel.evaluate((element) => element.scrollWidth <= element.clientWidth + 1), String(tab)).toBe(true)
    // What does not fit is reached by scrolling.
    await page.setViewportSize({ width: 360, height: 400 })
    expect(await panel.getByRole('tabpanel').evaluate((element) => {
      element.scrollTop = 9999
      return element.scrollTop + element.clientHeight >= element.scrollHeight - 1 && element.getBoundingClientRect().bottom <= innerHeight
    }), String(tab)).toBe(true)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.keyboard.press('Escape')
  }
  await page.context().close()
})

it('follows the host\'s theme at once', async () => {
  const { page } = await openPage(world.host.url)
  const section = await openSettings(page)
  const colour = (): Promise<string> => section.evaluate((element) => getComputedStyle(element).color)
  const light = await colour()
  await page.getByRole('button', { name: 'General', exact: true }).click()
  await page.getByRole('button', { name: /System/ }).click()
  await page.getByText('Dark', { exact: true }).last().click()
  await page.getByRole('button', { name: 'Model failover' }).click()
  await section.getByText('Dialog mode').waitFor()
  expect(await colour()).not.toBe(light)
  // Its colours are all the host's: what it shows is what the host's own page shows.
  expect(await colour()).toBe(await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.color = 'var(--dsw-alias-label-primary)'
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }))
  await page.context().close()
})

it('follows the host\'s language at once', async () => {
  const { page } = await openPage(world.host.url)
  const section = await openSettings(page)
  await section.getByText('Dialog mode').waitFor()
  await page.getByRole('button', { name: 'General', exact: true }).click()
  await page.getByRole('button', { name: /English/ }).click()
  await page.getByText('中文', { exact: true }).last().click()
  await page.getByRole('button', { name: '模型故障转移' }).click()
  await section.getByText('弹窗模式').waitFor()
  await page.context().close()
})
