/** A text box that hands its value over on Enter or when it is left, and takes it back on Escape. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useShared } from '../model/context.ts'

export interface InputProps {
  readonly value: string
  readonly label: string
  /** Takes a changed value; a text it answers is what is wrong with it, and the value is not taken. */
  readonly onCommit: (value: string) => string | null
  readonly placeholder?: string
  readonly tip?: string
  /** In px; absent = the width of its row. */
  readonly width?: number
  readonly tabIndex?: number | undefined
}

export function Input({ value, label, onCommit, placeholder, tip, width, tabIndex }: InputProps): VNode {
  const { app } = useShared()
  const [draft, setDraft] = useState<string | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const put = (text: string | null, problem: string | null = null): void => {
    setDraft(text)
    setWrong(problem)
  }
  const commit = (): void => {
    if (draft === null) return
    const problem = draft === value ? null : onCommit(draft.trim())
    put(problem === null ? null : draft, problem)
    if (problem) app.notices.say(problem)
  }
  // A refused text belongs to the value it was to replace.
  useEffect(() => {
    if (wrong) put(null)
  }, [value])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') commit()
    if (event.key !== 'Escape' || draft === null) return
    // The box is the innermost layer: the next Escape is for what it stands in.
    event.preventDefault()
    event.stopPropagation()
    put(null)
  }
  return (
    <input class="mf-input" style={width ? `width:${width}px` : ''} value={draft ?? value} aria-label={label} aria-invalid={wrong !== null} data-mf-tip={wrong ?? tip} placeholder={placeholder} tabIndex={tabIndex} autoComplete="off" onInput={(event) => put(event.currentTarget.value)} onBlur={commit} onKeyDown={onKeyDown} />
  )
}
