// The plugin's own controls on the host's page, found by role and name as a person would; and the accessibility check.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const trigger = (page: Page): Locator => page.getByRole('button', { name: /^(?:Choose a model, now|选择模型，当前)/ })
export const badge = (page: Page): Locator => page.getByRole('button', { name: /^(?:Why is this the model|为什么是这个模型)/ })
export const dialog = (page: Page): Locator => page.getByRole('dialog')

/** Opens the large panel at a tab. */
export async function openPanel(page: Page, tab: string | RegExp): Promise<Locator> {
  await trigger(page).click()
  await dialog(page).getByRole('tab', typeof tab === 'string' ? { name: tab, exact: true } : { name: tab }).click()
  return dialog(page)
}

/** Opens the plugin's page in the host's settings at a tab. */
export async function openSettings(page: Page, tab?: string | RegExp): Promise<Locator> {
  await page.getByRole('button', { name: /^(?:Settings|设置)$/ }).first().click()
  await page.getByRole('button', { name: /^(?:Model failover|模型故障转移)$/ }).click()
  const section = page.locator('section.mf')
  await section.waitFor()
  if (tab !== undefined) await section.getByRole('tab', { name: tab }).click()
  return section
}

/** What axe has against the parts of the page that are the plugin's, in the light and in the dark theme; with `once` only in the present one. */
export async function violations(page: Page, once = false): Promise<string[]> {
  const dark = (): Promise<boolean> => page.evaluate(() => document.body.hasAttribute('data-ds-dark-theme'))
  await page.evaluate(AXE)
  if (once) return against(page)
  const before = await dark()
  const found: string[] = []
  for (const theme of before ? ['light', 'dark'] as const : ['dark', 'light'] as const) {
    // The host follows the system, as it is set up in these tests.
    await page.emulateMedia({ colorScheme: theme })
    await expect.poll(dark).toBe(theme === 'dark')
    found.push(...(await against(page)).map((text) => `${theme}: ${text}`))
  }
  return found
}

async function against(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    interface Axe { run(context: unknown, options: unknown): Promise<{ violations: readonly { id: string; nodes: readonly { html: string; failureSummary?: string }[] }[] }> }
    const { axe } = globalThis as unknown as { axe: Axe }
    const own = [...document.querySelectorAll('.mf')].filter((element) => element.parentElement?.closest('.mf') === null && element.getClientRects().length > 0)
    const result = await axe.run({ include: own }, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'], rules: { region: { enabled: false }, 'page-has-heading-one': { enabled: false }, 'heading-order': { enabled: false } } })
    return result.violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary?.slice(0, 200) ?? ''}`))
  })
}
