/** A part of a polled value that changes its identity only when its content changed, so that views stay still. */
import { computed } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'

/** `read` picks the part; it must be plain JSON. */
export function slice<T>(read: () => T): ReadonlySignal<T> {
  let known: { readonly value: T; readonly text: string } | null = null
  return computed(() => {
    const value = read()
    const text = JSON.stringify(value) ?? ''
    if (known === null || known.text !== text) known = { value, text }
    return known.value
  })
}
