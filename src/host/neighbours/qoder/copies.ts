/** The bundles and the codec file of the qoder plugins on disk: found by their fixed places, checked, mended if allowed. */
import { constants } from 'node:fs'
import { access, chmod, copyFile, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { QoderShimStatus } from '../../../contract/status.ts'
import { HOOK_LINE, insertHook, inspectHook } from './hook.ts'

/** One copy of the bundle; `scope` says whose it is, for people: `plugins` or `profile:<name>`. */
export interface Copy { readonly scope: string; readonly path: string }
export type HookState = QoderShimStatus['hookRepair']['state']
export interface Checked { readonly scope: string; readonly state: HookState; readonly detail: string }

const BUNDLE = join('vendor', 'channel-pack', 'pack.js')
const CODEC = join('node_modules', 'dsh-codearts-auth', 'lib', 'qoder-wasm.js')

/** Every copy of the bundle under a DSH home: of hand-placed plugins, and of each profile's plugins and packages. */
export async function findBundles(home: string): Promise<Copy[]> {
  const found: Copy[] = []
  for (const name of await names(join(home, 'plugins'))) await take(found, 'plugins', join(home, 'plugins', name, BUNDLE))
  for (const profile of await names(join(home, 'profiles'))) {
    const modules = join(home, 'profiles', profile, 'node_modules')
    const placed = join(home, 'profiles', profile, 'plugins')
    for (const name of await names(placed)) await take(found, `profile:${profile}`, join(placed, name, BUNDLE))
    for (const name of await packages(modules)) await take(found, `profile:${profile}`, join(modules, name, BUNDLE))
  }
  return found
}

/** The codec file: the configured one if it exists, else the one of each profile that has it. */
export async function findCodecs(home: string, configured: string | null): Promise<string[]> {
  if (configured !== null) return await exists(configured) ? [configured] : []
  const found: string[] = []
  for (const profile of await names(join(home, 'profiles'))) {
    const path = join(home, 'profiles', profile, CODEC)
    if (await exists(path)) found.push(path)
  }
  return found
}

/** Checks one bundle. With `repair` a missing hook is written at its one place, after a backup beside the file. */
export async function checkBundle(copy: Copy, repair: boolean): Promise<Checked> {
  const { scope, path } = copy
  let text: string
  try { text = await readFile(path, 'utf8') } catch (error) { return { scope, state: 'failed', detail: `cannot be read (${codeOf(error)})` } }
  const verdict = inspectHook(text)
  if (verdict.state === 'ok') return { scope, state: 'ok', detail: 'the hook is there' }
  if (verdict.state === 'stale') return { scope, state: 'stale', detail: `a hook is there but does not hand out QoderEncryptedInfer; right would be: ${HOOK_LINE}` }
  if (verdict.insertAt === null) return { scope, state: 'skipped', detail: `${verdict.why}; nothing was changed` }
  if (!repair) return { scope, state: 'skipped', detail: `qoderShimRepair is off; right behind "class QoderEncryptedInfer {" add: ${HOOK_LINE}` }
  try {
    await replaceFile(path, text, insertHook(text, verdict.insertAt))
    return { scope, state: 'repaired', detail: 'the hook was written; it takes effect at the next start of the host' }
  } catch (error) {
    return { scope, state: 'failed', detail: `the hook could not be written (${codeOf(error)})` }
  }
}

/** Backs the file up and puts the new text in its place at once; a hard link to a package store is not written through. */
async function replaceFile(path: string, old: string, text: string): Promise<void> {
  const { mode } = await stat(path)
  await access(path, constants.W_OK)
  await copyFile(path, await freeBackup(path, old))
  const draft = `${path}.${process.pid}.tmp`
  try {
    await writeFile(draft, text, { flag: 'wx' })
    await chmod(draft, mode & 0o777)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** `.bak`, or the first of `.bak.1`, `.bak.2`, … when an earlier backup holds another text. */
async function freeBackup(path: string, old: string): Promise<string> {
  for (let number = 0; number < 100; number++) {
    const backup = number === 0 ? `${path}.bak` : `${path}.bak.${number}`
    if (!await exists(backup) || await readFile(backup, 'utf8') === old) return backup
  }
  throw Object.assign(new Error('too many backups'), { code: 'EEXIST' })
}

/** The state of all copies together: the worst of them, each named when they differ. */
export function together(copies: readonly Checked[]): { readonly state: HookState; readonly detail: string } {
  const order: readonly HookState[] = ['failed', 'stale', 'skipped', 'repaired', 'pending-restart', 'ok', 'absent']
  const worst = copies.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))[0]
  if (!worst) return { state: 'absent', detail: 'no bundle with an encryptor was found' }
  return { state: worst.state, detail: copies.length > 1 ? `${worst.scope}: ${worst.detail}` : worst.detail }
}

async function take(found: Copy[], scope: string, path: string): Promise<void> {
  if (await exists(path)) found.push({ scope, path })
}

async function packages(modules: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await names(modules)) {
    if (name.startsWith('@')) found.push(...(await names(join(modules, name))).map((inner) => join(name, inner)))
    else found.push(name)
  }
  return found
}

async function names(folder: string): Promise<string[]> {
  try { return (await readdir(folder)).filter((name) => !name.startsWith('.')).sort() } catch { return [] /* no such folder: nothing is installed there */ }
}

async function exists(path: string): Promise<boolean> {
  try { return (await stat(path)).isFile() } catch { return false /* not there, or not for us */ }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error'
}
