import { expect, it } from 'vitest'
import { manyModels, models } from '../testing/builders.ts'
import { DRILL_PROVIDER, FIRST_SIZE, firstEntries } from './firstGroup.ts'

it('begins with the current model and goes on with other providers', () => {
  const entries = firstEntries(models(), { provider: 'alpha', model: 'a-2' })
  expect(entries.map(({ provider, model, priority }) => `${priority} ${provider}/${model}`)).toEqual(['1 alpha/a-2', '2 beta/b-1', '3 gamma/c-1', '4 alpha/a-1', '5 beta/b-2'])
})

it('works without a current model and leaves the practice provider out', () => {
  const catalog = models()
  const entries = firstEntries({ ...catalog, providers: [{ id: DRILL_PROVIDER, name: 'Drill', models: [{ id: 'fault-quota', name: 'quota', efforts: [] }] }, ...catalog.providers] }, null)
  expect(entries).toHaveLength(5)
  expect(entries.some(({ provider }) => provider === DRILL_PROVIDER)).toBe(false)
})

it('offers a plan, not a catalogue', () => {
  const entries = firstEntries(manyModels(10, 50), null)
  expect(entries).toHaveLength(FIRST_SIZE)
  expect(new Set(entries.map(({ provider }) => provider)).size).toBe(10)
})
