import { expect, it } from 'vitest'
import { API_PREFIX, api } from '../src/contract/api.ts'
import { PREFIX, paths } from './paths.ts'

it('names every operation of the contract with its method and path', () => {
  const contract = Object.fromEntries(Object.entries(api).map(([name, { method, path }]) => [name, [method, path]]))
  expect(paths).toEqual(contract)
  expect(PREFIX).toBe(API_PREFIX)
})
