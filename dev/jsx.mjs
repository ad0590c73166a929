// What JSX of the browser half becomes in the bundle. Every function component follows the signals it reads, which the
// library's own binding for Preact does too; that binding is left out of the bundle for its size.
import { effect } from '@preact/signals'
import { Fragment, h as create } from 'preact'
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks'

const views = new WeakMap()

/** The component that draws again whenever a signal changes that `draw` read. */
function follow(draw) {
  return (props) => {
    const [, again] = useReducer((count) => count + 1, 0)
    const end = useRef(() => {})
    end.current()
    let drawn
    let first = true
    end.current = effect(() => {
      if (!first) return again()
      first = false
      drawn = draw(props)
    })
    useLayoutEffect(() => () => end.current(), [])
    return drawn
  }
}

/** Classes, fragments and context providers are Preact's own business. */
const isView = (type) => typeof type === 'function' && type !== Fragment && !type.prototype?.render && !type.Provider

export function h(type, ...rest) {
  if (!isView(type)) return create(type, ...rest)
  if (!views.has(type)) views.set(type, follow(type))
  return create(views.get(type), ...rest)
}

export { Fragment }
