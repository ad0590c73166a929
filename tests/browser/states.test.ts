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

interface TraceEvent { readonly name: string; readonly ts: number; readonly dur?: number; readonly pid: number; readonly tid: number; readonly args?: { readonly data?: { readonly type?: string } } }

/** Milliseconds from the last click of an act to the end of the first paint after it, from the browser's own trace. */
async function firstPaint(page: Page, act: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser()
  if (!browser) throw new Error('the page has no browser')
  await browser.startTracing(page, { categories: ['devtools.timeline'] })
  await act()
  await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => { requestAnimationFrame(resolve) }) }))
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly TraceEvent[] }
  const click = traceEvents.findLast(({ name, args }) => name === 'EventDispatch' && args?.data?.type === 'click')
  if (!click) throw new Error('the trace holds no click')
  const ends = traceEvents.filter(({ name, ts, pid, tid }) => (name === 'Layerize' || name === 'Commit') && ts > click.ts && pid === click.pid && tid === click.tid).map(({ ts, dur = 0 }) => ts + dur)
  if (ends.length === 0) throw new Error('the trace holds no paint after the click')
  return (Math.min(...ends) - click.ts) / 1000
}

it('reports how soon the dialog and the dashboard of 500 models are painted', async () => {
  const dialogs: number[] = []
  const dashboards: number[] = []
  for (let run = 0; run < 3; run += 1) {
    const { page } = await openOn(bigHouse(Date.now(), version))
    const panel = dialog(page)
    dialogs.push(await firstPaint(page, async () => {
      await trigger(page).click()
      await panel.locator('.mf-row').first().waitFor()
    }))
    const dashboard = panel.getByRole('tab', { name: 'Dashboard' })
    await dashboard.click()
    await panel.locator('tbody tr').first().waitFor()
    await panel.getByRole('tab', { name: 'Models', exact: true }).click()
    await panel.locator('.mf-row').first().waitFor()
    // The figures have come already: what is measured is the table, not the way of the request through this test.
    dashboards.push(await firstPaint(page, async () => {
      await dashboard.click()
      await panel.locator('tbody tr').first().waitFor()
    }))
    await page.context().close()
  }
  const middle = (taken: number[]): number => taken.sort((x, y) => x - y)[1] ?? Number.NaN
  // Reported, not asserted: it depends on the machine.
  process.stdout.write(`first paint with 500 models and 40 groups: dialog ${middle(dialogs).toFixed(1)} ms, dashboard ${middle(dashboards).toFixed(1)} ms (middle of three)\n`)
  expect(middle(dialogs)).toBeGreaterThan(0)
  expect(middle(dashboards)).toBeGreaterThan(0)
})

it('keeps a house of 500 models and 40 groups light', async () => {
  const { page, trouble } = await openOn(bigHouse(Date.now(), version))
  const panel = await openPanel(page, 'Dashboard')
  await panel.locator('tbody tr').first().waitFor()
  expect(await panel.locator('tbody tr').count()).toBeLessThan(60)
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
