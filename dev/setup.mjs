// Installs the development tools exactly as the lock file says; needs only Node 20 and npm, and returns at once when they are there.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** @param {string} path @returns {string} the file's text, '' when it is not there */
function text(path) {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return ''
  }
}

// pnpm leaves a byte-equal copy of the lock file behind only after a complete install.
if (text('pnpm-lock.yaml') !== text('node_modules/.pnpm/lock.yaml')) {
  const installer = JSON.parse(text('package.json')).packageManager
  // Run from elsewhere: inside the project npx would pick node_modules/pnpm, which the install itself replaces.
  const cwd = mkdtempSync(join(tmpdir(), 'mf-setup-'))
  const args = ['--yes', installer, '--dir', root, 'install', '--frozen-lockfile', '--ignore-scripts', '--reporter=append-only']
  console.log(`Setting up the development tools (npx ${installer} install) …`)
  const run = spawnSync('npx', args, { cwd, stdio: 'inherit', env: { ...process.env, CI: '1' }, shell: process.platform === 'win32' })
  rmSync(cwd, { recursive: true, force: true })
  if (run.status !== 0) {
    console.error(`The set-up failed: ${run.error?.message ?? `npx ended with ${run.status ?? run.signal}`}. It needs npm and a package registry it can reach.`)
    process.exit(1)
  }
}
