// Stands in for @preact/signals in the bundle: its core, and the one hook that is used; jsx.mjs does the binding.
import { signal } from '@preact/signals-core'
import { useState } from 'preact/hooks'

export { batch, computed, effect, signal, untracked } from '@preact/signals-core'
export const useSignal = (value) => useState(() => signal(value))[0]
