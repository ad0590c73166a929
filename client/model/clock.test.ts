// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { pageClock } from './clock.ts'

it('follows the visibility of the page until it is closed', () => {
  const clock = pageClock(document)
  const show = (hidden: boolean): void => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }
  show(true)
  expect(clock.visible.value).toBe(false)
  show(false)
  expect(clock.visible.value).toBe(true)
  clock.close()
  show(true)
  expect(clock.visible.value).toBe(true)
  show(false)
})
