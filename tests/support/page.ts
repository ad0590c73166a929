// A page of the real host in a browser, in a language of choice, with everything that went wrong on it.
import { afterAll, expect } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../../dev/browser.mts'

export type Language = 'en' | 'zh'

export interface OpenPage {
  readonly page: Page
  /** Uncaught errors and console errors so far; a page in good health has none. */
  readonly trouble: readonly string[]
}

let browser: Promise<Browser> | null = null

afterAll(async () => {
  await (await browser)?.close()
  browser = null
})

/** Opens an address in a new browser context; the browser is shared by the tests of a file. */
export async function openPage(url: string, language: Language = 'en', colorScheme: 'light' | 'dark' = 'light'): Promise<OpenPage> {
  browser ??= launchBrowser()
  const context = await (await browser).newContext({ locale: language === 'zh' ? 'zh-CN' : 'en-US', colorScheme, viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  page.setDefaultNavigationTimeout(60_000)
  const trouble: string[] = []
  page.on('pageerror', (error) => trouble.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') trouble.push(message.text())
  })
  await page.goto(url)
  return { page, trouble }
}

/** Writes a message into the composer and sends it. */
export async function say(page: Page, text: string): Promise<void> {
  const box = page.locator('textarea, [contenteditable="true"]').first()
  await box.fill(text)
  await box.press('Enter')
}

/** Waits until the page shows a text. */
export async function seeText(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor()
  expect(await page.getByText(text).first().isVisible()).toBe(true)
}
