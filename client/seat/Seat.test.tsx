// @vitest-environment happy-dom
import { signal } from '@preact/signals'
import { afterEach, describe, expect, it } from 'vitest'
import { NOW, entry, group, info, status } from '../testing/builders.ts'
import { draw } from '../testing/draw.tsx'
import type { Drawn } from '../testing/draw.tsx'
import { createWorld } from '../testing/world.ts'
import type { World } from '../testing/world.ts'
import { Seat } from './Seat.tsx'

let drawn: Drawn
afterEach(() => drawn.close())

const b = { provider: 'beta', model: 'b-1' }
const everyday = group({ models: [entry({ ...b, priority: 1 })] })

async function open(world: World, locked = false) {
  const props = signal({ locked, sessionId: 's-1' })
  await world.ready()
  drawn = await draw(<Seat props={props} />, world)
  return { ...world, props, settings: (dialogMode: boolean) => drawn.change(() => world.app.adopt({ settings: { ...world.app.settings.value!, dialogMode } })) }
}
const trigger = () => drawn.find(/^Choose a model, now/)
const badge = () => drawn.find(/^Why is this the model/)

describe('the trigger', () => {
  it('names provider, model and effort', async () => {
    const { directory } = await open(createWorld())
    expect(trigger().getAttribute('aria-label')).toBe('Choose a model, now Alpha · Alpha One')
    await drawn.change(() => { directory.state.value = { current: { provider: 'alpha', model: 'a-1', reasoningEffort: 'high' }, groups: [] } })
    expect(trigger().getAttribute('aria-label')).toBe('Choose a model, now Alpha · Alpha One · High')
  })
  it('is locked with its badge, and closes what was open', async () => {
    const { props } = await open(createWorld())
    await drawn.press(/^Choose a model, now/)
    expect(document.querySelector('dialog')).not.toBeNull()
    await drawn.change(() => { props.value = { locked: true, sessionId: 's-1' } })
    expect(document.querySelector('dialog')).toBeNull()
    expect([trigger(), badge()].map((button) => button.disabled)).toEqual([true, true])
  })
})

describe('the badge', () => {
  it('says the group, and what a move away from home is about', async () => {
    const override = { ...b, kind: 'failure' as const, class: 'quota' as const, from: null, at: NOW, until: NOW + 3_600_000 }
    await open(createWorld({ sessions: { 's-1': info({ group: everyday as never, mode: 'failover', override }) } }))
    expect(badge().textContent).toBe('Everyday')
    expect(badge().getAttribute('aria-label')).toContain('Away from Alpha · Alpha One, now on Beta · Beta One: quota used up. Earliest return 10:00, in 1 h 0 min.')
    expect(badge().getAttribute('aria-label')).toContain('Routing groups: Everyday · Fallback')
    expect(trigger().getAttribute('aria-label')).toContain('Beta · Beta One')
  })
  it('says that the host is away, or of another version', async () => {
    const { mock, app } = await open(createWorld())
    mock.down = true
    await drawn.change(() => app.status.refresh())
    expect(badge().getAttribute('aria-label')).toContain('does not answer')
    mock.down = false
    mock.state.status = status({ version: '9.9.9', now: NOW + 1 })
    await drawn.change(() => app.status.refresh())
    expect(badge().getAttribute('aria-label')).toContain('outdated')
  })
})

describe('choosing', () => {
  it('happens in the dialog, with an effort, and closes it', async () => {
    const { directory } = await open(createWorld())
    await drawn.press(/^Choose a model, now/)
    await drawn.choose('Effort of Gamma One', 'medium')
    await drawn.press(/^Gamma One/, '.mf-pick')
    expect(directory.state.value.current).toEqual({ provider: 'gamma', model: 'c-1', reasoningEffort: 'medium' })
    expect(document.querySelector('dialog')).toBeNull()
  })
  it('happens in the small menu, and stays open when the host refuses', async () => {
    const { settings, directory } = await open(createWorld())
    await settings(false)
    await drawn.press(/^Choose a model, now/)
    directory.refusal = 'busy'
    await drawn.press('Beta One', '.mf-option')
    expect(document.querySelector('.mf-menu')).not.toBeNull()
    directory.refusal = null
    await drawn.press('Beta One', '.mf-option')
    expect(document.querySelector('.mf-menu')).toBeNull()
    expect(directory.state.value.current).toEqual(b)
  })
  it('serves a subagent through the plugin', async () => {
    const { mock } = await open(createWorld({}, true))
    await drawn.press(/^Choose a model, now/)
    await drawn.press(/^Beta One/, '.mf-pick')
    expect(mock.state.sessions['s-1']).toMatchObject({ route: b })
  })
})

it('offers what asks first, for once or for the session', async () => {
  const { mock } = await open(createWorld({ sessions: { 's-1': info({ offer: [b] }) } }))
  await drawn.press(/^Why is this the model/)
  await drawn.press('Once')
  expect(mock.log.find(({ path }) => path === '/consent')?.body).toEqual({ sessionId: 's-1', ...b, once: true })
})

it('lets Escape close the innermost layer of the small menu first', async () => {
  const { settings } = await open(createWorld())
  await settings(false)
  await drawn.press(/^Choose a model, now/)
  const search = drawn.find('Search names and ids', 'input')
  await drawn.change(() => {
    search.value = 'x'
    search.dispatchEvent(new Event('input', { bubbles: true }))
  })
  await drawn.key(search, 'Escape')
  expect([search.value, document.querySelector('.mf-menu') !== null]).toEqual(['', true])
  await drawn.key(search, 'Escape')
  expect(document.querySelector('.mf-menu')).toBeNull()
})
