// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { draw } from '../testing/draw.tsx'
import type { Drawn } from '../testing/draw.tsx'
import { createWorld } from '../testing/world.ts'
import { Tabs } from './Tabs.tsx'

let drawn: Drawn
afterEach(() => drawn.close())

it('moves among the tabs with the arrow keys, Home and End, round the corner', async () => {
  const change = vi.fn()
  drawn = await draw(<Tabs name="x" items={['models', 'groups', 'failed']} active="failed" label="tabs" counts={{ failed: 2 }} onChange={change} />, createWorld())
  const list = drawn.find('tabs')
  for (const key of ['ArrowRight', 'ArrowLeft', 'Home', 'End', 'x']) await drawn.key(list, key)
  expect(change.mock.calls).toEqual([['models'], ['groups'], ['models'], ['failed']])
  expect(drawn.find('Failed models 2').tabIndex).toBe(0)
  expect(drawn.find('Models').tabIndex).toBe(-1)
})
