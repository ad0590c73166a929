import { chmod, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { locate, prepareFolder } from './layout.ts'
import { memoryLog, tempFolder } from './testing/folder.ts'

const at = (dataDir: string | undefined, env: Record<string, string> = { DSH_HOME: '/srv/dsh' }) => locate(dataDir, { env, userHome: '/home/u' })

it.each([
  [undefined, '/srv/dsh/model-failover'],
  ['', '/srv/dsh/model-failover'],
  ['  ', '/srv/dsh/model-failover'],
  ['/data/mf', '/data/mf'],
  ['~/mf', '/home/u/mf'],
  ['~', '/home/u'],
  ['$DSH_HOME/other', '/srv/dsh/other'],
  ['${DSH_HOME}/other', '/srv/dsh/other'],
  ['$NOWHERE/x', '/srv/dsh/$NOWHERE/x'],
  ['mine', '/srv/dsh/mine'],
  ['/a/../b/', '/b'],
])('the data folder for %j is %s', (dataDir, dir) => {
  expect(at(dataDir).dir).toBe(dir)
})

it('falls back to ~/.dsh for the home, in $DSH_HOME as well', () => {
  expect(at(undefined, {})).toEqual({ home: '/home/u/.dsh', dir: '/home/u/.dsh/model-failover', own: true, legacyDir: '/home/u/.dsh/model-failover-manager' })
  expect(at('$DSH_HOME/x', {}).dir).toBe('/home/u/.dsh/x')
  expect(at(undefined, { DSH_HOME: '~/h' }).dir).toBe('/home/u/h/model-failover')
})

let folder: Awaited<ReturnType<typeof tempFolder>>
beforeEach(async () => { folder = await tempFolder() })
afterEach(() => folder.remove())
const mode = async (path: string) => (await stat(path)).mode & 0o777

it('makes the folder for the owner only', async () => {
  const dir = join(folder.dir, 'a/b')
  expect(await prepareFolder(dir, true, memoryLog())).toBeNull()
  expect(await mode(dir)).toBe(0o700)
})

it('tightens its own folder and leaves the mode of a folder the user named', async () => {
  const dir = join(folder.dir, 'a')
  await mkdir(dir)
  await chmod(dir, 0o755)
  await prepareFolder(dir, false, memoryLog())
  expect(await mode(dir)).toBe(0o755)
  await prepareFolder(dir, true, memoryLog())
  expect(await mode(dir)).toBe(0o700)
})

it('says what is wrong instead of throwing when a file stands in its place', async () => {
  await writeFile(join(folder.dir, 'a'), '')
  expect(await prepareFolder(join(folder.dir, 'a'), true, memoryLog())).toContain('EEXIST')
  expect(await prepareFolder(join(folder.dir, 'a/b'), true, memoryLog())).toContain('ENOTDIR')
})
