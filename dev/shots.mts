// `npm run shots [-- --docs]`: pictures of every screen of the plugin on the real host, in both languages and themes, wide and narrow, into shots/. `--docs` renews the four of the readme.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { launchBrowser } from './browser.mts'
import { playDemo, setUpGroup } from './demo.mts'
import { makeHome, makeTemplate, ROOT } from './home.mts'
import { bootHost, type Host } from './host.mts'
import { startUpstream, type Upstream } from './upstream/index.ts'

const FOLDER = join(ROOT, 'shots')
/** Pictures of the readme and the screens they show. */
const DOCS = { 'moved.png': 'en-light-wide-2-moved.png', 'groups.png': 'en-light-wide-5-groups.png', 'dashboard.png': 'en-light-wide-7-dashboard.png', 'settings.png': 'en-light-wide-10-settings-general.png' }

interface Look { readonly language: 'en' | 'zh'; readonly theme: 'light' | 'dark'; readonly width: number; readonly name: string }

const LOOKS: readonly Look[] = (['en', 'zh'] as const).flatMap((language) => (['light', 'dark'] as const).flatMap((theme) => [
  { language, theme, width: 1280, name: `${language}-${theme}-wide` },
  { language, theme, width: 360, name: `${language}-${theme}-narrow` },
]))

/** The labels by which a screen is found, in both languages. */
const WORDS = {
  trigger: /^(?:Choose a model, now|选择模型，当前)/,
  badge: /^(?:Why is this the model|为什么是这个模型)/,
  tabs: [/^(?:Models|模型)/, /^(?:Routing groups|路由分组)/, /^(?:Failed models|失败模型)/, /^(?:Dashboard|数据看板)/],
  settings: /^(?:Settings|设置)$/,
  section: /^(?:Model failover|模型故障转移)$/,
}

let taken = 0

class Camera {
  readonly #page: Page
  readonly #look: Look
  #at = 0
  constructor(page: Page, look: Look) { this.#page = page; this.#look = look }

  async take(what: string): Promise<void> {
    this.#at += 1
    // Animations and the last poll come to rest.
    await this.#page.waitForTimeout(600)
    await this.#page.screenshot({ path: join(FOLDER, `${this.#look.name}-${this.#at}-${what}.png`) })
    taken += 1
  }
}

/** A part that a narrow screen hides behind a button of the host is reached all the same. */
const press = (target: Locator): Promise<void> => target.first().dispatchEvent('click')

async function open(browser: Browser, host: Host, look: Look): Promise<Page> {
  const context = await browser.newContext({ locale: look.language === 'zh' ? 'zh-CN' : 'en-US', colorScheme: look.theme, viewport: { width: look.width, height: 860 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(host.url)
  await page.getByRole('button', { name: WORDS.trigger }).first().waitFor()
  return page
}

async function say(page: Page, text: string): Promise<void> {
  const box = page.locator('textarea, [contenteditable="true"]').first()
  await box.fill(text)
  await box.press('Enter')
}

async function everyScreen(browser: Browser, host: Host, upstream: Upstream, look: Look): Promise<void> {
  const page = await open(browser, host, look)
  const camera = new Camera(page, look)
  await camera.take('start')
  await say(page, look.language === 'zh' ? '你好，哪个模型在回答？' : 'Which model is answering me?')
  await page.getByText(/Here is beta\/b-1/).first().waitFor()
  await camera.take('moved')
  await press(page.getByRole('button', { name: WORDS.badge }))
  await camera.take('why')
  await page.keyboard.press('Escape')
  await press(page.getByRole('button', { name: WORDS.trigger }))
  const dialog = page.getByRole('dialog').last()
  for (const [at, name] of ['models', 'groups', 'failed', 'dashboard'].entries()) {
    const tab = WORDS.tabs[at]
    if (tab) await press(dialog.getByRole('tab', { name: tab }))
    await camera.take(name)
  }
  await page.keyboard.press('Escape')
  upstream.set('beta', 'b-1', 'quota')
  upstream.set('gamma', 'c-1', '500')
  await say(page, look.language === 'zh' ? '再说一遍' : 'Say it again')
  await page.getByText(/Tried:|已尝试：/).first().waitFor()
  await camera.take('all-dead')
  playDemo(upstream)
  upstream.set('beta', 'b-1', 'ok')
  upstream.set('gamma', 'c-1', 'ok')
  await host.api('/failed/reset', { body: {} })
  await settings(page, camera, look)
  await page.context().close()
}

async function settings(page: Page, camera: Camera, look: Look): Promise<void> {
  await camera.take('restored')
  // The host's narrow side bar has buttons without names, so the way there is taken on a wide screen.
  await page.setViewportSize({ width: 1280, height: 860 })
  await press(page.getByRole('button', { name: WORDS.settings }))
  await press(page.getByRole('button', { name: WORDS.section }))
  await page.setViewportSize({ width: look.width, height: 860 })
  const section = page.locator('section.mf')
  await section.waitFor()
  const tabs = section.getByRole('tab')
  for (let at = 0; at < await tabs.count(); at += 1) {
    await press(tabs.nth(at))
    await camera.take(at === 0 ? 'settings-general' : `settings-${at}`)
  }
}

async function main(): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER)
  const template = await makeTemplate()
  const browser = await launchBrowser()
  try {
    await firstRun(browser, template)
    for (const look of LOOKS) {
      const upstream = await startUpstream()
      const home = makeHome({ template, upstream, rowConfig: { enableProbe: false } })
      const host = await bootHost({ home })
      playDemo(upstream)
      await setUpGroup(host)
      try { await everyScreen(browser, host, upstream, look) } finally {
        await host.stop()
        await upstream.close()
        home.remove()
      }
      console.log(look.name)
    }
  } finally {
    await browser.close()
    template.remove()
  }
  if (process.argv.includes('--docs')) for (const [name, shot] of Object.entries(DOCS)) copyFileSync(join(FOLDER, shot), join(ROOT, 'docs/images', name))
  console.log(`${taken} pictures in shots/`)
}

/** What somebody sees who has no group yet. */
async function firstRun(browser: Browser, template: { readonly path: string }): Promise<void> {
  const upstream = await startUpstream()
  const home = makeHome({ template, upstream })
  const host = await bootHost({ home })
  try {
    for (const look of LOOKS.filter(({ theme }) => theme === 'light')) {
      const page = await open(browser, host, look)
      const camera = new Camera(page, { ...look, name: `first-run-${look.name}` })
      await press(page.getByRole('button', { name: WORDS.trigger }))
      for (const [at, tab] of WORDS.tabs.entries()) {
        if (at === 0) continue
        await press(page.getByRole('dialog').last().getByRole('tab', { name: tab }))
        await camera.take(['models', 'groups', 'failed', 'dashboard'][at] ?? '')
      }
      await page.context().close()
    }
  } finally {
    await host.stop()
    await upstream.close()
    home.remove()
  }
}

await main()
