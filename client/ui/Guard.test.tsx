// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import type { VNode } from 'preact'
import { draw } from '../testing/draw.tsx'
import type { Drawn } from '../testing/draw.tsx'
import { createWorld } from '../testing/world.ts'
import { Guard } from './Guard.tsx'

let drawn: Drawn
afterEach(() => drawn.close())

it('puts one line in the place of a failing view, and draws it again on demand', async () => {
  let broken = true
  const View = (): VNode => {
    if (broken) throw new Error('no such thing')
    return <p>fine</p>
  }
  drawn = await draw(<Guard><View /></Guard>, createWorld())
  expect(drawn.text()).toBe('Model failover could not draw this Try again')
  expect(drawn.find(/could not draw/, '[role=alert]').title).toContain('no such thing')
  broken = false
  await drawn.press('Try again')
  expect(drawn.text()).toBe('fine')
})
