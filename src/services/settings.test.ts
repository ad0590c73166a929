import { beforeEach, expect, it } from 'vitest'
import { MemoryDocument } from '../../tests/support/memory-document.ts'
import { readConfig } from '../contract/config.ts'
import { settingsReply, type SettingsDocument } from '../contract/settings.ts'
import { createSettings, type SettingsService } from './settings.ts'

let document: MemoryDocument<SettingsDocument>
let settings: SettingsService
const open = (row: Record<string, unknown>): SettingsService => createSettings({ document, config: readConfig(row).config, configured: new Set(Object.keys(row)) })

beforeEach(() => {
  document = new MemoryDocument<SettingsDocument>({ version: 1, settings: {} })
  settings = open({ drill: true, defaultConcurrency: 4 })
})

it('takes the page over the row and the row over the default, and says which', async () => {
  expect(settings.current()).toMatchObject({ drill: true, defaultConcurrency: 4, notifyUser: true, sources: { drill: 'config', defaultConcurrency: 'config', notifyUser: 'default' } })
  await settings.update({ drill: false })
  expect(settings.current()).toMatchObject({ drill: false, sources: { drill: 'ui', defaultConcurrency: 'config' } })
  settingsReply.parse(settings.current())
})

it('null gives a key back, and false or 0 is a value', async () => {
  await settings.update({ drill: false, defaultConcurrency: 0, metricsSort: { column: 'ttft', direction: 'asc' } })
  expect(settings.current()).toMatchObject({ drill: false, defaultConcurrency: 0 })
  await settings.update({ drill: null, metricsSort: null })
  expect(settings.current()).toMatchObject({ drill: true, metricsSort: null, sources: { drill: 'config', metricsSort: 'default', defaultConcurrency: 'ui' } })
  expect(settings.stored()).toEqual({ defaultConcurrency: 0 })
})

it('counts and tells only what is on disk', async () => {
  const seen: boolean[] = []
  settings.onChange(({ drill }) => seen.push(drill))
  document.failing = true
  await expect(settings.update({ drill: false })).rejects.toMatchObject({ kind: 'unavailable' })
  expect([settings.current().drill, seen]).toEqual([true, []])
  document.failing = false
  await settings.update({ drill: false })
  expect(seen).toEqual([false])
})

it('stays the same object until something changes', async () => {
  const before = settings.current()
  expect(settings.current()).toBe(before)
  await settings.update({ dialogMode: false })
  expect(settings.current()).not.toBe(before)
})

it('two changes of different keys at the same time both count', async () => {
  await Promise.all([settings.update({ dialogMode: false }), settings.update({ patience: 'ride' })])
  expect(settings.current()).toMatchObject({ dialogMode: false, patience: 'ride' })
})
