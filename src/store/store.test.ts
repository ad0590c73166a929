import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ManualTime } from '../../tests/support/manual-time.ts'
import type { Files } from './files.ts'
import { openStore, type Store } from './store.ts'
import { failingFiles, memoryLog, tempFolder } from './testing/folder.ts'

let folder: Awaited<ReturnType<typeof tempFolder>>
let stores: Store[] = []
const dir = () => join(folder.dir, 'model-failover')
const older = () => join(folder.dir, 'model-failover-manager')
const broken = new Map<keyof Files, string>()

async function open(options: { readonly dir?: string } = {}): Promise<Store> {
  const store = await openStore({ dir: dir(), own: true, legacyDir: older(), time: new ManualTime(), log: memoryLog(), files: failingFiles(broken), ...options })
  stores.push(store)
  return store
}

async function writeOlder(files: Readonly<Record<string, unknown>>): Promise<void> {
  await mkdir(older())
  for (const [name, content] of Object.entries(files)) await writeFile(join(older(), name), typeof content === 'string' ? content : JSON.stringify(content))
}

beforeEach(async () => {
  folder = await tempFolder()
  stores = []
  broken.clear()
})
afterEach(async () => {
  broken.clear()
  for (const store of stores) await store.close()
  await folder.remove()
})

it('opens an empty folder with defaults and no problem, and closes', async () => {
  const store = await open()
  expect(store.groups.value).toEqual({ version: 1, groups: [] })
  expect(store.problems()).toEqual([])
  expect((await stat(dir())).mode & 0o777).toBe(0o700)
})

it('runs in memory where no folder can be made, says so, and recovers when it can', async () => {
  await writeFile(dir(), 'in the way')
  const store = await open()
  expect(store.problems()[0]?.problem).toContain('cannot be made')
  await expect(store.groups.replace({ version: 1, groups: [] })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  store.settings.set({ version: 1, settings: { drill: true } })
  expect(store.settings.value.settings.drill).toBe(true)
  await rm(dir())
  await store.flush()
  await store.groups.replace({ version: 1, groups: [] })
  expect(store.problems()).toEqual([])
})

describe('the first start beside an older plugin', () => {
  const files = {
    'groups.json': [{ id: 'g-1', name: 'Free', models: [{ provider: 'p', model: 'm', priority: 1 }, { provider: '' }] }],
    'session-bindings.json': { s1: { groupId: 'g-1', mode: 'route' }, s2: { groupId: 'gone', mode: 'route' } },
    'default-binding.json': { groupId: 'g-1', mode: 'failover' },
    'failed.json': { day: '2025-03-03', models: { 'p/m': { code: 'QUOTA', reason: 'empty' } } },
    'settings.json': { dialogMode: false },
    'model-concurrency.json': { 'p/m': 2 },
  }

  it('takes its files over, names what it left out, and writes nothing there', async () => {
    await writeOlder(files)
    const before = await Promise.all((await readdir(older())).map(async (name) => [name, await readFile(join(older(), name), 'utf8'), (await stat(join(older(), name))).mtimeMs]))
    const store = await open()
    expect(store.groups.value.groups).toEqual([{ id: 'g-1', rev: 1, name: 'Free', enabled: true, models: [{ provider: 'p', model: 'm', priority: 1 }] }])
    expect(Object.keys(store.bindings.value.sessions)).toEqual(['s1'])
    expect(store.defaultBinding.value.binding).toEqual({ groupId: 'g-1', mode: 'failover' })
    expect(store.failed.value).toMatchObject({ day: '2025-03-03', marks: [{ provider: 'p', model: 'm', code: 'QUOTA' }] })
    expect(store.settings.value.settings).toEqual({ dialogMode: false })
    expect(store.concurrency.value.limits).toEqual({ 'p/m': 2 })
    expect(store.problems().map(({ file }) => file)).toEqual(['model-failover-manager/groups.json', 'model-failover-manager/session-bindings.json'])
    expect(await Promise.all((await readdir(older())).map(async (name) => [name, await readFile(join(older(), name), 'utf8'), (await stat(join(older(), name))).mtimeMs]))).toEqual(before)
  })

  it('happens once', async () => {
    await writeOlder(files)
    const first = await open()
    await first.groups.replace({ version: 1, groups: [] })
    await first.close()
    const second = await open()
    expect(second.groups.value.groups).toEqual([])
    expect(second.problems()).toEqual([])
  })

  it('never touches a document that is there already', async () => {
    await writeOlder(files)
    await mkdir(dir())
    await writeFile(join(dir(), 'settings.json'), '{"version":1,"settings":{"dialogMode":true}}')
    const store = await open()
    expect(store.settings.value.settings).toEqual({ dialogMode: true })
    expect(store.groups.value.groups).toHaveLength(1)
  })

  it('is tried again at the next start if it could not be written', async () => {
    await writeOlder(files)
    broken.set('rename', 'ENOSPC')
    const first = await open()
    expect(first.groups.value.groups).toHaveLength(1)
    await first.close()
    broken.clear()
    const second = await open()
    expect(second.groups.value.groups).toHaveLength(1)
    await second.close()
    expect((await open()).problems().filter(({ file }) => file.startsWith('model-failover-manager'))).toEqual([])
  })

  it('a file that is no JSON is named, the others are taken', async () => {
    await writeOlder({ ...files, 'settings.json': '{' })
    const store = await open()
    expect(store.problems().some(({ file, problem }) => file.endsWith('settings.json') && problem.includes('not JSON'))).toBe(true)
    expect(store.concurrency.value.limits).toEqual({ 'p/m': 2 })
  })

  it('a data folder that is the older folder itself is carried over with the originals kept', async () => {
    await writeOlder(files)
    const store = await open({ dir: older() })
    expect(store.groups.value.groups[0]?.name).toBe('Free')
    expect(store.concurrency.value.limits).toEqual({ 'p/m': 2 })
    await store.close()
    const kept = (await readdir(older())).filter((name) => name.includes('.older-'))
    expect(kept).toHaveLength(6)
    expect((await open({ dir: older() })).problems()).toEqual([])
  })
})
