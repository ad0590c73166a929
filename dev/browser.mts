// A Chromium for the browser tests: the installed one, or Debian's by apt-get where this process may install it.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

const PLACES = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Runs headless without a sandbox (it also works as root in a container) and calls nobody by itself. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

const find = (): string | null => PLACES.find((path) => path !== undefined && existsSync(path)) ?? null

function aptGet(args: readonly string[]): boolean {
  console.log(`apt-get ${args.join(' ')}`)
  return spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status === 0
}

/** Path of a Chromium; installs one when it is missing, this is Debian and the user is root. Throws with what to do otherwise. */
export function requireChromium(): string {
  const found = find()
  if (found !== null) return found
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    aptGet(['update', '-qq'])
    aptGet(['install', '-y', '-qq', '--no-install-recommends', 'chromium'])
    // For legible pictures of the Chinese page; the tests do not depend on it.
    aptGet(['install', '-y', '-qq', '--no-install-recommends', 'fonts-noto-cjk'])
  }
  const installed = find()
  if (installed !== null) return installed
  throw new Error('no Chromium found: install it (on Debian: apt-get install chromium), or name its path in the variable CHROMIUM')
}

/** Starts a headless browser; the caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: requireChromium(), args: FLAGS, chromiumSandbox: false })
}
