import { describe, expect, it } from 'vitest'
import type { HostContext } from '../shapes.ts'
import { accountPool, codeartsAccounts, codeartsEntry, compactorActive, compactorPresent, INTERCEPT_MARK, VERDICT_GLOBAL } from './services.ts'

/** A context that only knows services; like a guarded host it throws for the ones it has not. */
function context(services: Readonly<Record<string, unknown>>): HostContext {
  return {
    on: () => () => undefined, emit: () => undefined, inject: () => undefined, effect: () => undefined,
    get(name) {
      if (!(name in services)) throw new Error(`no service ${name}`)
      return services[name]
    },
  }
}

const entry = (name: string, more: Readonly<Record<string, unknown>> = {}) => {
  const state = { restarted: 0 }
  return { state, options: { name, id: 'row' }, disabled: false, fiber: { name: 'x', restart: async () => { state.restarted++ } }, ...more }
}
const loader = (...entries: readonly unknown[]) => context({ loader: { *entries() { yield* entries } } })

describe('the compactor', () => {
  it('is active only by its own word', () => {
    expect(compactorActive({ [VERDICT_GLOBAL]: 'active' })).toBe(true)
    for (const word of ['inactive', true, undefined, null]) expect(compactorActive({ [VERDICT_GLOBAL]: word })).toBe(false)
  })

  it('may be present by its rerouting of fetch alone', () => {
    expect(compactorPresent({ [INTERCEPT_MARK]: true })).toBe(true)
    expect(compactorPresent({})).toBe(false)
  })
})

describe('the codearts entry', () => {
  it('is the one named so, by package, folder or row id', async () => {
    for (const name of ['dsh-codearts', './plugins/dsh-codearts/index.mjs', 'C:\\home\\plugins\\dsh-codearts\\index.mjs']) {
      const wanted = entry(name)
      await codeartsEntry(loader(entry('other'), wanted, entry('dsh-codearts-auth')))?.restart()
      expect([name, wanted.state.restarted]).toEqual([name, 1])
    }
    const byId = entry('./x.mjs', { options: { name: './x.mjs', id: 'codearts' } })
    await codeartsEntry(loader(byId))?.restart()
    expect(byId.state.restarted).toBe(1)
  })

  it('is else the only running one that speaks of codearts', async () => {
    const wanted = entry('./plugins/pack/index.mjs', { fiber: undefined })
    expect(codeartsEntry(loader(wanted))).toBeNull()
    const named = entry('./plugins/pack/index.mjs')
    const spoken = { ...named, fiber: { ...named.fiber, name: 'my-codearts-provider' } }
    await codeartsEntry(loader(entry('other'), spoken))?.restart()
    expect(named.state.restarted).toBe(1)
  })

  it('is nobody when there is a choice, no loader, or only a disabled one', () => {
    expect(codeartsEntry(loader(entry('a-codearts'), entry('b-codearts')))).toBeNull()
    expect(codeartsEntry(context({}))).toBeNull()
    expect(codeartsEntry(context({ loader: { entries: () => { throw new Error('busy') } } }))).toBeNull()
    expect(codeartsEntry(loader(entry('dsh-codearts', { disabled: true }), null, 3, {}))).toBeNull()
  })
})

it('reads services by shape and is content without them', () => {
  expect(accountPool(context({}))).toBeNull()
  expect(codeartsAccounts(context({}))).toBeNull()
  expect(codeartsAccounts(context({ codearts: { list: () => [{ capped: true }] } }))).toEqual([{ capped: true }])
  expect(codeartsAccounts(context({ codeartsPool: { accounts: [1] } }))).toEqual([1])
})
