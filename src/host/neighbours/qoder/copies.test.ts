import { chmodSync, linkSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bundleText, CODEC, PLUGIN_BUNDLE, PROFILE_BUNDLE, put } from '../../../../tests/support/neighbours.ts'
import { checkBundle, findBundles, findCodecs, together } from './copies.ts'
import { HOOK_GLOBAL } from './hook.ts'

let home: string
beforeEach(() => { home = mkdtempSync(join(tmpdir(), 'copies-')) })
afterEach(() => { rmSync(home, { recursive: true, force: true }) })

it('finds nothing in a home without neighbours, or without a home', async () => {
  expect(await findBundles(home)).toEqual([])
  expect(await findCodecs(home, null)).toEqual([])
  expect(await findBundles(join(home, 'nowhere'))).toEqual([])
})

it('finds every copy with its scope, also of scoped packages', async () => {
  put(home, PLUGIN_BUNDLE, bundleText())
  put(home, PROFILE_BUNDLE, bundleText())
  put(home, PROFILE_BUNDLE.replace('web', 'tui').replace('dsh-our', '@x/dsh-our'), bundleText())
  expect((await findBundles(home)).map(({ scope }) => scope)).toEqual(['plugins', 'profile:tui', 'profile:web'])
})

it('finds the codec file of a profile, or the configured one only', async () => {
  const codec = put(home, CODEC, '')
  expect(await findCodecs(home, null)).toEqual([codec])
  const other = put(home, 'elsewhere/qoder-wasm.js', '')
  expect(await findCodecs(home, other)).toEqual([other])
  expect(await findCodecs(home, join(home, 'missing.js'))).toEqual([])
})

it('only names the line while writing is not allowed', async () => {
  const path = put(home, PROFILE_BUNDLE, bundleText())
  expect(await checkBundle({ scope: 'profile:web', path }, false)).toMatchObject({ state: 'skipped', detail: expect.stringContaining(`globalThis.${HOOK_GLOBAL} = this`) as unknown })
  expect(readFileSync(path, 'utf8')).toBe(bundleText())
  expect(readdirSync(dirname(path))).toEqual(['pack.js'])
})

it('writes the hook once, keeps mode and backup, and leaves a linked store file alone', async () => {
  const path = put(home, PROFILE_BUNDLE, bundleText())
  chmodSync(path, 0o640)
  linkSync(path, join(home, 'store.js'))
  expect((await checkBundle({ scope: 'p', path }, true)).state).toBe('repaired')
  expect((await checkBundle({ scope: 'p', path }, true)).state).toBe('ok')
  expect(readFileSync(`${path}.bak`, 'utf8')).toBe(bundleText())
  expect(readFileSync(join(home, 'store.js'), 'utf8')).toBe(bundleText())
  expect(statSync(path).mode & 0o777).toBe(0o640)
  expect(readdirSync(dirname(path)).sort()).toEqual(['pack.js', 'pack.js.bak'])
})

it('never overwrites another backup', async () => {
  const path = put(home, PROFILE_BUNDLE, bundleText())
  put(home, `${PROFILE_BUNDLE}.bak`, 'of the user')
  expect((await checkBundle({ scope: 'p', path }, true)).state).toBe('repaired')
  expect(readFileSync(`${path}.bak`, 'utf8')).toBe('of the user')
  expect(readFileSync(`${path}.bak.1`, 'utf8')).toBe(bundleText())
})

it('does not touch a file whose place is not unique, even when allowed', async () => {
  const path = put(home, PROFILE_BUNDLE, bundleText({ twice: true }))
  expect((await checkBundle({ scope: 'p', path }, true)).state).toBe('skipped')
  expect(readdirSync(dirname(path))).toEqual(['pack.js'])
})

it('says when a file cannot be read', async () => {
  expect(await checkBundle({ scope: 'p', path: join(home, 'gone.js') }, true)).toMatchObject({ state: 'failed', detail: expect.stringContaining('ENOENT') as unknown })
})

it('shows the worst of several copies, or that there is none', () => {
  expect(together([]).state).toBe('absent')
  expect(together([{ scope: 'plugins', state: 'ok', detail: 'a' }])).toEqual({ state: 'ok', detail: 'a' })
  expect(together([{ scope: 'plugins', state: 'ok', detail: 'a' }, { scope: 'profile:web', state: 'skipped', detail: 'b' }])).toEqual({ state: 'skipped', detail: 'profile:web: b' })
})
