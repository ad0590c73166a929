/** Draws views over a world in memory, and finds and uses what a person would. */
import { options, render } from 'preact'
import type { ComponentChildren } from 'preact'
import { SharedContext } from '../model/context.ts'
import { settle } from './clock.ts'
import type { World } from './world.ts'

/** Any control; the properties of the kinds that are used. */
export type Control = HTMLElement & { value: string; disabled: boolean }

export interface Drawn {
  readonly box: HTMLElement
  /** The text on the page, blanks folded. */
  text(): string
  /** The one element whose accessible name (label, else text) is this or fits. */
  find(name: string | RegExp, selector?: string): Control
  has(name: string | RegExp, selector?: string): boolean
  press(name: string | RegExp, selector?: string): Promise<void>
  /** Types into a box and leaves it by Enter. */
  type(name: string | RegExp, text: string): Promise<void>
  choose(name: string | RegExp, value: string): Promise<void>
  key(target: Element, key: string, more?: KeyboardEventInit): Promise<KeyboardEvent>
  /** Runs something that draws anew. */
  change(run: () => unknown): Promise<void>
  close(): void
}

const CONTROLS = 'button,input,select,textarea,[role]'
const nameOf = (element: Element): string => (element.getAttribute('aria-label') ?? element.textContent ?? '').replace(/\s+/g, ' ').trim()
const fits = (name: string | RegExp, element: Element): boolean => (typeof name === 'string' ? nameOf(element) === name : name.test(nameOf(element)))

// Effects run in the next turn of the loop instead of after the next frame.
;(options as { requestAnimationFrame?: (run: () => void) => void }).requestAnimationFrame = (run) => { setTimeout(run) }

export async function draw(view: ComponentChildren, world: World): Promise<Drawn> {
  const box = document.createElement('div')
  document.body.append(box)
  const change = async (run: () => unknown): Promise<void> => {
    await run()
    await settle()
    await settle()
  }
  const all = (name: string | RegExp, selector: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => fits(name, element))
  const find = (name: string | RegExp, selector = CONTROLS): Control => {
    const found = all(name, selector)
    if (found.length !== 1) throw new Error(`${found.length} of ${String(name)}; there are: ${[...document.querySelectorAll(selector)].map(nameOf).join(' | ')}`)
    return found[0] as Control
  }
  await change(() => render(<SharedContext.Provider value={world}>{view}</SharedContext.Provider>, box))
  const drawn: Drawn = {
    box, change, find,
    text: () => (document.body.textContent ?? '').replace(/\s+/g, ' ').trim(),
    has: (name, selector = CONTROLS) => all(name, selector).length > 0,
    press: (name, selector) => change(() => find(name, selector).click()),
    type: async (name, text) => {
      const input = find(name, 'input,textarea')
      input.value = text
      await change(() => input.dispatchEvent(new Event('input', { bubbles: true })))
      await drawn.key(input, 'Enter')
    },
    choose: (name, value) => change(() => {
      const select = find(name, 'select')
      select.value = value
      select.dispatchEvent(new Event('change', { bubbles: true }))
    }),
    key: async (target, key, more = {}) => {
      const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
      await change(() => target.dispatchEvent(event))
      return event
    },
    close: () => {
      render(null, box)
      box.remove()
    },
  }
  return drawn
}
