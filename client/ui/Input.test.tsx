// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { draw } from '../testing/draw.tsx'
import type { Drawn } from '../testing/draw.tsx'
import { createWorld } from '../testing/world.ts'
import { Input } from './Input.tsx'

let drawn: Drawn
afterEach(() => drawn.close())

async function open(onCommit: (value: string) => string | null) {
  drawn = await draw(<Input label="Name" value="old" onCommit={onCommit} />, createWorld())
  return drawn.find('Name')
}

it('hands a changed value over on Enter, without its blanks', async () => {
  const commit = vi.fn(() => null)
  await open(commit)
  await drawn.type('Name', ' new ')
  expect(commit.mock.calls).toEqual([['new']])
})

it('does not hand over what did not change', async () => {
  const commit = vi.fn(() => null)
  await open(commit)
  await drawn.type('Name', 'old')
  expect(commit).not.toHaveBeenCalled()
})

it('keeps a wrong value in the box and says what is wrong with it', async () => {
  const box = await open(() => 'too odd')
  await drawn.type('Name', 'odd')
  expect([box.value, box.getAttribute('aria-invalid'), box.getAttribute('data-mf-tip')]).toEqual(['odd', 'true', 'too odd'])
})

it('takes the value back on Escape and keeps that Escape to itself', async () => {
  const box = await open(() => null)
  await drawn.change(() => {
    box.value = 'typed'
    box.dispatchEvent(new Event('input', { bubbles: true }))
  })
  expect((await drawn.key(box, 'Escape')).defaultPrevented).toBe(true)
  expect(box.value).toBe('old')
  expect((await drawn.key(box, 'Escape')).defaultPrevented).toBe(false)
})
