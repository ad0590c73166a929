// States a real host reaches rarely: a big house, a host that is gone, refuses, or has another version. The mock host answers.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { createMock } from '../../client/testing/mock.ts'
import type { MockState } from '../../client/testing/mock.ts'
import { bigHouse } from '../../client/testing/scenes.ts'
import { status } from '../../client/testing/builders.ts'
import manifest from '../../package.json' with { type: 'json' }
import { openPage } from '../support/page.ts'
import { openWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'
import { dialog, openPanel, trigger, violations } from './panel.ts'

const { version } = manifest
let world: World

beforeAll(async () => {
  world = await openWorld()
})

afterAll(async () => {
  await world.close()
})

/** The host's page with every request of ours answered by a mock. */
async function openOn(over: Partial<MockState>) {
  const mock = createMock(over)
  const { page, trouble } = await openPage('about:blank')
  await page.route('**/api/model-failover/**', async (route) => {
    if (mock.down) return route.abort()
    const request = route.request()
    const reply = mock.answer(request.method(), request.url(), request.postDataJSON(), request.headers()['if-none-match'] ?? null)
    return route.fulfill({ status: reply.status, contentType: 'application/json', ...(reply.etag ? { headers: { etag: reply.etag } } : {}), ...(reply.status === 304 ? {} : { body: JSON.stringify(reply.body) }) })
  })
  await page.goto(world.host.url)
  await trigger(page).waitFor()
  return { page, mock, trouble }
}

/** Milliseconds of processor time the page's main thread spends on an act; other work on the machine does not count. */
async function cost(page: Page, act: () => Promise<unknown>): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const spent = async () => (await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  const before = await spent()
  await act()
  return (await spent() - before) * 1000
}

it('keeps a house of 500 models and 40 groups light', async () => {
  const { page, trouble } = await openOn(bigHouse(Date.now(), version))
  const panel = await openPanel(page, 'Dashboard')
  await panel.locator('tbody tr').first().waitFor()
  expect(await panel.locator('tbody tr').count()).toBeLessThan(60)
  await panel.getByRole('tab', { name: 'Models', exact: true }).click()
  await panel.locator('.mf-row').first().waitFor()
  const spent = await cost(page, async () => {
    await panel.getByRole('tab', { name: 'Dashboard' }).click()
    await panel.locator('tbody tr').first().waitFor()
  })
  expect(spent, 'milliseconds to draw the dashboard').toBeLessThan(300)
  await panel.locator('.mf-table').evaluate((table) => { table.scrollTop = table.scrollHeight })
  await panel.getByRole('row').last().waitFor()
  expect(await panel.locator('tbody tr').count()).toBeLessThan(60)
  await panel.getByRole('tab', { name: 'Models', exact: true }).click()
  expect(await panel.locator('.mf-row').count()).toBeLessThan(120)
  await panel.getByRole('tab', { name: /^Routing/ }).click()
  await panel.locator('.mf-row').first().waitFor()
  expect(await panel.locator('.mf-row').count()).toBeLessThan(120)
  expect(trouble).toEqual([])
  await page.context().close()
})

it('moves nothing on the screen while it polls', async () => {
  const { page } = await openOn(bigHouse(Date.now(), version))
  const panel = await openPanel(page, 'Dashboard')
  await panel.locator('tbody tr').nth(3).waitFor()
  await page.waitForTimeout(500)
  const shift = await page.evaluate(() => new Promise<number>((resolve) => {
    let sum = 0
    new PerformanceObserver((list) => {
      for (const each of list.getEntries()) sum += (each as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: false })
    setTimeout(() => resolve(sum), 7000)
  }))
  expect(shift).toBe(0)
  await page.context().close()
})

it('keeps the last good state beside a host that is gone, and recovers', async () => {
  const { page, mock } = await openOn({ status: status({ version }) })
  const panel = await openPanel(page, /^Routing/)
  mock.down = true
  await panel.getByText('The host half does not answer').waitFor()
  expect(await violations(page)).toEqual([])
  mock.down = false
  await panel.getByText('The host half does not answer').waitFor({ state: 'detached' })
  await page.context().close()
})

it('says when the tab is older than the host', async () => {
  const { page } = await openOn({ status: status({ version: '9.9.9' }) })
  await openPanel(page, 'Models')
  await dialog(page).getByText(/reload/i).first().waitFor()
  await page.context().close()
})
