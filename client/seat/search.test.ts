import { expect, it } from 'vitest'
import { models } from '../testing/builders.ts'
import { matching } from './search.ts'

const ids = (query: string, provider: string | null = null) => matching(models(), query, provider).map(({ model }) => model.id)

it('finds by name, id and provider, every word somewhere', () => {
  expect(ids('ONE')).toEqual(['a-1', 'b-1', 'c-1'])
  expect(ids('b-')).toEqual(['b-1', 'b-2'])
  expect(ids('beta two')).toEqual(['b-2'])
  expect(ids('nothing like it')).toEqual([])
})

it('shows one provider without a query and looks everywhere with one', () => {
  expect(ids('', 'gamma')).toEqual(['c-1'])
  expect(ids('two', 'gamma')).toEqual(['a-2', 'b-2'])
  expect(matching(null, 'x', null)).toEqual([])
})
