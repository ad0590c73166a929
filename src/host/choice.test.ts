import { describe, expect, it } from 'vitest'
import { settle } from '../../tests/support/manual-time.ts'
import type { Log } from '../ports.ts'
import { createChoice, type HostChoice } from './choice.ts'
import type { HostAgent, HostContext, HostSelection } from './shapes.ts'

const warnings: string[] = []
const log: Log = { info: () => {}, warn: (format) => { warnings.push(format) }, error: () => {} }
const beta = { provider: 'beta', model: 'b-1' }
const gamma = { provider: 'gamma', model: 'c-1' }

function context(services: Readonly<Record<string, unknown>> = {}): HostContext {
  return { on: () => () => true, emit: () => {}, get: (name) => services[name], inject: () => {}, effect: () => {} }
}

function agent(more: Partial<HostAgent> = {}): HostAgent {
  return { id: 's', session: { id: 's' }, options: { provider: 'alpha', model: 'a-1' }, ...more }
}

/** A controller whose log tells the choice at once, as the host's does. */
function controlled(resolve?: () => Promise<unknown>): { choice: HostChoice; written: HostSelection[]; own: boolean[] } {
  const written: HostSelection[] = []
  const own: boolean[] = []
  const sessionController = { agents: { selectForNextRequest: (to: HostAgent, selection: HostSelection) => { written.push(selection); own.push(choice.logged(to.id, selection)) } } }
  const choice = createChoice(context({ sessionController, ...(resolve ? { llm: { resolveCallConfig: resolve } } : {}) }), log)
  return { choice, written, own }
}

describe('the way', () => {
  it('is the agent\'s own where it has one, else the controller, else none', () => {
    const { choice } = controlled()
    expect(choice.way(agent({ model: { select: () => {} } }))).toBe('model-select')
    expect(choice.way(agent())).toBe('select-for-next-request')
    expect(createChoice(context(), log).way(agent())).toBeNull()
    expect(createChoice(context(), log).way(agent({ model: { select: 'no' } }))).toBeNull()
  })

  it('is none where the services or the accessor throw', () => {
    const throwing: HostContext = { ...context(), get: () => { throw new Error('guarded') } }
    const hostile = agent()
    Object.defineProperty(hostile, 'model', { get: () => { throw new Error('not ready') } })
    expect(createChoice(throwing, log).way(hostile)).toBeNull()
  })
})

describe('a choice', () => {
  it('is known as our own when the log tells it, and the same words later are the user\'s', async () => {
    const { choice, written, own } = controlled()
    expect(await choice.choose(agent(), { ...beta, effort: 'low' })).toBe(true)
    expect(written).toEqual([{ provider: 'beta', model: 'b-1', reasoningEffort: 'low' }])
    expect(own).toEqual([true])
    await settle()
    expect(choice.logged('s', beta)).toBe(false)
  })

  it('is never made in the caller\'s own stack, where the log may be telling an event', () => {
    const { choice, written } = controlled()
    void choice.choose(agent(), beta)
    expect(written).toEqual([])
  })

  it('carries no absent key', async () => {
    const { choice, written } = controlled()
    await choice.choose(agent(), beta)
    expect(Object.keys(written[0] ?? {})).toEqual(['provider', 'model'])
  })

  it('gives way to a newer one of ours and to one of the user', async () => {
    const waiting: (() => void)[] = []
    const { choice, written } = controlled(() => new Promise((resolve) => { waiting.push(() => resolve(null)) }))
    const first = choice.choose(agent(), beta)
    const second = choice.choose(agent(), gamma)
    await settle()
    for (const answer of waiting) answer()
    expect([await first, await second]).toEqual([false, true])
    expect(written).toEqual([gamma])

    const third = choice.choose(agent(), beta)
    await settle()
    choice.logged('s', { provider: 'delta', model: 'd' })
    waiting.at(-1)?.()
    expect(await third).toBe(false)
    expect(written).toEqual([gamma])
  })

  it('that is the host\'s already is not written again', async () => {
    const { choice, written } = controlled()
    expect(await choice.choose(agent(), { provider: 'alpha', model: 'a-1' })).toBe(true)
    expect(written).toEqual([])
  })

  it('that the agent refuses goes to the controller, and fails without one', async () => {
    const refusing = agent({ model: { select: () => Promise.reject(new Error('no')) } })
    const { choice, written } = controlled()
    expect(await choice.choose(refusing, beta)).toBe(true)
    expect(written).toEqual([beta])
    expect(await createChoice(context(), log).choose(refusing, beta)).toBe(false)
  })

  it('is waited for until the host has it', async () => {
    let take = (): void => {}
    const choice = createChoice(context(), log)
    void choice.choose(agent({ model: { select: () => new Promise<void>((resolve) => { take = resolve }) } }), beta)
    let over = false
    void choice.settled('s').then(() => { over = true })
    await settle()
    expect(over).toBe(false)
    take()
    await settle()
    expect(over).toBe(true)
  })
})

describe('what the next step runs on', () => {
  const header = (provider: string, effort?: string, byDefault = false) => () => ({
    config: { provider, model: 'm', ...(effort === undefined ? {} : { reasoningEffort: effort }) }, ...(byDefault ? { adapterDefaults: { reasoningEffort: true as const } } : {}),
  })

  it('is what the agent says, else the last choice, else the last header, else what it was made with', () => {
    const { choice } = controlled()
    expect(choice.current(agent())).toEqual({ provider: 'alpha', model: 'a-1' })
    const spoken = agent({ session: { id: 's', requestHeader: header('said') } })
    expect(choice.current(spoken)).toEqual({ provider: 'said', model: 'm' })
    choice.logged('s', gamma)
    expect(choice.current(spoken)).toEqual(gamma)
    expect(choice.current({ ...spoken, model: { current: { provider: 'own', model: 'o' } } })).toEqual({ provider: 'own', model: 'o' })
    choice.sent('s', gamma)
    expect(choice.current(spoken)).toEqual({ provider: 'said', model: 'm' })
  })

  it('takes an effort over only if somebody chose it', () => {
    const { choice } = controlled()
    expect(choice.current(agent({ session: { id: 's', requestHeader: header('p', 'high') } }))).toEqual({ provider: 'p', model: 'm', effort: 'high' })
    expect(choice.current(agent({ session: { id: 's', requestHeader: header('p', 'high', true) } }))).toEqual({ provider: 'p', model: 'm' })
  })

  it('of a resumed session is the choice it still waits to use', () => {
    const choice = createChoice(context({ sessionProjections: { stateOf: (_session: unknown, name: string) => (name === 'modelSelection' ? { pending: gamma } : null) } }), log)
    expect(choice.current(agent())).toEqual(gamma)
  })
})
