import { expect, it } from 'vitest'
import { API_PREFIX, api } from '../src/contract/api.ts'
import { PREFIX, paths } from './paths.ts'

it('names operations of the contract with their method and path', () => {
  for (const [name, text] of Object.entries(paths)) {
    const { method, path } = api[name as keyof typeof paths]
    expect(text).toBe(`${method} ${path}`)
  }
  expect(PREFIX).toBe(API_PREFIX)
})
