import { expect, it } from 'vitest'
import { MemoryDocument } from '../../tests/support/memory-document.ts'
import type { ConcurrencyDocument } from '../contract/group.ts'
import { createLimits } from './limits.ts'

const open = () => {
  const document = new MemoryDocument<ConcurrencyDocument>({ version: 1, limits: {} })
  return { document, limits: createLimits({ document }) }
}
const route = { provider: 'a/b', model: 'm' }

it('a positive number sets, 0, an empty text and null clear', async () => {
  const { limits } = open()
  for (const clear of [0, '', null] as const) {
    expect(await limits.set(route, 3)).toEqual({ 'a%2Fb/m': 3 })
    expect(limits.of(route)).toBe(3)
    expect(await limits.set(route, clear)).toEqual({})
    expect(limits.of(route)).toBeNull()
  }
})

it('counts and tells only what is on disk', async () => {
  const { document, limits } = open()
  let told = 0
  limits.onChange(() => { told++ })
  document.failing = true
  await expect(limits.set(route, 3)).rejects.toMatchObject({ kind: 'unavailable' })
  expect([limits.of(route), told]).toEqual([null, 0])
})

it('two models set at the same time both count', async () => {
  const { limits } = open()
  await Promise.all([limits.set(route, 1), limits.set({ provider: 'p', model: 'n' }, 2)])
  expect(limits.all()).toEqual({ 'a%2Fb/m': 1, 'p/n': 2 })
})
